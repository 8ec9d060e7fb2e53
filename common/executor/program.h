// What a reader's program finds besides the language (cuda_language.h): the runtime's templates, and
// the sentences of what is not there.
#pragma once

#include "common/executor/refused.h"
#include "common/executor/runtime_templates.h"

namespace tutorial::cpu {

/// A program learns of a kernel's fault when it waits for the kernel.
[[maybe_unused]] inline const bool faults_wait = (set_kernel_errors(KernelErrors::pending), true);

}  // namespace tutorial::cpu

// NVIDIA's header would declare threadIdx once more.
#define __DEVICE_LAUNCH_PARAMETERS_H__

#undef __maxnreg__
#define __maxnreg__(...)

// The compiler of CUDA programs defines these. Not __CUDA_ARCH__: as in nvcc's own pass for the host.
#define __noinline__ __attribute__((noinline))
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
