// Clusters: up to eight blocks that run at the same time, on multiprocessors of one group (GPC), and reach each
// other's shared memory (compute capability 9.0). A launch asks for them: LaunchShape::cluster.
#pragma once

#include "common/launch.cuh"

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/cluster_functions.h"
#endif

namespace tutorial {

/// The most blocks of a cluster that every GPU with clusters and as many multiprocessors takes.
inline constexpr int kMostInCluster = 8;

/// Whether the code that the current device runs for `kernel` may be launched in clusters.
template <class... Params>
bool runs_in_clusters(void (*kernel)(Params...)) {
#if defined(TUTORIAL_BACKEND_CPU)
  return kernel != nullptr;
#else
  int device = 0, has = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, device) == cudaSuccess &&
         has != 0 && detail::waits_for_previous_grid(reinterpret_cast<const void*>(kernel));
#endif
}

#if defined(TUTORIAL_BACKEND_CPU) || defined(__CUDACC__)

/// The blocks of the calling block's cluster.
__device__ __forceinline__ unsigned cluster_blocks() {
#if defined(TUTORIAL_BACKEND_CPU)
  return cpu::cluster_size();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return __clusterSizeInBlocks();
#else
  return 1;
#endif
}

/// Which of them the calling block is, in a grid of one dimension.
__device__ __forceinline__ unsigned cluster_rank() { return blockIdx.x % cluster_blocks(); }

#if defined(TUTORIAL_BACKEND_CPU)
inline void cluster_barrier(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  cpu::cluster_barrier({file, line});
}

inline void cluster_arrive(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  cpu::cluster_arrive({file, line});
}
inline void cluster_wait(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  cpu::cluster_wait({file, line});
}

template <class T>
T* in_block(T* shared, unsigned rank, const char* file = __builtin_FILE(),
            int line = __builtin_LINE()) {
  return static_cast<T*>(cpu::in_block(shared, rank, {file, line}));
}
#else
/// Waits for all threads of the cluster; what they have written to shared memory is then seen by all. No
/// block may reach into another one's before all have come to one of these, nor end before all have come
/// to one behind the last such access.
__device__ __forceinline__ void cluster_barrier() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
#endif
}

/// The same in two parts. A thread that has arrived does meanwhile what needs no other block, and what none needs of it.
__device__ __forceinline__ void cluster_arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __cluster_barrier_wait();
#endif
}

/// The place of `shared`, which points into the calling block's shared memory, in that of block `rank`.
template <class T>
__device__ __forceinline__ T* in_block(T* shared, unsigned rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return static_cast<T*>(__cluster_map_shared_rank(shared, rank));
#else
  return rank == 0 ? shared : nullptr;
#endif
}
#endif

#endif

}  // namespace tutorial
