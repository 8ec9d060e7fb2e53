// The table of ladder B: which kernel a rung is, how many elements its threads take, which alignment it
// needs. The kernels are in ladder_b_relation.cuh, those with wide stores in side_kernels.cuh.
#include "05_logical_relation/ladders/ladder_b_relation.cuh"

#include "05_logical_relation/ladders/side_kernels.cuh"
#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"

namespace tutorial {

/// Votes of a warp: 64 bytes of loads a thread.
template <class T>
constexpr int kVotes = 32 / sizeof(T);

template <class T>
const std::vector<RelationRung<T>>& relation_rungs() {
  constexpr int kPack = 16 / sizeof(T);
  constexpr auto plain = [](auto f) { return f; };
  constexpr auto one_by_one = [](auto f) { return OneByOne<decltype(f)>{f}; };
  constexpr auto best = [](auto f) { return BestAnswers<T, decltype(f)>{f}; };
  constexpr auto in_packs = [](auto f) { return relation_pack_kernel<T, decltype(f)>; };
  static const std::vector<RelationRung<T>> rungs = [&] {
    std::vector<RelationRung<T>> rows;
    const std::string dtype = dtype_name<T>(), wide = dtype + "x16";
    const std::string pack = dtype + "x" + std::to_string(kPack);
    // name, elements a thread, alignments, how answers are computed, the kernel
    const auto add = [&](auto... row) { rows.push_back(rung<RelationOp, T>(row...)); };
    add(dtype, 1, sizeof(T), 1, plain, [](auto f) { return relation_kernel<T, decltype(f)>; });
    if constexpr (std::is_same_v<T, half>) {
      add("half8", 8, 2, 1, plain, [](auto f) { return relation_half8_kernel<decltype(f)>; });
    }
    add(pack + "_pack", kPack, 16, kPack, one_by_one, in_packs);
    if constexpr (sizeof(T) == 2) add(pack + "_pack_h2", kPack, 16, kPack, best, in_packs);
    add(wide + "_adjacent", 16, 16, 16, best,
        [](auto f) { return relation_adjacent_kernel<T, decltype(f)>; });
    add(wide + "_wide", 16, 16, 16, best,
        [](auto f) { return relation_wide_kernel<T, decltype(f)>; });
    add(pack + "_pdl", kPack, 16, kPack, best, in_packs, kBestLaunch);
    add(
        dtype + "_ballot", 1, sizeof(T), 4, plain,
        [](auto f) { return relation_ballot_kernel<T, decltype(f)>; }, LaunchOptions{},
        Answers::bits);
    add(
        dtype + "x" + std::to_string(kVotes<T>) + "_ballot", kVotes<T>, sizeof(T), 4, plain,
        [](auto f) { return relation_ballot_wide_kernel<T, kVotes<T>, decltype(f)>; }, kBestLaunch,
        Answers::bits);
    if constexpr (sizeof(T) == 2) {
      add(
          pack + "_bits", kPack, 16, 4, best,
          [](auto f) { return relation_bits_kernel<T, decltype(f)>; }, kBestLaunch, Answers::bits);
    }
    return rows;
  }();
  return rungs;
}

template <class T>
cudaError_t relation_naive(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                           cudaStream_t stream) {
  return relation_rungs<T>().front().launch(op, a, b, y, n, stream);
}

template <class T>
cudaError_t relation_pdl(RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                         cudaStream_t stream) {
  return with_operation(op, a, b, [&](auto f, const T* left, const T* right) {
    constexpr int kPack = 16 / sizeof(T);
    using Best = BestAnswers<T, decltype(f)>;
    return launch_answers(relation_pack_kernel<T, Best>, left, right, y, n, kPack, 16, kPack,
                          Best{f}, stream, kBestLaunch);
  });
}

#define TUTORIAL_RELATION(function, T) \
  template cudaError_t function(RelationOp, const T*, const T*, Byte*, std::int64_t, cudaStream_t);
#define TUTORIAL_INSTANTIATE(T)                                  \
  template const std::vector<RelationRung<T>>& relation_rungs(); \
  TUTORIAL_RELATION(relation_naive, T)                           \
  TUTORIAL_RELATION(relation_pdl, T)
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
TUTORIAL_RELATION(relation_pdl, std::int8_t)
TUTORIAL_RELATION(relation_pdl, std::int32_t)
TUTORIAL_RELATION(relation_pdl, std::int64_t)
#undef TUTORIAL_INSTANTIATE
#undef TUTORIAL_RELATION

}  // namespace tutorial
