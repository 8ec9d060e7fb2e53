// Operations on two tensors, for the tests of launch_broadcast().

#include "common/test/broadcast_kernels.h"

#include "common/broadcast.cuh"

namespace tutorial::test {

// With names outside, so that a test sees those of the kernels.
struct MixedUp {
  using Packs = ElementByElement;
  template <class T>
  __device__ T operator()(T a, T b) const {
    return static_cast<T>(7ull * static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
};
struct IsGreater {
  using Packs = ElementByElement;
  template <class T>
  __device__ unsigned char operator()(T a, T b) const {
    return a > b ? 1 : 0;
  }
};
struct Widened {
  using Packs = ElementByElement;
  __device__ std::int32_t operator()(std::int8_t a, std::int8_t b) const { return a * 1000 + b; }
};

struct SaysNothing {};
static_assert(kHasPacks<MixedUp> && !kHasPacks<SaysNothing>);

namespace {

BroadcastLimits limits_of(LimitsToTry wanted) {
  BroadcastLimits limits;
  if (wanted.most_elements > 0) limits.most_elements = wanted.most_elements;
  if (wanted.enough_threads > 0) limits.enough_threads = wanted.enough_threads;
  if (wanted.pieces > 0) limits.pieces = wanted.pieces;
  if (wanted.pieces_row > 0) limits.pieces_row = wanted.pieces_row;
  if (wanted.wide_row > 0) limits.wide_row = wanted.wide_row;
  return limits;
}

}  // namespace

#define TUTORIAL_DEFINE(name, Op, In, Out)                                              \
  cudaError_t name(const Broadcast& broadcast, const In* in0, const In* in1, Out* out,  \
                   LimitsToTry limits, cudaStream_t stream) {                           \
    return launch_broadcast(broadcast, in0, in1, out, Op{}, stream, limits_of(limits)); \
  }
TUTORIAL_DEFINE(mixed_up, MixedUp, std::int32_t, std::int32_t)
TUTORIAL_DEFINE(mixed_up, MixedUp, std::int16_t, std::int16_t)
TUTORIAL_DEFINE(mixed_up, MixedUp, std::int8_t, std::int8_t)
TUTORIAL_DEFINE(mixed_up, MixedUp, std::int64_t, std::int64_t)
TUTORIAL_DEFINE(greater, IsGreater, half, unsigned char)
TUTORIAL_DEFINE(greater, IsGreater, float, unsigned char)
TUTORIAL_DEFINE(greater, IsGreater, std::int64_t, unsigned char)
TUTORIAL_DEFINE(widened, Widened, std::int8_t, std::int32_t)
#undef TUTORIAL_DEFINE

}  // namespace tutorial::test
