// Device functions that the CPU executor has to define: warp operations, barriers, shared memory,
// atomics, intrinsics. The same tests run on a GPU, which is what they have to agree with.

#include "common/launch.cuh"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/test/device_functions_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

namespace tutorial::test {
namespace {

constexpr unsigned kAll = 0xffffffffU;
constexpr unsigned kMasks[] = {kAll, 0x0000ffffU, 0xf0f0f0f0U, 0x80000001U, 0x00000010U};

bool in_mask(unsigned mask, int lane) { return (mask >> lane & 1U) != 0; }

/// Runs `launch(in, out)` and returns what it wrote; what it left alone stays 0xFF.
template <class Out, class In, class Launch>
std::vector<Out> run(const std::vector<In>& in, std::size_t results, Launch launch) {
  const GuardedBuffer<In> input(in);
  const GuardedBuffer<Out> output(results);
  REQUIRE(launch(input.data(), output.data()) == cudaSuccess);
  std::vector<Out> out = output.download();
  REQUIRE(input.intact());
  REQUIRE(output.intact());
  return out;
}

/// The lane that CUDA's specification lets `lane` read from.
int source_of(Shuffle kind, int lane, int argument, int width) {
  const int first = lane - lane % width;
  const int last = first + width - 1;
  const int low_bits = argument % 32;
  switch (kind) {
    case Shuffle::up:
      return lane - low_bits < first ? lane : lane - low_bits;
    case Shuffle::down:
      return lane + low_bits > last ? lane : lane + low_bits;
    case Shuffle::exclusive_or:
      return (lane ^ low_bits) > last ? lane : (lane ^ low_bits);
    case Shuffle::index:
      break;
  }
  return first + argument % width;
}

bool every_source_is_in(unsigned mask, Shuffle kind, int argument, int width) {
  for (int lane = 0; lane < 32; ++lane) {
    if (in_mask(mask, lane) && !in_mask(mask, source_of(kind, lane, argument, width))) return false;
  }
  return true;
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

/// The bits of 32 values of T that differ from each other.
template <class T>
std::vector<BitsOf<T>> lane_values() {
  std::vector<BitsOf<T>> values;
  for (std::uint64_t i = 0; i < 32; ++i) {
    values.push_back(static_cast<BitsOf<T>>(0x3c01'3c21'3c41'3c61U + i * 0x0003'0005'0007'000bU));
  }
  return values;
}

template <class T>
void check_shuffle(Shuffle kind, unsigned mask, int argument, int width) {
  const auto in = lane_values<T>();
  const auto out = run<BitsOf<T>>(in, 32, [&](const void* input, void* output) {
    return run_shuffle<T>(kind, mask, argument, width, input, output);
  });
  for (int lane = 0; lane < 32; ++lane) {
    if (!in_mask(mask, lane)) continue;
    const int source = source_of(kind, lane, argument, width);
    CAPTURE(static_cast<int>(kind), mask, argument, width, lane, source);
    REQUIRE(out[static_cast<std::size_t>(lane)] == in[static_cast<std::size_t>(source)]);
  }
}

}  // namespace

TEST_CASE("shuffles read the lane that CUDA names, for every width, distance and mask",
          "[exchange]") {
  require_device();
  const Shuffle kind = GENERATE(Shuffle::index, Shuffle::up, Shuffle::down, Shuffle::exclusive_or);
  for (const unsigned mask : kMasks) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      for (const int argument : {0, 1, 2, 3, 5, 8, 15, 16, 31, 32, 33}) {
        if (every_source_is_in(mask, kind, argument, width)) {
          check_shuffle<int>(kind, mask, argument, width);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("shuffles move every type unchanged", "[exchange]", int, unsigned, long long,
                   unsigned long long, float, double, half, half2, __nv_bfloat16, __nv_bfloat162) {
  require_device();
  check_shuffle<TestType>(Shuffle::index, kAll, 7, 32);
  check_shuffle<TestType>(Shuffle::up, kAll, 3, 16);
  check_shuffle<TestType>(Shuffle::down, kAll, 3, 8);
  check_shuffle<TestType>(Shuffle::exclusive_or, kAll, 16, 32);
}

TEST_CASE("votes see the lanes of the mask and no others", "[exchange]") {
  require_device();
  const unsigned mask = GENERATE(from_range(std::begin(kMasks), std::end(kMasks)));
  const int pattern = GENERATE(0, 1, 2, 3);
  std::vector<int> in(32);
  for (int lane = 0; lane < 32; ++lane) {
    const int patterns[] = {0, 7, lane % 2, lane / 3};
    in[static_cast<std::size_t>(lane)] = patterns[pattern];
  }
  const auto out = run<Votes>(
      in, 32, [&](const int* input, Votes* output) { return run_votes(mask, input, output); });
  unsigned ballot = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (in_mask(mask, lane) && in[static_cast<std::size_t>(lane)] != 0) ballot |= 1U << lane;
  }
  for (int lane = 0; lane < 32; ++lane) {
    if (!in_mask(mask, lane)) continue;
    const Votes& votes = out[static_cast<std::size_t>(lane)];
    CAPTURE(mask, pattern, lane);
    REQUIRE(votes.ballot == ballot);
    REQUIRE((votes.any != 0) == (ballot != 0));
    REQUIRE((votes.all != 0) == (ballot == mask));
  }
}

TEMPLATE_TEST_CASE("the largest of a warp's values, wherever it is", "[exchange]", int, unsigned) {
  require_device();
  const int place = GENERATE(range(0, 32)), value = GENERATE(-3, 5);
  std::vector<TestType> in(32, static_cast<TestType>(-7));  // as unsigned above 5
  in[static_cast<std::size_t>(place)] = static_cast<TestType>(value);
  const auto out = run<TestType>(
      in, 64, [](const TestType* input, TestType* output) { return run_warp_max(input, output); });
  REQUIRE(out == std::vector<TestType>(64, *std::max_element(in.begin(), in.end())));
}

TEST_CASE("shared memory, static and dynamic, is one for the whole block", "[exchange]") {
  require_device();
  const int threads = GENERATE(1, 32, 33, 256);
  std::vector<int> in(static_cast<std::size_t>(threads));
  std::iota(in.begin(), in.end(), 100);
  const std::vector<int> reversed(in.rbegin(), in.rend());
  REQUIRE(run<int>(in, in.size(), [&](const int* input, int* output) {
            return run_static_reverse(threads, input, output);
          }) == reversed);
  REQUIRE(run<int>(in, in.size(), [&](const int* input, int* output) {
            return run_dynamic_reverse(threads, input, output);
          }) == reversed);
}

TEST_CASE("a tree sum takes a barrier at every level", "[exchange]") {
  require_device();
  const int threads = GENERATE(1, 2, 64, 1024);
  std::vector<float> in(static_cast<std::size_t>(threads));
  std::iota(in.begin(), in.end(), 1.0F);
  const auto out = run<float>(in, 1, [&](const float* input, float* output) {
    return run_block_sum(threads, input, output);
  });
  REQUIRE(out[0] == static_cast<float>(threads) * static_cast<float>(threads + 1) / 2);
}

TEST_CASE("a barrier counts the votes of the block", "[exchange]") {
  require_device();
  const int threads = GENERATE(1, 31, 100, 1024);
  const int zeros = GENERATE(0, 1, 5000);
  std::vector<int> in(static_cast<std::size_t>(threads), 3);
  for (std::size_t i = 0; i < in.size() && static_cast<int>(i) < zeros; ++i) in[i] = 0;
  const int count = std::max(0, threads - zeros);
  const auto out = run<int3>(in, in.size(), [&](const int* input, int3* output) {
    return run_block_votes(threads, input, output);
  });
  for (const int3& votes : out) {
    CAPTURE(threads, zeros);
    REQUIRE(votes.x == count);
    REQUIRE((votes.y != 0) == (count == threads));
    REQUIRE((votes.z != 0) == (count > 0));
  }
}

TEST_CASE("every thread of a three-dimensional launch has its own position") {
  require_device();
  const dim3 grid(3, 5, 7);
  const dim3 block(8, 4, 2);
  const std::size_t threads = std::size_t{3} * 5 * 7 * 8 * 4 * 2;
  const std::vector<unsigned> zeros(threads, 0U);
  const GuardedBuffer<unsigned> counts(zeros);
  REQUIRE(run_positions(grid, block, counts.data()) == cudaSuccess);
  REQUIRE(counts.download() == std::vector<unsigned>(threads, 1U));
  REQUIRE(counts.intact());
}

TEST_CASE("atomics across blocks lose no update", "[exchange]") {
  require_device();
  const int blocks = 200;
  const int threads = blocks * 128;
  Counters start{};
  start.all_bits = kAll;
  const GuardedBuffer<Counters> counters(std::vector<Counters>{start});
  REQUIRE(run_atomics(blocks, counters.data()) == cudaSuccess);
  const Counters out = counters.download()[0];
  const std::int64_t sum = std::int64_t{threads} * (threads - 1) / 2;
  unsigned odd_bits = 0;
  for (int t = 0; t < threads; ++t) odd_bits ^= static_cast<unsigned>(t);
  REQUIRE(out.add == static_cast<int>(sum));
  REQUIRE(out.subtract == -threads);
  REQUIRE(out.min == -1000);
  REQUIRE(out.max == threads - 1001);
  REQUIRE(out.all_bits == 0xffff0000U);
  REQUIRE(out.any_bits == 0x7fffU);
  REQUIRE(out.odd_bits == odd_bits);
  REQUIRE(out.wrapped_up == static_cast<unsigned>(threads % 10));
  REQUIRE(out.wrapped_down == static_cast<unsigned>((10 - threads % 10) % 10));
  REQUIRE(out.wide_add == static_cast<std::uint64_t>(sum) << 20);
  REQUIRE(out.float_add == static_cast<float>(threads));
  REQUIRE(out.double_add == static_cast<double>(threads));
  REQUIRE(out.half_add == 0x50005400U);  // 32 and 64
  REQUIRE(out.compare_and_swap == threads);
  REQUIRE(out.taken_out + out.exchanged == static_cast<std::uint64_t>(sum + threads));
}

TEST_CASE("a launch in a shape that no device accepts is refused with its own error") {
  require_device();
  const auto refused = cudaErrorInvalidConfiguration;
  REQUIRE(run_shape(1, 1, 0) == cudaSuccess);
  REQUIRE(run_shape(1, 1024, 0) == cudaSuccess);
  REQUIRE(run_shape(dim3(1, 65535, 1), 1, 0) == cudaSuccess);
  REQUIRE(run_shape(0, 32, 0) == refused);
  REQUIRE(run_shape(dim3(1, 0, 1), 32, 0) == refused);
  REQUIRE(run_shape(1, 0, 0) == refused);
  REQUIRE(run_shape(1, dim3(32, 1, 0), 0) == refused);
  REQUIRE(run_shape(1, 1025, 0) == refused);
  REQUIRE(run_shape(1, dim3(32, 33, 1), 0) == refused);
  REQUIRE(run_shape(1, dim3(1, 1, 65), 0) == refused);
  REQUIRE(run_shape(dim3(1, 65536, 1), 32, 0) == refused);
  REQUIRE(run_shape(dim3(1, 1, 65536), 32, 0) == refused);
  REQUIRE(run_shape(grid_1d(std::int64_t{1} << 40, 128), 32, 0) == refused);
  REQUIRE(run_shape(grid_1d((std::int64_t{1} << 32) + 1, 1), 32, 0) == refused);  // not 1 block
  REQUIRE(run_shape(1, 32, 48 * 1024) == cudaSuccess);
  REQUIRE(run_shape(1, 32, 48 * 1024 + 1) == cudaErrorInvalidValue);
  REQUIRE(run_shape(1, 32, 0) == cudaSuccess);  // no refusal sticks
  cudaGetLastError();
}

TEST_CASE("bit and number intrinsics") {
  require_device();
  const auto bits_of = [](float x) {
    unsigned bits = 0;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  };
  const unsigned a = 0x80f17e05U;
  const unsigned b = 0x7f80ff13U;
  const unsigned c = 0x00005a23U;  // selector, and a shift of 3 modulo 32
  const float x = 2.5F;
  const auto run_on = [](std::vector<unsigned> in) {
    return run<unsigned>(in, kIntrinsicResults, [](const unsigned* input, unsigned* output) {
      return run_intrinsics(input, output);
    });
  };
  const auto out = run_on({a, b, c, bits_of(x)});
  const std::vector<unsigned> expected = {
      14U,               // bits set
      0U,                // leading zeros
      1U,                // first bit set
      0xfff1f180U,       // bytes 5, 2 (from 0xa: three bits count), 2, 3
      a >> 3 | b << 29,  // funnel shift right
      static_cast<unsigned>(std::uint64_t{a} * b >> 32),
      static_cast<unsigned>(std::int64_t{static_cast<int>(a)} * static_cast<int>(b) >> 32),
      2U,
      2U,
      3U,
      2U,
      2U,
      0U,
      bits_of(8.75F),
      bits_of(0.4F),
      bits_of(1.0F),
      b,
      b};
  REQUIRE(out == expected);

  const auto beyond = run_on({0U, 0U, 0U, bits_of(-3e9F)});
  REQUIRE(beyond[1] == 32U);
  REQUIRE(beyond[2] == 0U);
  REQUIRE(beyond[7] == 0x80000000U);  // saturates
  REQUIRE(beyond[11] == 0U);
  REQUIRE(beyond[12] == 0xffffffffU);
  REQUIRE(beyond[15] == 0U);
}

}  // namespace tutorial::test
