// What a reader's program finds besides the language (cuda_language.h): the runtime's templates, and
// the sentences of what is not there.
#pragma once

#include "common/executor/refused.h"
#include "common/executor/runtime_templates.h"
