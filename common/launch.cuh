// How a host function launches a kernel: `launch(kernel, {grid, block}, stream, args...)`.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "common/arguments.h"
#include "common/launch_limits.h"

#if defined(TUTORIAL_BACKEND_CPU)
#include "common/executor/cuda_language.h"
#include "common/executor/executor.h"
#include "common/executor/watcher.h"
#elif !defined(TUTORIAL_BACKEND_CUDA)
#error "define TUTORIAL_BACKEND_CUDA=1 or TUTORIAL_BACKEND_CPU=1 (link the target tutorial_runtime)"
#endif

// One spelling for both backends: under CUDA it is what `kernel<<<grid, block, shared, stream>>>`
// does, with the launch's own error as its value; otherwise the CPU executor runs the kernel. Host
// files (.cpp) may include this header too.

namespace tutorial {

/// Threads a block wherever a chapter does not study the block size: 128 reaches copy speed where a
/// thread moves 16 bytes and its arithmetic fits; the chapters' block-size sweeps show the others.
inline constexpr int kThreads = 128;

/// When the kernel's blocks may begin.
/// - none: after the kernel before it on the stream has finished, and its last write is visible.
/// - previous_kernel: as soon as every block of the kernel before it has ended, or has triggered in
///   let_next_grid_begin(), without waiting for that kernel to be declared complete and its writes
///   flushed (programmatic dependent launch, compute capability 9.0 or later). The kernel must call
///   wait_for_previous_grid() before it touches memory; that hides the launch latency between
///   back-to-back kernels and reads nothing too soon. A kernel that was compiled for an older
///   architecture has no such wait, and is launched as with `none`.
enum class Overlap { none, previous_kernel };

/// The most blocks of a cluster that every GPU with clusters and as many multiprocessors takes; and the most of all, which
/// it takes where runs_in_largest_clusters() holds (common/cluster.cuh).
inline constexpr unsigned kMostInCluster = 8, kLargestCluster = 16;

/// The shape of a launch. `shared_bytes` is dynamic shared memory per block; `cluster` blocks that are
/// neighbours in x form a cluster (common/cluster.cuh), and grid.x is a multiple of that.
struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  Overlap overlap = Overlap::none;
  unsigned cluster = 1;
};

/// In a kernel: waits until the kernel before it on the stream has finished and its writes are
/// visible. Free where the launch did not ask for an overlap. The CPU executor runs one kernel after
/// another; there the call tells the checks (common/check) that this thread may access memory now.
__device__ __forceinline__ void wait_for_previous_grid() {
#if defined(TUTORIAL_BACKEND_CPU)
  cpu::waits_for_previous_grid();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// In the second of two launches that are one operation: tells the checks that what the first only reads is read
/// before the wait. Every block of the first has waited when this one begins, so what came before both has been
/// written, to the L2 cache at least: load_pack_from_l2().
__device__ __forceinline__ void reads_what_previous_grid_reads() {
#if defined(TUTORIAL_BACKEND_CPU)
  cpu::reads_what_previous_grid_reads();
#endif
}

/// As let_next_grid_begin()'s `last`: every block, and nothing is compared.
inline constexpr int kEveryBlock = std::numeric_limits<int>::max();

/// In a kernel, after its wait: triggers the next launch; `last` counts blocks along x. If that
/// one asked for Overlap::previous_kernel, its blocks may be placed once every block of this kernel
/// has triggered or ended. They still wait for all of this kernel, and so for all before it, as long
/// as every block waits before its first access to global memory. The trigger publishes no writes.
///
/// A block that triggers costs 1.2 ns instead of 0.6, so blocks of up to 128 threads do not, and of
/// larger ones only the last: 1,024 of 256 threads, about what a GPU holds at once. Most blocks
/// before them have ended when the last begins. (Of 704 threads it is the last 4,608; not tuned.) A
/// kernel whose blocks do more than that, or are few, says itself how many of the `last` trigger.
__device__ __forceinline__ void let_next_grid_begin(int last) {
#if defined(TUTORIAL_BACKEND_CPU)
  static_cast<void>(last);
  cpu::lets_next_grid_begin();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (static_cast<int>(gridDim.x - blockIdx.x) <= last) {
    cudaTriggerProgrammaticLaunchCompletion();
  }
#else
  static_cast<void>(last);
#endif
}
__device__ __forceinline__ void let_next_grid_begin() {
#if defined(TUTORIAL_BACKEND_CPU) || defined(__CUDACC__)  // a .cpp file has no blockDim
  let_next_grid_begin(8 * (static_cast<int>(blockDim.x) - 128));
#endif
}

namespace detail {

#if defined(TUTORIAL_BACKEND_CUDA)
/// Whether the code that the current device runs for `kernel` was compiled with the wait of
/// wait_for_previous_grid() in it: the virtual architecture decides, not the device. Asked once for
/// each kernel and device.
inline bool waits_for_previous_grid(const void* kernel) {
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, bool> known;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, is_new] = known.try_emplace({device, kernel}, false);
  if (is_new) {
    cudaFuncAttributes attributes{};
    entry->second =
        cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90;
  }
  return entry->second;
}
#endif

/// A kernel must have asked for clusters of more blocks than every GPU takes.
inline cudaError_t allow_cluster(const void* kernel, const LaunchShape& shape) {
  if (shape.cluster <= kMostInCluster) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

#if defined(TUTORIAL_BACKEND_CPU)
inline cpu::Launch as_launch(const void* kernel, const LaunchShape& shape, cudaStream_t stream) {
  const bool overlaps = shape.overlap == Overlap::previous_kernel;
  return {kernel,  shape.grid, shape.block, shape.shared_bytes, overlaps, nullptr,
          nullptr, {},         stream,      shape.cluster};
}
#endif

/// Hands the arguments, already of the parameters' types, to the backend. (Without a tuple of them: each
/// kernel's would be one more class to compile.)
template <class... Params>
__attribute__((noinline)) cudaError_t launch_with(void (*kernel)(Params...),
                                                  const LaunchShape& shape, cudaStream_t stream,
                                                  std::common_type_t<Params>... arguments) {
  const auto* symbol = reinterpret_cast<const void*>(kernel);
  const cudaError_t error = allow_cluster(symbol, shape);
  if (error != cudaSuccess) return error;
#if defined(TUTORIAL_BACKEND_CPU)
  return cpu::execute_call(as_launch(symbol, shape, stream), kernel, arguments...);
#else
  // The runtime's own answers to a bad shape differ from one launch call to another.
  if (!is_launchable(shape.grid, shape.block)) return cudaErrorInvalidConfiguration;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute attributes[2] = {};
  config.attrs = attributes;
  if (shape.overlap == Overlap::previous_kernel && waits_for_previous_grid(symbol)) {
    cudaLaunchAttribute& overlap = attributes[config.numAttrs++];
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shape.cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
  return cudaLaunchKernelExC(&config, symbol, addresses);
#endif
}

}  // namespace detail

/// Launches `kernel` on `stream` and returns this launch's error. Arguments convert to the kernel's
/// parameter types as in a function call.
///
/// Errors: cudaErrorInvalidConfiguration for a shape that no device accepts (a dimension of 0, more
/// than 1024 threads a block, grid.x > 2^31 - 1, grid.y or grid.z > 65535), cudaErrorInvalidValue
/// for more shared memory than a block may have. On a GPU the call does not wait for the kernel,
/// and errors inside the kernel come with a later synchronisation. On the CPU executor the kernel
/// has run when launch() returns, and what the executor detects in it is cudaErrorLaunchFailure.
template <class... Params, class... Args>
__attribute__((always_inline)) inline cudaError_t launch(void (*kernel)(Params...),
                                                         const LaunchShape& shape,
                                                         cudaStream_t stream, Args&&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args),
                "launch(): one argument for each parameter of the kernel");
  // A conversion that loses bits draws the compiler's warning here.
  return detail::launch_with(kernel, shape, stream, static_cast<Args&&>(args)...);
}

/// The blocks that `n` items need when a block takes `items_per_block` (> 0) of them, as grid.x.
/// A count above 2^31 - 1 gives a grid that launch() refuses with cudaErrorInvalidConfiguration.
inline dim3 grid_1d(std::int64_t n, std::int64_t items_per_block) {
  const std::int64_t blocks = n / items_per_block + (n % items_per_block != 0 ? 1 : 0);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return dim3(static_cast<unsigned>(blocks <= kMost ? blocks : kMost + 1));
}

// Where threads take `width` elements each, n elements are n / width packs and a tail. One thread for
// all of the tail takes a memory latency for each of its elements, so each has a thread of its own.
// The first of them begins a warp, which then does not also do packs.

/// The thread that has the first element of the tail.
__host__ __device__ constexpr std::int64_t first_single(std::int64_t packs) {
  return (packs + 31) / 32 * 32;
}

/// The threads of a launch with so many packs and single elements.
inline std::int64_t threads_for(std::int64_t packs, std::int64_t singles) {
  return singles == 0 ? packs : first_single(packs) + singles;
}

/// The element of the tail that thread `thread` does; n or more if it does none.
template <int kWidth>
__device__ __forceinline__ std::int64_t tail_element(std::int64_t thread, std::int64_t n) {
  const std::int64_t packs = n / kWidth, single = thread - first_single(packs);
  return single < 0 ? n : packs * kWidth + single;
}

/// What a launcher asks of the current device.
struct DeviceLimits {
  int multiprocessors = 0;  ///< 0: the device does not say
  int threads_each = 0;     ///< that a multiprocessor holds at once: its thread slots
  std::size_t l2_bytes = 0;
};

inline DeviceLimits ask_device_limits(int device) {
  int multiprocessors = 0, threads = 0, l2 = 0;
  const bool known = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                            device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor,
                                            device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device) == cudaSuccess;
  if (!known) return {};
  return {multiprocessors, threads, static_cast<std::size_t>(l2)};
}

/// Of the current device; a GPU is asked once.
__attribute__((noinline)) inline DeviceLimits device_limits() {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return {};
#if defined(TUTORIAL_BACKEND_CUDA)
  static std::mutex mutex;
  static std::map<int, DeviceLimits> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(device);
  return found != known.end() ? found->second : known[device] = ask_device_limits(device);
#else
  return ask_device_limits(device);
#endif
}

/// As many threads as the current device's multiprocessors hold at once, if they have the registers
/// and the shared memory: one wave of blocks. 1 if the device does not say.
inline std::int64_t resident_threads() {
  const DeviceLimits device = device_limits();
  return device.multiprocessors > 0 ? std::int64_t{device.multiprocessors} * device.threads_each
                                    : 1;
}

/// How an elementwise launch is shaped.
struct LaunchOptions {
  int threads = kThreads;  ///< threads a block
  Overlap overlap = Overlap::none;
};

/// Whether a launch of so many packs has so few blocks of kThreads that it gains if each of them lets the next launch
/// begin, which is taken to ask for the overlap as this one does: an eighth of what the device holds at once (H200: 264
/// blocks; measured there alone). The launcher asks, and takes one of two kernels; one that asks is slower where
/// blocks are not few (06_primitives/notes/few_rows.md, "Few tokens"). A caller's smaller blocks stay.
inline bool is_few(std::int64_t packs, const LaunchOptions& options) {
  return options.overlap == Overlap::previous_kernel && options.threads >= kThreads &&
         is_launchable(dim3(1), dim3(static_cast<unsigned>(options.threads))) &&
         packs <= resident_threads() / 8;
}

/// Threads of a block of which two fit on a multiprocessor and a third does not: just more than a
/// third of its thread slots, in whole warps. 704 of 2,048, 544 of 1,536, 352 of 1,024.
constexpr int threads_of_two_blocks(int slots) { return (slots / 32 / 3 + 1) * 32; }

/// What is taken to fit an L2 of so many bytes: the next power of two. The sizes that were measured
/// are powers of two, so nothing finer is known. 64 MiB for 60 (H200) and for 50 (H100).
constexpr std::size_t fits_l2(std::size_t l2_bytes) {
  std::size_t bytes = 1;
  while (bytes < l2_bytes) bytes *= 2;
  return bytes;
}

/// The launch of a kernel that loads sixteen bytes of each of two arrays a thread, and moves `bytes`
/// for each of the n elements in all.
///
/// Such threads at full occupancy ask for 64 KiB an SM at a time, of 2,048 slots; two blocks of a
/// third of them, and a little, ask for 44 KiB. On an H200 large additions gain 1 % by that, and what
/// fits the L2 is 2 to 3 % faster in blocks of 256. On an H100 either choice changes 2 % at most, not
/// always for the better. (common/notes/controls.md, "Bytes in flight", which has other GPUs' numbers
/// too.) A device that does not say is taken for an H200.
//! [two_inputs]
inline LaunchOptions two_inputs(std::int64_t n, std::size_t bytes,
                                const DeviceLimits& device = device_limits()) {
  const std::size_t l2 = device.l2_bytes > 0 ? device.l2_bytes : std::size_t{60} << 20;
  if (n <= static_cast<std::int64_t>(fits_l2(l2) / bytes)) return {256, Overlap::previous_kernel};
  const int slots = device.threads_each > 0 ? device.threads_each : 2048;
  return {threads_of_two_blocks(slots), Overlap::previous_kernel};
}
//! [two_inputs]

/// The body of every elementwise launcher: checks n, the buffers and the options, then launches
/// kernel(arguments...), whose threads take `per_thread` of the n elements each; there are threads for
/// tail_element() too. n == 0 launches nothing. Errors: those of check_arguments() and launch(), and
/// cudaErrorInvalidConfiguration for threads <= 0.
template <class... Params, class... Args>
cudaError_t launch_elements(void (*kernel)(Params...), std::int64_t n, int per_thread,
                            std::initializer_list<Buffer> buffers, cudaStream_t stream,
                            LaunchOptions options, Args... arguments) {
  const cudaError_t error = check_arguments(n, buffers);
  if (error != cudaSuccess || n == 0) return error;
  if (options.threads <= 0) return cudaErrorInvalidConfiguration;
  const dim3 grid = grid_1d(threads_for(n / per_thread, n % per_thread), options.threads);
  const dim3 block(static_cast<unsigned>(options.threads));
  return launch(kernel, {grid, block, 0, options.overlap}, stream, arguments...);
}

/// launch_elements() of a kernel(const T* x, T* y, std::int64_t n, extra...) that needs x and y
/// aligned to `alignment` bytes.
template <class T, class... Params, class... Extra>
cudaError_t launch_unary(void (*kernel)(Params...), const T* x, T* y, std::int64_t n,
                         int per_thread, std::size_t alignment, cudaStream_t stream,
                         LaunchOptions options = {}, Extra... extra) {
  return launch_elements(kernel, n, per_thread, {{x, alignment}, {y, alignment}}, stream, options,
                         x, y, n, extra...);
}

}  // namespace tutorial
