// cuRAND's generators for kernels are templates and need no library, where a toolkit has brought them.
// They declare two of a kernel's variables once more.
#pragma once

#define threadIdx curand_threadIdx
#define blockDim curand_blockDim
#include_next <curand_kernel.h>
#undef threadIdx
#undef blockDim
