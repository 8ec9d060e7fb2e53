// Pairs of shapes that broadcast, made at random; the plainest walk over them; and what makes a
// failing pair small enough to read.
#pragma once

#include "common/broadcast.h"
#include "common/proof/device.h"
#include "common/proof/seed.h"
#include "common/refusal.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Nothing here uses broadcast_shape() or what is built on it: they are compared with this.

namespace tutorial::test {

/// The shapes of the two operands of one operation.
struct ShapePair {
  TensorShape shape0, shape1;
};

/// "(2, 3) and (3,)".
std::string to_string(const ShapePair& shapes);

// ---- The plainest walk --------------------------------------------------------------------------

/// The size of the result along dimension `i` of `rank`, by the rule alone: sizes are aligned at
/// the last dimension, a missing one counts as 1, and a 1 takes the other's size.
std::int64_t result_size(const ShapePair& shapes, std::size_t i, std::size_t rank);

/// The result's shape of a pair that broadcasts.
TensorShape result_shape(const ShapePair& shapes);

/// Where an operand of shape `shape` keeps the element that belongs to `index` of the result.
std::int64_t operand_index(const TensorShape& shape, const TensorShape& index);

/// Calls visit(i, i0, i1) for every element of the result in row-major order: its own position and
/// those of its operands, in elements.
template <class Visit>
void walk_broadcast(const ShapePair& shapes, const Visit& visit) {
  const TensorShape sizes = result_shape(shapes);
  for (const std::int64_t size : sizes) {
    if (size == 0) return;
  }
  TensorShape index(sizes.size(), 0);
  for (std::int64_t i = 0;; ++i) {
    visit(i, operand_index(shapes.shape0, index), operand_index(shapes.shape1, index));
    std::size_t digit = sizes.size();
    while (digit > 0 && index[digit - 1] + 1 == sizes[digit - 1]) index[--digit] = 0;
    if (digit == 0) return;
    ++index[digit - 1];
  }
}

// ---- Pairs of shapes ----------------------------------------------------------------------------

/// An endless sequence of pairs, the same for the same seed: ranks 0 to 7, sizes of 1, equal
/// dimensions, one-sided and both-sided broadcasting, different ranks, and now and then a size of
/// 0. The result has at most `most_elements` elements.
class ShapePairs {
 public:
  explicit ShapePairs(std::uint64_t seed, std::int64_t most_elements = 2048)
      : engine_(seed), most_elements_(most_elements) {}

  ShapePair next();

 private:
  std::int64_t below(std::int64_t bound);  // in [0, bound)
  bool one_in(std::int64_t n) { return below(n) == 0; }
  TensorShape random_sizes();
  std::vector<bool> kept_dimensions(std::size_t rank);
  void drop_leading_ones(TensorShape* shape);

  std::mt19937_64 engine_;
  std::int64_t most_elements_;
};

/// Tries one pair: what is wrong with the result, or an empty string.
using TryPair = std::function<std::string(const ShapePair&)>;

/// Tries `count` pairs of the seed. Empty if all went well; otherwise a sentence with the first that
/// fails, what is wrong with it, and how to see it again.
std::string first_failure(std::uint64_t seed, int count, const TryPair& run);

// ---- One pair on the device ---------------------------------------------------------------------

/// {value(0), value(1), ...}, as many as the shape has elements.
template <class T, class Value>
std::vector<T> values_of(const TensorShape& shape, const Value& value) {
  std::vector<T> values(static_cast<std::size_t>(elements_of(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(static_cast<std::int64_t>(i));
  return values;
}

/// op(a, b) for every element of the result.
template <class Out, class In, class Op>
std::vector<Out> expected_of(const ShapePair& shapes, const std::vector<In>& in0,
                             const std::vector<In>& in1, const Op& op) {
  std::vector<Out> expected;
  walk_broadcast(shapes, [&](std::int64_t, std::int64_t i0, std::int64_t i1) {
    expected.push_back(op(in0[static_cast<std::size_t>(i0)], in1[static_cast<std::size_t>(i1)]));
  });
  return expected;
}

/// How many elements the buffers of a trial begin past an aligned address.
struct Offsets {
  std::size_t in0 = 0, in1 = 0, out = 0;
};

/// Operands and the expected result of one pair, on the device and on the host.
///
/// The operands' memory ends where they end, so that a sanitizer sees a read past them; the result
/// lies between guards, and every byte of it is 0xFF before a launch. Out: not bool, for which take
/// unsigned char.
template <class In, class Out>
class BroadcastTrial {
 public:
  BroadcastTrial(const std::vector<In>& in0, const std::vector<In>& in1, std::vector<Out> expected,
                 Offsets offsets = {})
      : offsets_(offsets),
        expected_(std::move(expected)),
        in0_(uploaded(in0, offsets.in0)),
        in1_(uploaded(in1, offsets.in1)),
        out_((2 * kGuard + offsets.out + expected_.size()) * sizeof(Out)) {}

  /// The same from what makes them: value0(i) and value1(i) are the operands' elements, op(a, b) is
  /// what is expected of two.
  template <class Value0, class Value1, class Op>
  BroadcastTrial(const ShapePair& shapes, const Value0& value0, const Value1& value1, const Op& op,
                 Offsets offsets = {})
      : BroadcastTrial(shapes, values_of<In>(shapes.shape0, value0),
                       values_of<In>(shapes.shape1, value1), op, offsets) {}
  template <class Op>
  BroadcastTrial(const ShapePair& shapes, const std::vector<In>& in0, const std::vector<In>& in1,
                 const Op& op, Offsets offsets = {})
      : BroadcastTrial(in0, in1, expected_of<Out>(shapes, in0, in1, op), offsets) {}

  const In* in0() const { return reinterpret_cast<const In*>(in0_.data()) + offsets_.in0; }
  const In* in1() const { return reinterpret_cast<const In*>(in1_.data()) + offsets_.in1; }
  Out* out() const { return reinterpret_cast<Out*>(out_.data()) + kGuard + offsets_.out; }
  std::int64_t elements() const { return static_cast<std::int64_t>(expected_.size()); }
  const std::vector<Out>& expected() const { return expected_; }

  /// Runs launch(in0, in1, out): what is wrong, or an empty string. Results are compared by
  /// equal(expected, actual).
  template <class Launch, class Equal>
  std::string violation(const Launch& launch, const Equal& equal) const {
    require_success(cudaMemset(out_.data(), 0xff, out_.size()), "cudaMemset");
    // Neither that nor the uploads need be done yet, and a stream of launch's own does not wait.
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const cudaError_t error = launch(in0(), in1(), out());
    if (error != cudaSuccess) {
      return std::string("the launch fails: ") + cudaGetErrorName(error) + ", " + last_refusal();
    }
    std::vector<Out> all(out_.size() / sizeof(Out));
    require_success(cudaMemcpy(all.data(), out_.data(), out_.size(), cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    const std::size_t first = kGuard + offsets_.out;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      if (!equal(expected_[i], all[first + i])) {
        return "element " + std::to_string(i) + " of " + std::to_string(expected_.size()) +
               " is wrong";
      }
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(all.data());
    const std::size_t begin = first * sizeof(Out), end = begin + expected_.size() * sizeof(Out);
    const auto is_untouched = [](unsigned char byte) { return byte == 0xff; };
    if (!std::all_of(bytes, bytes + begin, is_untouched) ||
        !std::all_of(bytes + end, bytes + out_.size(), is_untouched)) {
      return "something outside of the result was written";
    }
    return "";
  }

  /// The same, with results compared bit by bit.
  template <class Launch>
  std::string violation(const Launch& launch) const {
    return violation(launch, [](const Out& expected, const Out& actual) {
      return std::memcmp(&expected, &actual, sizeof(Out)) == 0;
    });
  }

 private:
  static constexpr std::size_t kGuard = 64;  // elements, and more bytes than the widest access

  static DeviceBytes uploaded(const std::vector<In>& values, std::size_t offset) {
    DeviceBytes memory((offset + values.size()) * sizeof(In));
    require_success(cudaMemcpy(memory.data() + offset * sizeof(In), values.data(),
                               values.size() * sizeof(In), cudaMemcpyHostToDevice),
                    "cudaMemcpy");
    return memory;
  }

  Offsets offsets_;
  std::vector<Out> expected_;
  DeviceBytes in0_, in1_, out_;
};

}  // namespace tutorial::test
