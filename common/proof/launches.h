// Which kernels a call launches, and the table of a chapter that says so.
#pragma once

#include "common/broadcast.h"
#include "common/rung.h"
#include "common/strided.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tutorial::test {

struct SeenLaunch {
  std::string kernel;  ///< "elementwise_pack_kernel<half, Elu>"
  dim3 grid, block;
};

/// The launches of `call`, in order. No kernel runs: the executor is told to run no block, and on a
/// GPU the stream captures. So nothing needs to lie where pointers point to.
/// Throws std::runtime_error, with the error's name, if the call fails.
std::vector<SeenLaunch> launches_of(const std::function<cudaError_t(cudaStream_t)>& call);

/// Addresses of arrays, each aligned to so many bytes and to no more. Nothing lies there.
class Addresses {
 public:
  explicit Addresses(std::vector<std::size_t> alignments) : alignments_(std::move(alignments)) {}

  /// The address of the i-th array.
  template <class T>
  T* of(std::size_t i) const {
    constexpr std::uintptr_t kApart = std::uintptr_t{1} << 40;
    return reinterpret_cast<T*>((i + 1) * kApart + alignments_.at(i));
  }

 private:
  std::vector<std::size_t> alignments_;  // 16 or less: a power of two
};

/// Which kernel each function of a chapter launches, in how many blocks of how many threads, by the
/// size and by how its pointers are aligned. The table is a text file in the chapter's proof/ for
/// people to read; the test compares it with what the functions do.
///
/// Everything is launched as on an H200: 132 multiprocessors of 2,048 threads, an L2 of 60 MiB.
class LaunchTable {
 public:
  using Call = std::function<cudaError_t(const Addresses& at, cudaStream_t stream)>;

  LaunchTable();
  ~LaunchTable();
  LaunchTable(const LaunchTable&) = delete;
  LaunchTable& operator=(const LaunchTable&) = delete;

  /// A function that takes any pointer aligned to its element. `element_bytes`: one number for each
  /// array, in the order in which the call asks for their addresses.
  ///
  /// Tried: all arrays aligned to 16, 8, 4, 2 and 1 bytes, as far as their elements allow; then each
  /// of them in turn to its element alone, the others to 16. What launches the same shares a line.
  void add(const std::string& function, const std::string& size,
           const std::vector<std::size_t>& element_bytes, const Call& call);

  /// The same at each n.
  template <class T, class... Extra>
  void add_unary(const std::string& function, const std::vector<std::int64_t>& sizes,
                 const UnaryLauncher<T>& launch) {
    for (const std::int64_t n : sizes) {
      add(function, number(n), {sizeof(T), sizeof(T)}, [&](const Addresses& at, cudaStream_t s) {
        return launch(at.of<T>(0), at.of<T>(1), n, s);
      });
    }
  }
  template <class T>
  void add_binary(const std::string& function, const std::vector<std::int64_t>& sizes,
                  const BinaryLauncher<T>& launch) {
    for (const std::int64_t n : sizes) {
      add(function, number(n), std::vector<std::size_t>(3, sizeof(T)),
          [&](const Addresses& at, cudaStream_t s) {
            return launch(at.of<T>(0), at.of<T>(1), at.of<T>(2), n, s);
          });
    }
  }

  /// An operator on tensors of any strides, of which the first operand has several layouts and the others
  /// no gaps: on_views(stream, y, x...).
  template <class Out, class... In, class OnViews>
  void add_views(const std::string& function, const OnViews& on_views) {
    add_views<Out, In...>(function, on_views, std::index_sequence_for<In...>{});
  }

  /// A rung, whose pointers have the alignments that it needs. The running test case fails unless its
  /// one launch has a thread for each `width` of n elements, and no block more than they take.
  void add_rung(const std::string& name, std::int64_t n, int width,
                const std::vector<std::size_t>& alignments, const Call& call);

  /// Every rung of a ladder, at `n` elements.
  template <class T>
  void add_rungs(const std::vector<UnaryRung<T>>& ladder, std::int64_t n) {
    for (const UnaryRung<T>& rung : ladder) {
      add_rung(rung.name, n, rung.width, {rung.alignment, rung.alignment},
               [&](const Addresses& at, cudaStream_t s) {
                 return rung.launch(at.of<T>(0), at.of<T>(1), n, s);
               });
    }
  }
  template <class T>
  void add_rungs(const std::vector<BinaryRung<T>>& ladder, std::int64_t n) {
    for (const BinaryRung<T>& rung : ladder) {
      add_rung(rung.name, n, rung.width, std::vector<std::size_t>(3, rung.alignment),
               [&](const Addresses& at, cudaStream_t s) {
                 return rung.launch(at.of<T>(0), at.of<T>(1), at.of<T>(2), n, s);
               });
    }
  }

  /// Fails the running test case with each line that differs from the file, for instance
  /// "01_elu/proof/launches.txt". With TUTORIAL_WRITE_LAUNCHES=1 in the environment it writes the
  /// file instead.
  void check(const std::string& file) const;

  /// 1048576 as "1,048,576".
  static std::string number(std::int64_t n);

 private:
  template <class Out, class... In, class OnViews, std::size_t... I>
  void add_views(const std::string& function, const OnViews& on_views, std::index_sequence<I...>) {
    const std::pair<const char*, TensorLayout> layouts[] = {
        {"rows 2,048 apart", {{1000, 1024}, {2048, 1}}},
        {"rows 1,024 apart", {{1000, 1003}, {1024, 1}}},
        {"rows 4,096 apart", {{2000, 4001}, {4096, 1}}},
        {"one element a row", {{1000, 1024}, {1, 0}}},
        {"one element a row", {{1000, 1003}, {1, 0}}},
        {"transposed", {{1000, 1024}, {1, 1000}}},
        {"transposed", {{1024, 1024}, {1, 1024}}},
        {"every second", {{1000, 1024}, {2048, 2}}},
        {"every second", {{4096, 1024}, {2048, 2}}},
    };
    for (const auto& [how, layout] : layouts) {
      const TensorLayout dense = contiguous_layout(layout.shape);
      add(function, how + (" " + tutorial::to_string(layout.shape)), {sizeof(In)..., sizeof(Out)},
          [&, &of_first = layout](const Addresses& at, cudaStream_t stream) {
            return on_views(stream, TensorView<Out>{at.of<Out>(sizeof...(In)), dense},
                            TensorView<const In>{at.of<In>(I), I == 0 ? of_first : dense}...);
          });
    }
  }

  using Row = std::array<std::string, 4>;  // function, size, alignments, launches
  std::vector<Row> rows_;
};

}  // namespace tutorial::test
