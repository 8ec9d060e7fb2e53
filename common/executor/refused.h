// What programs call and the executor has not: each call is an error of one sentence, at its line.
#pragma once

#include <cuda_runtime.h>

#if defined(__clang__)
#define TUTORIAL_CPU_REFUSED(why) __attribute__((unavailable(why)))
#else
#define TUTORIAL_CPU_REFUSED(why) __attribute__((error(why)))
#endif

// ---- Functions of the runtime, as NVIDIA's headers declare them ---------------------------------

#define TUTORIAL_CPU_NO_ARRAYS                                             \
  TUTORIAL_CPU_REFUSED(                                                    \
      "the CPU executor has no textures, surfaces and CUDA arrays: use a " \
      "pointer")
#define TUTORIAL_CPU_NO_GRID_SYNC \
  TUTORIAL_CPU_REFUSED("the CPU executor has no barrier across a grid: split the kernel in two")
#define TUTORIAL_CPU_NO_TYPES                                                                \
  TUTORIAL_CPU_REFUSED(                                                                      \
      "the CPU executor must see the kernel's type: pass the kernel itself, without a cast " \
      "to void*, or launch it with <<<>>>")

extern "C" {
TUTORIAL_CPU_NO_ARRAYS cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*,
                                                   size_t, size_t, unsigned int);
TUTORIAL_CPU_NO_ARRAYS cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*,
                                                     cudaExtent, unsigned int);
TUTORIAL_CPU_NO_ARRAYS cudaError_t cudaFreeArray(cudaArray_t);
TUTORIAL_CPU_NO_ARRAYS cudaError_t cudaCreateTextureObject(cudaTextureObject_t*,
                                                           const cudaResourceDesc*,
                                                           const cudaTextureDesc*,
                                                           const cudaResourceViewDesc*);
TUTORIAL_CPU_NO_ARRAYS cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
TUTORIAL_CPU_NO_ARRAYS cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*,
                                                           const cudaResourceDesc*);
TUTORIAL_CPU_NO_ARRAYS cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);

TUTORIAL_CPU_NO_GRID_SYNC cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**,
                                                                  size_t, cudaStream_t);
TUTORIAL_CPU_NO_TYPES cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*,
                                                      void**);
}

// ---- Functions of kernels -----------------------------------------------------------------------

#define TUTORIAL_CPU_NO_TEXTURE(name)   \
  template <class T = void, class... A> \
  TUTORIAL_CPU_NO_ARRAYS T name(A...)
TUTORIAL_CPU_NO_TEXTURE(tex1D);
TUTORIAL_CPU_NO_TEXTURE(tex1Dfetch);
TUTORIAL_CPU_NO_TEXTURE(tex2D);
TUTORIAL_CPU_NO_TEXTURE(tex2DLod);
TUTORIAL_CPU_NO_TEXTURE(tex2DLayered);
TUTORIAL_CPU_NO_TEXTURE(tex3D);
TUTORIAL_CPU_NO_TEXTURE(texCubemap);
TUTORIAL_CPU_NO_TEXTURE(surf1Dread);
TUTORIAL_CPU_NO_TEXTURE(surf2Dread);
TUTORIAL_CPU_NO_TEXTURE(surf3Dread);
TUTORIAL_CPU_NO_TEXTURE(surf1Dwrite);
TUTORIAL_CPU_NO_TEXTURE(surf2Dwrite);
TUTORIAL_CPU_NO_TEXTURE(surf3Dwrite);
#undef TUTORIAL_CPU_NO_TEXTURE

// Votes and shuffles without a mask: nvcc has refused them since compute capability 7.0.
#define TUTORIAL_CPU_NO_MASK(name, with_mask)                                           \
  template <class... A>                                                                 \
  TUTORIAL_CPU_REFUSED(#name " is gone since compute capability 7.0: write " with_mask) \
  int name(A...)
TUTORIAL_CPU_NO_MASK(__shfl, "__shfl_sync(mask, ...)");
TUTORIAL_CPU_NO_MASK(__shfl_up, "__shfl_up_sync(mask, ...)");
TUTORIAL_CPU_NO_MASK(__shfl_down, "__shfl_down_sync(mask, ...)");
TUTORIAL_CPU_NO_MASK(__shfl_xor, "__shfl_xor_sync(mask, ...)");
TUTORIAL_CPU_NO_MASK(__any, "__any_sync(mask, ...)");
TUTORIAL_CPU_NO_MASK(__all, "__all_sync(mask, ...)");
TUTORIAL_CPU_NO_MASK(__ballot, "__ballot_sync(mask, ...)");
#undef TUTORIAL_CPU_NO_MASK
