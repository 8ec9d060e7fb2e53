// Benchmarks of a ladder: how a chapter registers its rungs.
#pragma once

#include "common/rung.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// A chapter's benchmark file defines register_benchmarks(), and nothing else:
// ```cpp
// void tutorial::bench::register_benchmarks() {
//   add_ladder("elu", elu_rungs<float>(), elu_reference);
// }
// ```
// Every rung becomes one row per shape and regime, named `elu/f32/4096x4096/cold` and labelled
// `f32 rung`. Before a rung is timed at a shape its whole output is compared with the reference, for
// both regimes; a wrong output is an error of the row, and the program exits with 1.
//
// Counters of a row: GBps (10^9 bytes a second of what must be moved), copy_pct (percent of the
// copy of as many bytes), median_us, spread_pct ((p90 - p10) / median of 15 replays), bytes; and
// of the GPU's clock while it was timed, where NVML answers: sm_mhz, clock_reasons, and
// probe_mhz, measured right after (clocks.h says what each is).

namespace tutorial::bench {

#if defined(TUTORIAL_BACKEND_CUDA)
inline constexpr bool on_gpu = true;
#else
inline bool on_gpu = false;  ///< a trace can take the shapes of a GPU's benchmark, too
#endif

/// The role of a row: a rung, a member of a sweep, the reader's own rung, a peer (what a professional
/// would use instead), or a plain copy of the same number of bytes.
enum class Kind { rung, sweep, yours, peer, copy };

/// The `rows` x `columns` elements that an operation works on.
struct Shape {
  std::int64_t rows;
  std::int64_t columns;

  std::int64_t elements() const { return rows * columns; }
};

/// A shape with its own name, for rows outside the grid: {"64x256x56x56", {16384, 3136}}. The name is
/// numbers joined by x.
struct NamedShape {
  std::string name;
  Shape shape;
};

/// Defined by the chapter; called once, after the flags are read.
void register_benchmarks();

/// Registers `launch` as `ladder/rung` over all shapes and regimes. T: as in
/// common/proof/unary.h.
///
/// `launch` gets x and y aligned to 256 bytes; y must be within `max_ulp` of `reference`. A peer
/// that returns cudaErrorNotSupported from an empty call (n = 0) does not exist in this backend and
/// is omitted. `per_thread`, `alignment`: as in Case.
template <class T>
void add_unary(const std::string& ladder, const std::string& rung, Kind kind,
               UnaryLauncher<T> launch, Reference reference, double max_ulp, int per_thread = 0,
               std::size_t alignment = 0);

/// Registers the yardsticks of every one-input ladder: the 128-bit copy kernel as
/// `copy_<dtype>` and cudaMemcpyAsync as `memcpy_<dtype>` (dtype: f32, f16, bf16, e4m3 or e5m2).
template <class T>
void add_copy_peers(const std::string& ladder);

/// Device memory of one launch, each pointer aligned to 256 bytes.
struct Buffers {
  std::vector<const void*> inputs;
  void* output = nullptr;

  /// Input i, and the output, as elements of T.
  template <class T>
  const T* in(std::size_t i) const {
    return static_cast<const T*>(inputs[i]);
  }
  template <class T>
  T* out() const {
    return static_cast<T*>(output);
  }
};

/// An input: a tile of host bytes that is repeated from the buffer's start to its end.
struct Input {
  std::shared_ptr<const std::vector<unsigned char>> tile;
  std::function<std::size_t(const Shape&)> bytes;
};

/// Any operation with one output; add_unary() builds one.
///
/// GB/s count the bytes that the operation must move: those of all inputs and of the output.
struct Case {
  std::string ladder;
  std::string rung;
  std::string dtype;
  Kind kind;
  std::vector<Input> inputs = {};
  std::function<std::size_t(const Shape&)> output_bytes = {};
  std::function<cudaError_t(const Buffers&, const Shape&, cudaStream_t)> launch = {};
  /// Judges the output's bytes [begin, begin + count), which are at `bytes` on the host. Returns an
  /// empty string, or what is wrong. begin is a multiple of 256. Several threads call it at once.
  std::function<std::string(const Shape&, const void* bytes, std::size_t begin, std::size_t count)>
      verify = {};
  /// The shapes at which the case is timed, instead of the grid's; --shapes does not change these.
  std::vector<NamedShape> own_shapes = {};
  /// The number of inputs of the copy that copy_pct refers to: 1 for an operation whose second input
  /// is small; 0: as many as the operation has.
  std::size_t copied_inputs = 0;
  /// The elements of the output that a thread takes, as the rung's table claims; 0: it does not say.
  int per_thread = 0;
  /// Bytes that the inputs and the output need; 0: they take any address of their elements. A launch
  /// with a pointer that lacks them answers cudaErrorMisalignedAddress, every other one succeeds, and
  /// its output may be its first input where both have the same size.
  std::size_t alignment = 0;
  std::size_t out_alignment = alignment;
  /// It may refuse aligned pointers, too: it does not take every shape, or its output holds several
  /// arrays, and where they begin depends on the shape.
  bool may_refuse = false;
  /// The form of the problem, where one kernel is timed on several: 1C11 of packed_f16_1C11. Steps go
  /// from kernel to kernel within a form.
  std::string form = {};
};

/// The operation with these names.
Case named(Case operation, const std::string& ladder, const std::string& rung,
           const std::string& dtype, Kind kind);

/// Registers `operation` over all shapes and regimes.
void add(const Case& operation);

/// All that were registered, in order.
const std::vector<Case>& cases();

/// Of an element of a buffer with so many bytes.
std::size_t element_bytes(const Case& operation, const Shape& shape, std::size_t bytes);

/// Whether the case takes any shape: one that has shapes of another form than rows x columns is what it is.
bool takes_any_shape(const Case& operation);

}  // namespace tutorial::bench
