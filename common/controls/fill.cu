// The fill curve: a copy that issues more and more instructions for every element, until they and no
// longer the bytes say how long it takes. Blocks of 256 threads and 16 bytes a thread, as the copy that
// all rungs are measured against.

#include "common/controls/residency.cuh"
#include "common/controls/row.cuh"
#include "common/elementwise.cuh"

#include <limits>
#include <utility>

namespace tutorial::controls {

namespace {

constexpr int kBlock = 256;

/// Operands that leave every value as it is. They come as a parameter, for the assembler would leave
/// out an instruction that it knows to change nothing.
struct Neutral {
  float factor, summand, bound, never;
};
constexpr Neutral kNeutral{1.0f, -0.0f, std::numeric_limits<float>::infinity(), -1.0f};

__device__ __forceinline__ float one_fma(float v, Neutral neutral) {
  asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(neutral.factor), "f"(neutral.summand));
  return v;
}
__device__ __forceinline__ float one_min(float v, Neutral neutral) {
  asm volatile("min.NaN.f32 %0, %0, %1;" : "+f"(v) : "f"(neutral.bound));
  return v;
}

// What a value goes through, `count` instructions of it. A unit that all lanes of a warp pass in one
// cycle (fma), one that takes two cycles for them (min), both in turn, and one that takes eight (xu).
struct Fma {
  static constexpr const char* name = "fma";
  template <int kCount, int kValues>
  __device__ static void pass(float (&v)[kValues], Neutral neutral) {
#pragma unroll
    for (int k = 0; k < kCount * kValues; ++k) v[k % kValues] = one_fma(v[k % kValues], neutral);
  }
};
/// As many in all, each of which needs the result of the one before.
struct Chain {
  static constexpr const char* name = "chain";
  template <int kCount, int kValues>
  __device__ static void pass(float (&v)[kValues], Neutral neutral) {
#pragma unroll
    for (int k = 0; k < kCount * kValues; ++k) v[0] = one_fma(v[0], neutral);
  }
};
struct Alu {
  static constexpr const char* name = "min";
  template <int kCount, int kValues>
  __device__ static void pass(float (&v)[kValues], Neutral neutral) {
#pragma unroll
    for (int k = 0; k < kCount * kValues; ++k) v[k % kValues] = one_min(v[k % kValues], neutral);
  }
};
struct Both {
  static constexpr const char* name = "both";
  template <int kCount, int kValues>
  __device__ static void pass(float (&v)[kValues], Neutral neutral) {
#pragma unroll
    for (int k = 0; k < kCount * kValues; ++k) {
      float& one = v[k % kValues];
      one = k / kValues % 2 == 0 ? one_fma(one, neutral) : one_min(one, neutral);
    }
  }
};
/// 2^2^...^v has to be used, so it takes the place of v should it ever be -1.
struct Xu {
  static constexpr const char* name = "xu";
  template <int kCount, int kValues>
  __device__ static void pass(float (&v)[kValues], Neutral neutral) {
#pragma unroll
    for (int k = 0; k < kValues; ++k) {
      float power = v[k];
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(power));
      }
      if (power == neutral.never) v[k] = power;
    }
  }
};

template <class Unit, int kCount>
__global__ void control_fill_f32_kernel(const float* x, float* y, std::int64_t n, Neutral neutral) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  alignas(16) float v[4];
  LDST128BITS(v[0]) = LDST128BITS(x[i]);
  Unit::template pass<kCount>(v, neutral);
  LDST128BITS(y[i]) = LDST128BITS(v[0]);
}

/// The same with kHeld registers and more, for the sake of a loop that no launch enters.
template <class Unit, int kCount, int kHeld>
__global__ void control_fill_held_kernel(const float* x, float* y, std::int64_t n,
                                         Neutral neutral) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i < n) {
    alignas(16) float v[4];
    LDST128BITS(v[0]) = LDST128BITS(x[i]);
    Unit::template pass<kCount>(v, neutral);
    LDST128BITS(y[i]) = LDST128BITS(v[0]);
  } else if (n < 0) {
    hold<kHeld>(x, y);
  }
}

/// Halves, with float inside.
template <class Unit, int kCount>
__global__ void control_fill_f16_kernel(const half* x, half* y, std::int64_t n, Neutral neutral) {
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i >= n) return;
  alignas(16) half2 pack[4];
  LDST128BITS(pack[0]) = LDST128BITS(x[i]);
  float v[8];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float2 wide = to_float2(pack[k]);
    v[2 * k] = wide.x, v[2 * k + 1] = wide.y;
  }
  Unit::template pass<kCount>(v, neutral);
#pragma unroll
  for (int k = 0; k < 4; ++k) pack[k] = from_float2<half2>({v[2 * k], v[2 * k + 1]});
  LDST128BITS(y[i]) = LDST128BITS(pack[0]);
}

/// With shared memory that leaves room for so many threads on a multiprocessor; 0: without.
template <class T, class Unit, int kCount>
OneInput<T> filled(int resident) {
  constexpr int kEach = 16 / sizeof(T);
  const std::string name = std::string(Unit::name) + (sizeof(T) == 2 ? "_f16_" : "_") +
                           std::to_string(kCount) +
                           (resident > 0 ? "_r" + std::to_string(resident) : "");
  return {name, [=](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
            const auto with = [&](auto kernel) {
              const std::size_t shared = resident > 0 ? shared_for(kernel, kBlock, resident) : 0;
              return launch(kernel, {grid_1d(n, kBlock * kEach), dim3(kBlock), shared}, stream, x,
                            y, n, kNeutral);
            };
            if constexpr (sizeof(T) == 2) {
              return with(control_fill_f16_kernel<Unit, kCount>);
            } else {
              return with(control_fill_f32_kernel<Unit, kCount>);
            }
          }};
}
/// With registers that do: kHeld of them and some more make 32, 40 or 64.
template <int kCount, int kHeld>
OneInput<float> held(int threads = kBlock) {
  constexpr int kRegisters = kHeld < 28 ? 32 : kHeld < 52 ? 40 : 64;
  return row("fma_" + std::to_string(kCount) + "_registers" + std::to_string(kRegisters) +
                 (threads == kBlock ? "" : "_b" + std::to_string(threads)),
             control_fill_held_kernel<Fma, kCount, kHeld>, 4, {threads}, kNeutral);
}
template <int kHeld, int... kCounts>
void hold(std::vector<OneInput<float>>& rows, int threads, std::integer_sequence<int, kCounts...>) {
  (rows.push_back(held<kCounts, kHeld>(threads)), ...);
}
template <class T, class Unit, int... kCounts>
void fill(std::vector<OneInput<T>>& rows, std::integer_sequence<int, kCounts...>,
          int resident = 0) {
  (rows.push_back(filled<T, Unit, kCounts>(resident)), ...);
}
template <int... kCounts>
using Counts = std::integer_sequence<int, kCounts...>;

}  // namespace

std::vector<OneInput<float>> float_fills() {
  std::vector<OneInput<float>> rows;
  fill<float, Fma>(rows, Counts<0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88>{});
  fill<float, Alu>(rows, Counts<8, 16, 24, 28, 32, 40>{});
  fill<float, Both>(rows, Counts<12, 24, 36, 44, 50, 56, 68>{});
  fill<float, Xu>(rows, Counts<2, 4, 5, 6, 7, 8, 9>{});
  return rows;
}
std::vector<OneInput<float>> float_fills_by_residency() {
  std::vector<OneInput<float>> rows;
  for (const int resident : {1536, 1024, 512}) {
    fill<float, Fma>(rows, Counts<0, 16, 24, 32, 40, 48, 56, 64, 80>{}, resident);
    fill<float, Chain>(rows, Counts<8, 24, 48>{}, resident);
  }
  fill<float, Chain>(rows, Counts<8, 16, 24, 32, 48, 64>{});
  hold<28>(rows, kBlock, Counts<24, 40, 56>{});
  hold<52>(rows, kBlock, Counts<24, 40, 56>{});
  hold<4>(rows, 128, Counts<0, 24, 40, 48, 56, 64>{});
  hold<28>(rows, 128, Counts<0, 24, 40, 48, 56, 64>{});
  hold<52>(rows, 128, Counts<0, 24, 40, 56>{});
  return rows;
}
std::vector<OneInput<half>> half_fills_by_residency() {
  std::vector<OneInput<half>> rows;
  for (const int resident : {1536, 1024}) {
    fill<half, Fma>(rows, Counts<0, 9, 15, 21, 27, 34>{}, resident);
    fill<half, Alu>(rows, Counts<9, 12, 16>{}, resident);
  }
  return rows;
}
std::vector<OneInput<half>> half_fills() {
  std::vector<OneInput<half>> rows;
  fill<half, Fma>(rows, Counts<0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 31, 34, 38, 42>{});
  fill<half, Alu>(rows, Counts<3, 6, 9, 12, 14, 16, 19>{});
  fill<half, Both>(rows, Counts<6, 10, 14, 17, 20, 23, 26, 32>{});
  fill<half, Xu>(rows, Counts<1, 2, 3, 4, 5>{});
  return rows;
}

}  // namespace tutorial::controls
