// The older name of the header.
#pragma once

#include <cublas_v2.h>
