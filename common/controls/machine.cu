// What the machine takes for a block, for a load, and for an instruction of each kind.

#include "common/controls/controls.h"
#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial::controls {

namespace {

__global__ void control_empty_kernel() {}

// ---- Latency ----------------------------------------------------------------------------------

template <bool kThroughL1>
__device__ unsigned follow(const unsigned* next, unsigned from, int hops) {
  for (int k = 0; k < hops; ++k) from = kThroughL1 ? __ldca(next + from) : __ldcg(next + from);
  return from;
}

template <bool kThroughL1>
__global__ void control_chase_kernel(const unsigned* next, unsigned* place, long long* cycles,
                                     int hops, const float* from, float* to, std::int64_t n) {
  if (blockIdx.x > 0) {
    const std::int64_t i = (std::int64_t{blockIdx.x - 1} * blockDim.x + threadIdx.x) * 4;
    if (i < n) FLOAT4(to[i]) = FLOAT4(from[i]);
  } else if (threadIdx.x == 0) {
    const unsigned begin = follow<kThroughL1>(next, *place, 16);
    const long long start = clock64();
    const unsigned end = follow<kThroughL1>(next, begin, hops);
    // The last hop's value is asked for before the clock is.
    cycles[0] = end == 0xffffffffu ? 0 : clock64() - start;
    *place = end;
  }
}

__global__ void control_occupy_kernel(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

// ---- Instructions a cycle ---------------------------------------------------------------------

/// Values that the compiler does not know, and that most instructions leave as they are.
struct StepOperands {
  unsigned zero, one, all;
};

// An instruction: its PTX, whose %0 is read and written. %4 is another chain's value.
#define TUTORIAL_INSTRUCTION(Name, row, text)                                     \
  struct Name {                                                                   \
    static constexpr const char* name = row;                                      \
    __device__ static unsigned step(unsigned v, unsigned w, StepOperands p) {     \
      asm volatile(text : "+r"(v) : "r"(p.zero), "r"(p.one), "r"(p.all), "r"(w)); \
      return v;                                                                   \
    }                                                                             \
  }
TUTORIAL_INSTRUCTION(Fma, "fma_f32", "fma.rn.f32 %0, %0, %2, %1;");
TUTORIAL_INSTRUCTION(Add, "add_f32", "add.rn.f32 %0, %0, %1;");
TUTORIAL_INSTRUCTION(Min, "min_f32", "min.f32 %0, %0, %3;");
TUTORIAL_INSTRUCTION(Select, "compare_and_select_f32",
                     "{.reg .pred p; setp.lt.f32 p, %0, %2; selp.b32 %0, %0, %3, p;}");
TUTORIAL_INSTRUCTION(IntegerMultiplyAdd, "multiply_add_u32", "mad.lo.u32 %0, %0, %2, %1;");
// An addition alone would be joined with the next ones to a multiplication by their number.
TUTORIAL_INSTRUCTION(AddAndLogic, "add_and_logic_u32",
                     "{add.u32 %0, %0, %2; lop3.b32 %0, %0, %1, %3, 0xe2;}");
// With another chain's value they cannot be joined.
TUTORIAL_INSTRUCTION(IntegerAdd, "add_u32", "add.u32 %0, %0, %4;");
TUTORIAL_INSTRUCTION(CompareAndAdd, "compare_and_add_u32",
                     "{.reg .pred p; setp.lt.u32 p, %0, %4; @p add.u32 %0, %0, %2;}");
TUTORIAL_INSTRUCTION(CompareAndLogic, "compare_and_logic_u32",
                     "{.reg .pred p; setp.lt.u32 p, %0, %4; @p lop3.b32 %0, %0, %1, %3, 0xe2;}");
TUTORIAL_INSTRUCTION(IntegerMin, "min_s32", "min.s32 %0, %0, %3;");
TUTORIAL_INSTRUCTION(Logic, "logic_b32", "lop3.b32 %0, %0, %1, %3, 0xe2;");
TUTORIAL_INSTRUCTION(ShiftRight, "shift_b32", "shf.r.wrap.b32 %0, %0, %3, %2;");
TUTORIAL_INSTRUCTION(Permute, "permute_b32", "prmt.b32 %0, %0, %1, %3;");
TUTORIAL_INSTRUCTION(PopulationCount, "population_count", "popc.b32 %0, %0;");
TUTORIAL_INSTRUCTION(Shuffle, "shuffle_b32", "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;");
TUTORIAL_INSTRUCTION(
    Vote, "compare_and_vote",
    "{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}");
TUTORIAL_INSTRUCTION(Exp2, "exp2_f32", "ex2.approx.ftz.f32 %0, %0;");
TUTORIAL_INSTRUCTION(Tanh, "tanh_f32", "tanh.approx.f32 %0, %0;");
TUTORIAL_INSTRUCTION(HalfPairFma, "fma_f16x2", "fma.rn.f16x2 %0, %0, %2, %1;");
TUTORIAL_INSTRUCTION(HalfPairMin, "min_f16x2", "min.f16x2 %0, %0, %3;");
TUTORIAL_INSTRUCTION(HalfPairTanh, "tanh_f16x2", "tanh.approx.f16x2 %0, %0;");
TUTORIAL_INSTRUCTION(ShortPairMin, "min_s16x2", "min.s16x2 %0, %0, %3;");
// A compare-and-exchange's two halves: no instruction takes a minimum and a maximum at once.
TUTORIAL_INSTRUCTION(ShortPairMinMax, "min_and_max_s16x2",
                     "{min.s16x2 %0, %0, %3; max.s16x2 %0, %0, %1;}");
TUTORIAL_INSTRUCTION(HalfToFloat, "f16_to_f32",
                     "{.reg .b16 l, h; mov.b32 {l, h}, %0; cvt.f32.f16 %0, l;}");
TUTORIAL_INSTRUCTION(FloatsToHalves, "f32_pair_to_f16x2", "cvt.rn.f16x2.f32 %0, %0, %2;");
TUTORIAL_INSTRUCTION(FloatsToBf16s, "f32_pair_to_bf16x2", "cvt.rn.bf16x2.f32 %0, %0, %2;");
TUTORIAL_INSTRUCTION(FloatsToFp8s, "two_f32_pairs_to_e4m3x2",
                     "{.reg .b16 l, h; cvt.rn.satfinite.e4m3x2.f32 l, %0, %2;"
                     "cvt.rn.satfinite.e4m3x2.f32 h, %2, %0; mov.b32 %0, {l, h};}");
TUTORIAL_INSTRUCTION(Fp8sToHalves, "e4m3x2_to_f16x2",
                     "{.reg .b16 l, h; mov.b32 {l, h}, %0; cvt.rn.f16x2.e4m3x2 %0, l;}");
TUTORIAL_INSTRUCTION(FloatToInteger, "f32_to_s32", "cvt.rni.s32.f32 %0, %0;");
TUTORIAL_INSTRUCTION(IntegerToFloat, "s32_to_f32", "cvt.rn.f32.s32 %0, %0;");
#undef TUTORIAL_INSTRUCTION

template <class Instruction>
__global__ void __launch_bounds__(kThroughputThreads)
    control_throughput_kernel(unsigned* sink, long long* cycles, StepOperands operands) {
  constexpr int kChains = 8;
  unsigned v[kChains];
#pragma unroll
  for (int k = 0; k < kChains; ++k) v[k] = threadIdx.x * 2654435761u + static_cast<unsigned>(k);
  __syncthreads();
  const long long start = clock64();
  for (int round = 0; round < kThroughputInstructions / kChains / 16; ++round) {
#pragma unroll
    for (int k = 0; k < 16 * kChains; ++k) {
      unsigned& mine = v[k % kChains];
      mine = Instruction::step(mine, v[(k + 1) % kChains], operands);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
  unsigned all = 0;
#pragma unroll
  for (int k = 0; k < kChains; ++k) all ^= v[k];
  if (all == 0x5eed5eed) *sink = all;
}

/// cycles[0]: what the instructions took; *sink keeps them.
__global__ void control_dependent_kernel(unsigned* sink, long long* cycles, StepOperands operands) {
  constexpr int kUnrolled = 512;
  unsigned v = threadIdx.x;
  const long long start = clock64();
  for (int round = 0; round < kDependentInstructions / kUnrolled; ++round) {
#pragma unroll
    for (int k = 0; k < kUnrolled; ++k) v = Fma::step(v, 0, operands);
  }
  cycles[0] = v == 0x5eed5eed ? 0 : clock64() - start;
  if (v == 0x5eed5eed) *sink = v;
}

template <class Instruction>
Throughput of() {
  return {Instruction::name,
          [](unsigned* sink, long long* cycles, int blocks, cudaStream_t stream) {
            const StepOperands operands{0u, 1u, 0xffffffffu};
            return launch(control_throughput_kernel<Instruction>,
                          {dim3(static_cast<unsigned>(blocks)), dim3(kThroughputThreads)}, stream,
                          sink, cycles, operands);
          }};
}

template <class... Instructions>
std::vector<Throughput> of_each() {
  return {of<Instructions>()...};
}

}  // namespace

cudaError_t empty(std::int64_t blocks, int threads, cudaStream_t stream, std::size_t shared) {
  if (shared > 0) {
    const cudaError_t error =
        cudaFuncSetAttribute(control_empty_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared));
    if (error != cudaSuccess) return error;
  }
  return launch(control_empty_kernel,
                {grid_1d(blocks, 1), dim3(static_cast<unsigned>(threads)), shared}, stream);
}

cudaError_t dependent(unsigned* sink, long long* cycles, cudaStream_t stream) {
  return launch(control_dependent_kernel, {dim3(1), dim3(1)}, stream, sink, cycles,
                StepOperands{0u, 1u, 0xffffffffu});
}

cudaError_t chase(const unsigned* next, unsigned* place, long long* cycles, int hops,
                  bool through_l1, const float* from, float* to, std::int64_t bytes,
                  cudaStream_t stream) {
  constexpr int kBlock = 256;
  const std::int64_t n = bytes / static_cast<std::int64_t>(sizeof(float));
  const dim3 grid = grid_1d(n + kBlock * 4, kBlock * 4);
  const auto kernel = through_l1 ? control_chase_kernel<true> : control_chase_kernel<false>;
  return launch(kernel, {grid, dim3(kBlock)}, stream, next, place, cycles, hops, from, to, n);
}

cudaError_t occupy(long long cycles, cudaStream_t stream) {
  const std::int64_t blocks = resident_threads() / 1024;
  return launch(control_occupy_kernel, {grid_1d(blocks, 1), dim3(1024)}, stream, cycles);
}

std::vector<Throughput> throughputs() {
  return of_each<Fma, Add, Min, Select, IntegerMultiplyAdd, AddAndLogic, IntegerAdd, CompareAndAdd,
                 CompareAndLogic, IntegerMin, Logic, ShiftRight, Permute, PopulationCount, Shuffle,
                 Vote, Exp2, Tanh, HalfPairFma, HalfPairMin, HalfPairTanh, ShortPairMin,
                 ShortPairMinMax, HalfToFloat, FloatsToHalves, FloatsToBf16s, FloatsToFp8s,
                 Fp8sToHalves, FloatToInteger, IntegerToFloat>();
}

}  // namespace tutorial::controls
