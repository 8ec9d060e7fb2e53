// Clusters: blocks that run at the same time, on multiprocessors of one group (GPC), and reach each other's shared
// memory (compute capability 9.0); up to eight, and where a group is large enough sixteen. A launch asks for them:
// LaunchShape::cluster.
#pragma once

#include "common/launch.cuh"

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/cluster_functions.h"
#endif

namespace tutorial {

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

namespace detail {
/// Whether the current device takes one such launch at least. "No" is no error of the caller's.
inline bool takes_largest_clusters(const void* kernel, unsigned threads, std::size_t shared_bytes) {
  const cudaError_t before = cudaPeekAtLastError();
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = kLargestCluster;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kLargestCluster);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const bool takes = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                          1) == cudaSuccess &&
                     cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess &&
                     clusters > 0;
  if (before == cudaSuccess) static_cast<void>(cudaGetLastError());
  return takes;
}
}  // namespace detail

/// Whether `kernel` may be launched in clusters of kLargestCluster blocks, of up to `threads` threads and `shared_bytes`
/// of dynamic shared memory each. A GPU is asked once for each kernel.
template <class... Params>
bool runs_in_largest_clusters(void (*kernel)(Params...), unsigned threads,
                              std::size_t shared_bytes = 0) {
  const auto* const symbol = reinterpret_cast<const void*>(kernel);
#if defined(TUTORIAL_BACKEND_CPU)
  return detail::takes_largest_clusters(symbol, threads, shared_bytes);
#else
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, bool> known;
  int device = 0;
  if (!runs_in_clusters(kernel) || cudaGetDevice(&device) != cudaSuccess) return false;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, is_new] = known.try_emplace({device, symbol}, false);
  if (is_new) entry->second = detail::takes_largest_clusters(symbol, threads, shared_bytes);
  return entry->second;
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

/// A value of four or eight bytes from each block of a cluster to all of them. In shared memory; for one use. All threads
/// of the block call begin() and, when they know the block's value, all(). After it `of_blocks` has the values in the
/// order of the blocks; no block needs another one afterwards, and each may end. Nothing else is put in order: all() is
/// no barrier, neither of the cluster nor of the block's threads.
///
/// A block sends its value to each by st.async, and waits until an mbarrier of its own has counted the bytes of all. So
/// no thread but the first, which publishes the mbarrier, has a fence, which a barrier of the cluster has in each
/// (06_primitives/notes/softmax.md).
template <class T>
struct Exchange {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  T of_blocks[kLargestCluster];
  std::uint64_t arrived;

#if defined(TUTORIAL_BACKEND_CPU)
  void begin(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (threadIdx.x == 0) cpu::exchange_begins(&arrived, {file, line});
    cluster_arrive(file, line);
  }
  void all(T mine, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    cluster_wait(file, line);
    if (threadIdx.x < cluster_blocks()) {
      *in_block(&of_blocks[cluster_rank()], threadIdx.x, file, line) = mine;
    }
    cluster_barrier(file, line);
  }
#else
  __device__ __forceinline__ void begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (cluster_blocks() == 1) return;
    if (threadIdx.x == 0) {
      const unsigned bytes = cluster_blocks() * sizeof(T);
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address_of(&arrived)) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address_of(&arrived)),
                   "r"(bytes)
                   : "memory");
    }
    __cluster_barrier_arrive_relaxed();  // the fence has published the mbarrier, and nothing else is new
#endif
  }
  __device__ __forceinline__ void all(T mine) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (cluster_blocks() > 1) {
      cluster_wait();  // all blocks have begun: their shared memory is there
      if (threadIdx.x < cluster_blocks()) send(mine);
      asm volatile(
          "{\n"
          ".reg .pred done;\n"
          "again:\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n"
          "@!done bra again;\n"
          "}" ::"r"(address_of(&arrived))
          : "memory");
      return;
    }
#endif
    if (threadIdx.x == 0) of_blocks[0] = mine;
    __syncthreads();
  }

 private:
  __device__ __forceinline__ static unsigned address_of([[maybe_unused]] const void* shared) {
#if defined(__CUDA_ARCH__)
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
#else
    return 0;
#endif
  }
  /// To block threadIdx.x: `mine`, and a count of its bytes.
  __device__ __forceinline__ void send(T mine) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned> word;
    memcpy(&word, &mine, sizeof(T));
    unsigned place, counts;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(place)
        : "r"(address_of(&of_blocks[cluster_rank()])), "r"(threadIdx.x));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(counts)
        : "r"(address_of(&arrived)), "r"(threadIdx.x));
    if constexpr (sizeof(T) == 8) {
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
              place),
          "l"(word), "r"(counts)
          : "memory");
    } else {
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
              place),
          "r"(word), "r"(counts)
          : "memory");
    }
#endif
  }
#endif
};

#endif

}  // namespace tutorial
