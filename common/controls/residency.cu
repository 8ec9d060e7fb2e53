// Latency times residency: copies, loads alone and stores alone by threads of 2 to 32 bytes, of which a
// multiprocessor holds 256 to 2,048. And the same bytes in more and more requests.

#include "common/controls/residency.cuh"

#include "common/controls/controls.h"
#include "common/launch.cuh"
#include "common/macros.cuh"

#include <type_traits>

namespace tutorial::controls {

namespace {

constexpr int kBlock = 256;

/// What a thread moves by one access of so many bytes.
template <int kBytes>
using Access = std::conditional_t<
    kBytes == 1, unsigned char,
    std::conditional_t<
        kBytes == 2, unsigned short,
        std::conditional_t<kBytes == 4, unsigned, std::conditional_t<kBytes == 8, uint2, uint4>>>>;

/// kAccesses accesses a thread, a block's width apart, all loaded before the first is stored.
template <class T, int kAccesses>
__global__ void control_flight_kernel(const T* x, T* y, std::int64_t n) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * kAccesses + threadIdx.x;
  const std::int64_t apart = blockDim.x;
  if (first + (kAccesses - 1) * apart >= n) return;
  T v[kAccesses];
#pragma unroll
  for (int k = 0; k < kAccesses; ++k) v[k] = x[first + k * apart];
#pragma unroll
  for (int k = 0; k < kAccesses; ++k) y[first + k * apart] = v[k];
}

/// The same 16 bytes that a thread of a copy has, loaded in pieces, so that a warp's requests find what
/// the first one brought.
template <class T>
__global__ void control_own_kernel(const T* x, uint4* y, std::int64_t n) {
  constexpr int kPieces = 16 / sizeof(T);
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  alignas(16) T v[kPieces];
#pragma unroll
  for (int k = 0; k < kPieces; ++k) v[k] = x[i * kPieces + k];
  y[i] = *reinterpret_cast<const uint4*>(v);
}

__device__ __forceinline__ unsigned bits_of(unsigned v) { return v; }
__device__ __forceinline__ unsigned bits_of(uint4 v) { return v.x & v.y & v.z & v.w; }

/// Loads alone: no input has these bits, so nothing is stored.
template <class T>
__global__ void control_load_kernel(const T* x, unsigned* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && bits_of(x[i]) == 0x7fedcba9u) *y = 0;
}

__device__ __forceinline__ void write(unsigned* y, std::int64_t i) {
  y[i] = static_cast<unsigned>(i) % 64;
}
__device__ __forceinline__ void write(uint4* y, std::int64_t i) {
  const unsigned first = static_cast<unsigned>(i) % 16 * 4;
  y[i] = {first, first + 1, first + 2, first + 3};
}

/// Stores alone: word i becomes i % 64.
template <class T>
__global__ void control_store_kernel(T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) write(y, i);
}

template <class To, class From>
To* as(From* pointer) {
  return reinterpret_cast<To*>(pointer);
}

std::string at(int resident, int threads) {
  return "_r" + std::to_string(resident) +
         (threads == kBlock ? "" : "_b" + std::to_string(threads));
}

template <int kBytes, int kAccesses = 1>
OneInput<float> flight(int resident, int threads = kBlock) {
  return {"flight_" + std::to_string(kBytes * kAccesses) + at(resident, threads),
          [=](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
            using T = Access<kBytes>;
            const auto kernel = control_flight_kernel<T, kAccesses>;
            const std::int64_t accesses = n * 4 / kBytes;
            return launch(kernel, shape_at(kernel, accesses / kAccesses, threads, resident), stream,
                          as<const T>(x), as<T>(y), accesses);
          }};
}

/// In as many requests as it takes: all thread slots, no shared memory.
template <int kBytes>
OneInput<float> lanes() {
  return {"lanes_" + std::to_string(kBytes),
          [](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
            using T = Access<kBytes>;
            const std::int64_t accesses = n * 4 / kBytes;
            return launch(control_flight_kernel<T, 16 / kBytes>,
                          {grid_1d(n, kBlock * 4), dim3(kBlock)}, stream, as<const T>(x), as<T>(y),
                          accesses);
          }};
}
template <int kBytes>
OneInput<float> own() {
  return {"own_" + std::to_string(kBytes),
          [](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
            using T = Access<kBytes>;
            return launch(control_own_kernel<T>, {grid_1d(n, kBlock * 4), dim3(kBlock)}, stream,
                          as<const T>(x), as<uint4>(y), n / 4);
          }};
}

template <int kBytes>
TwoInputs<float, unsigned> load(int resident, int threads) {
  return {"load_" + std::to_string(kBytes) + at(resident, threads),
          [=](const float* x, const float*, unsigned* y, std::int64_t n, cudaStream_t stream) {
            using T = Access<kBytes>;
            const auto kernel = control_load_kernel<T>;
            const std::int64_t accesses = n * 4 / kBytes;
            return launch(kernel, shape_at(kernel, accesses, threads, resident), stream,
                          as<const T>(x), y, accesses);
          }};
}
template <int kBytes>
TwoInputs<float, unsigned> store(int resident, int threads) {
  return {"store_" + std::to_string(kBytes) + at(resident, threads),
          [=](const float*, const float*, unsigned* y, std::int64_t n, cudaStream_t stream) {
            using T = Access<kBytes>;
            const auto kernel = control_store_kernel<T>;
            const std::int64_t accesses = n * 4 / kBytes;
            return launch(kernel, shape_at(kernel, accesses, threads, resident), stream, as<T>(y),
                          accesses);
          }};
}

}  // namespace

std::vector<OneInput<float>> flights() {
  std::vector<OneInput<float>> rows;
  for (const int resident : {512, 1024, 1536, 2048}) {
    rows.push_back(flight<2>(resident));
    rows.push_back(flight<4>(resident));
    rows.push_back(flight<8>(resident));
    rows.push_back(flight<16>(resident));
    rows.push_back(flight<16, 2>(resident));
  }
  for (const int resident : {256, 768, 1280}) {
    rows.push_back(flight<4>(resident));
    rows.push_back(flight<16>(resident));
    rows.push_back(flight<16, 2>(resident));
  }
  for (const int threads : {128, 512, 1024}) {  // the size of a block
    for (const int resident : {1024, 2048}) {
      if (threads == 128 && resident == 1024) continue;  // twelve blocks fit, not eight
      rows.push_back(flight<4>(resident, threads));
      rows.push_back(flight<16>(resident, threads));
    }
  }
  return rows;
}

std::vector<OneInput<float>> requests() {
  return {lanes<1>(), lanes<2>(), lanes<4>(), lanes<16>(), own<1>(), own<2>()};
}

std::vector<TwoInputs<float, unsigned>> loads_alone() {
  std::vector<TwoInputs<float, unsigned>> rows;
  for (const int resident : {512, 1024, 1536, 2048}) {
    rows.push_back(load<4>(resident, 512));
    rows.push_back(load<16>(resident, kBlock));
  }
  return rows;
}
std::vector<TwoInputs<float, unsigned>> stores_alone() {
  std::vector<TwoInputs<float, unsigned>> rows;
  for (const int resident : {512, 1024, 1536, 2048}) {
    rows.push_back(store<4>(resident, 512));
    rows.push_back(store<16>(resident, kBlock));
  }
  return rows;
}

}  // namespace tutorial::controls
