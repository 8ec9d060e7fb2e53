/// CUDA's language, for a host compiler: what nvcc knows without an #include and g++ or clang++ do
/// not. Kernel sources reach this header through common/macros.cuh or common/launch.cuh, in the cpu
/// backend alone.
#pragma once

#include "common/cpu/qualifiers.h"

#include "common/cpu/atomic_functions.h"
#include "common/cpu/block_functions.h"
#include "common/cpu/half_functions.h"
#include "common/cpu/integer_functions.h"
#include "common/cpu/math_functions.h"
#include "common/cpu/memory_functions.h"
#include "common/cpu/warp_functions.h"
