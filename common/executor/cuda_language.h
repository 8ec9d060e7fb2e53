// CUDA's language, for a host compiler: what nvcc knows without an #include and g++ or clang++ do
// not. Kernel sources reach this header through common/macros.cuh or common/launch.cuh, in the cpu
// backend alone.
#pragma once

#include "common/executor/qualifiers.h"

#include "common/executor/atomic_functions.h"
#include "common/executor/block_functions.h"
#include "common/executor/half_functions.h"
#include "common/executor/integer_functions.h"
#include "common/executor/math_functions.h"
#include "common/executor/memory_functions.h"
#include "common/executor/warp_functions.h"
