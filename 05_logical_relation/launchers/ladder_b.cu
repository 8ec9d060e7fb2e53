// The launchers of ladder B: how many threads, how many elements each, which alignment.
#include "05_logical_relation/ladder_b_relation.cuh"

#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"

namespace tutorial {
namespace {

/// Votes of a warp in relation_ballot_wide: 64 bytes of loads a thread.
template <class T>
inline constexpr int kVotes = 32 / sizeof(T);

template <class T>
cudaError_t best_pack(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                      cudaStream_t stream, LaunchOptions options) {
  constexpr int kWidth = 16 / sizeof(T);
  return with_relation(op, a, b, [&](auto f, const T* left, const T* right) {
    using Answers = BestAnswers<T, decltype(f)>;
    return launch_answers(relation_pack_kernel<T, Answers>, left, right, y, n, kWidth, 16, kWidth,
                          Answers{f}, stream, options);
  });
}

}  // namespace

template <class T>
cudaError_t relation_naive(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                           cudaStream_t stream) {
  return with_relation(op, a, b, [&](auto f, const T* left, const T* right) {
    return launch_answers(relation_kernel<T, decltype(f)>, left, right, y, n, 1, alignof(T), 1, f,
                          stream);
  });
}

cudaError_t relation_half8(RelationOp op, const half* a, const half* b, Byte* y, std::int64_t n,
                           cudaStream_t stream) {
  return with_relation(op, a, b, [&](auto f, const half* left, const half* right) {
    return launch_answers(relation_half8_kernel<decltype(f)>, left, right, y, n, 8, alignof(half),
                          1, f, stream);
  });
}

template <class T>
cudaError_t relation_pack(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                          cudaStream_t stream) {
  constexpr int kWidth = 16 / sizeof(T);
  return with_relation(op, a, b, [&](auto f, const T* left, const T* right) {
    using Answers = OneByOne<decltype(f)>;
    return launch_answers(relation_pack_kernel<T, Answers>, left, right, y, n, kWidth, 16, kWidth,
                          Answers{f}, stream);
  });
}

template <class T>
cudaError_t relation_pack_h2(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                             cudaStream_t stream) {
  return best_pack(op, a, b, y, n, stream, {});
}

template <class T>
cudaError_t relation_pdl(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                         cudaStream_t stream) {
  return best_pack(op, a, b, y, n, stream, kBestLaunch);
}

template <class T>
cudaError_t relation_ballot(RelationOp op, const T* a, const T* b, std::uint32_t* words,
                            std::int64_t n, cudaStream_t stream) {
  return with_relation(op, a, b, [&](auto f, const T* left, const T* right) {
    return launch_answers(relation_ballot_kernel<T, decltype(f)>, left, right, words, n, 1,
                          alignof(T), alignof(std::uint32_t), f, stream);
  });
}

template <class T>
cudaError_t relation_ballot_wide(RelationOp op, const T* a, const T* b, std::uint32_t* words,
                                 std::int64_t n, cudaStream_t stream) {
  return with_relation(op, a, b, [&](auto f, const T* left, const T* right) {
    return launch_answers(relation_ballot_wide_kernel<T, kVotes<T>, decltype(f)>, left, right,
                          words, n, kVotes<T>, alignof(T), alignof(std::uint32_t), f, stream,
                          kBestLaunch);
  });
}

template <class T>
cudaError_t relation_bits(RelationOp op, const T* a, const T* b, std::uint32_t* words,
                          std::int64_t n, cudaStream_t stream) {
  return with_relation(op, a, b, [&](auto f, const T* left, const T* right) {
    using Answers = TwoByTwo<decltype(f)>;
    return launch_answers(relation_bits_kernel<T, Answers>, left, right, words, n, 8, 16,
                          alignof(std::uint32_t), Answers{f}, stream, kBestLaunch);
  });
}

#define TUTORIAL_INSTANTIATE_BYTES(function, T) \
  template cudaError_t function(RelationOp, const T*, const T*, Byte*, std::int64_t, cudaStream_t);
#define TUTORIAL_INSTANTIATE_BITS(function, T)                                                \
  template cudaError_t function(RelationOp, const T*, const T*, std::uint32_t*, std::int64_t, \
                                cudaStream_t);
#define TUTORIAL_INSTANTIATE(T)                 \
  TUTORIAL_INSTANTIATE_BYTES(relation_naive, T) \
  TUTORIAL_INSTANTIATE_BYTES(relation_pack, T)  \
  TUTORIAL_INSTANTIATE_BYTES(relation_pdl, T)   \
  TUTORIAL_INSTANTIATE_BITS(relation_ballot, T) \
  TUTORIAL_INSTANTIATE_BITS(relation_ballot_wide, T)
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE_BYTES(relation_pdl, std::int8_t)
TUTORIAL_INSTANTIATE_BYTES(relation_pdl, std::int32_t)
TUTORIAL_INSTANTIATE_BYTES(relation_pdl, std::int64_t)
TUTORIAL_INSTANTIATE_BYTES(relation_pack_h2, half)
TUTORIAL_INSTANTIATE_BYTES(relation_pack_h2, __nv_bfloat16)
TUTORIAL_INSTANTIATE_BITS(relation_bits, half)
TUTORIAL_INSTANTIATE_BITS(relation_bits, __nv_bfloat16)
#undef TUTORIAL_INSTANTIATE
#undef TUTORIAL_INSTANTIATE_BITS
#undef TUTORIAL_INSTANTIATE_BYTES

}  // namespace tutorial
