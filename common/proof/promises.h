// What every launcher promises, whatever it computes: tried for any number of inputs, with any
// judge of its outputs.
#pragma once

#include "common/proof/buffers.h"
#include "common/proof/complaint.h"
#include "common/proof/tiled.h"
#include "common/rung.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace tutorial::test {

/// One array that a launcher reads.
struct InputArray {
  std::string name;                   ///< in the sentences: "a"
  std::vector<unsigned char> values;  ///< its bytes at the largest of the sizes
  std::size_t element_bytes;
  std::size_t alignment;   ///< bytes that the pointer needs
  bool in_place;           ///< whether it may be the output too
  std::int64_t per_n = 1;  ///< elements for each of the n
};

template <class T>
InputArray input_array(const std::string& name, const std::vector<T>& values, std::size_t alignment,
                       bool in_place) {
  InputArray array{name, {}, sizeof(T), alignment, in_place};
  array.values.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(array.values.data(), values.data(), array.values.size());
  return array;
}

/// A launcher and what it claims. n is its size: elements, or rows of elements.
struct Promises {
  using Launcher = std::function<cudaError_t(const std::vector<const void*>& inputs, void* output,
                                             std::int64_t n, cudaStream_t stream)>;
  /// What is wrong with the output at size n.
  using Judge = std::function<Complaint(const unsigned char* output, std::int64_t n)>;

  std::vector<InputArray> inputs;
  std::size_t out_element_bytes;
  std::size_t out_alignment;
  std::function<std::size_t(std::int64_t n)> out_bytes;
  Launcher launch;
  Judge judge;
  /// The same where every input is the first one; empty if that is not tried.
  Judge judge_same_inputs;
  std::vector<std::int64_t> sizes;
  std::int64_t any_size = 1027;   ///< where sizes do not matter
  std::int64_t row_elements = 1;  ///< elements of an input for each of the n
  std::string size_name = "n";    ///< in the sentences
};

/// The complaint about an element that still holds what buffers start with.
Complaint not_written(std::int64_t index, const std::string& element = "y");

/// Every promise that the launcher breaks; empty for a good one.
///
/// Tried are (on the executor, the largest size once, and 2^16 + 3 in its place where it would come again):
/// - sizes: each of them and one that is drawn, with canaries around all arrays; inputs keep their values; the same with
///   one array as every input
/// - offsets: each input in turn, all inputs together and the output up to 16 bytes from an aligned
///   address. Success and right results where the alignments are met; cudaErrorMisalignedAddress
///   and nothing written elsewhere, also for a pointer one byte off its element
/// - in place: the output is one of the inputs that may be, or all of them, at every size
/// - same bits: where there is one element of output for each n, parts of the arrays give the bits that
///   the whole gave, wherever the parts begin and end and whatever their alignment is
/// - refusals: a null pointer for each array, n = -1 and n = -2^63 (cudaErrorInvalidValue, nothing
///   written); n = 0 with null pointers succeeds
/// - stream: one that does not wait for the default one; and a capturing one, which shows that all
///   work goes to that stream and that the launcher neither synchronises nor allocates. The
///   captured graph gives the right results too, of inputs that were written after the capture
/// - exact allocations: arrays end where their allocations end, at every size, and a sanitizer
///   watches
std::vector<Complaint> promise_violations(const Promises& promises);

/// Fails the running test case with that list, unless it is empty, and records it (record.h).
void check_promises(const std::string& rung, const Promises& promises);

/// The same of one complaint.
void check_complaint(const std::string& rung, const Complaint& complaint);

/// The judge of outputs that have one right answer: "byte 3 is 255, expected 1", with `element` for
/// "byte". T: an integer type.
template <class T>
Promises::Judge exactly(std::function<std::vector<T>(std::int64_t n)> expected,
                        const std::string& element) {
  return [=](const unsigned char* output, std::int64_t n) -> Complaint {
    const std::vector<T> right = expected(n);
    for (std::size_t i = 0; i < right.size(); ++i) {
      T actual;
      std::memcpy(&actual, output + i * sizeof(T), sizeof(T));
      if (actual == right[i]) continue;
      // Buffers start as ones; one that is written as ones is told apart by promise_violations().
      return {actual == static_cast<T>(-1) ? "unwritten" : "value",
              element + " " + std::to_string(i) + " is " + std::to_string(actual) + ", expected " +
                  std::to_string(right[i]),
              {{"index", static_cast<double>(i)},
               {"expected", static_cast<double>(right[i])},
               {"actual", static_cast<double>(actual)},
               {"bytes", sizeof(T)}}};
    }
    return {};
  };
}

/// A rung of one type of float that reads any number of arrays: y[i] = f(in[0][i], in[1][i], ...).
template <class T>
struct FloatRung {
  std::string name;
  std::size_t inputs;
  std::function<cudaError_t(const std::vector<const T*>& in, T* y, std::int64_t n, cudaStream_t)>
      launch;
  int width;
  std::size_t alignment;
  double max_ulp;
};

/// What it promises, judged by a formula in double. T: as in unary.h.
template <class T>
Promises promises_of(const FloatRung<T>& rung, const Formula& formula);
template <class T>
Promises promises_of(const UnaryRung<T>& rung, Reference reference);
template <class T>
Promises promises_of(const BinaryRung<T>& rung, BinaryReference reference);

/// Fails the running test case with promise_violations(), unless there are none.
template <class T>
void check_launcher_promises(const FloatRung<T>& rung, const Formula& formula) {
  check_promises(rung.name, promises_of(rung, formula));
}
template <class T>
void check_launcher_promises(const UnaryRung<T>& rung, Reference reference) {
  check_promises(rung.name, promises_of(rung, reference));
}
template <class T>
void check_launcher_promises(const BinaryRung<T>& rung, BinaryReference reference) {
  check_promises(rung.name, promises_of(rung, reference));
}

/// Fails the running test case unless a thread takes as many elements as the rung's name says:
/// f16x8_pack eight, f32 one.
void check_width_in_name(const std::string& rung, int width);

/// Both for every rung of a ladder.
template <class T>
void check_launcher_promises(const Ladder<T>& rungs, Reference reference) {
  for (const UnaryRung<T>& rung : rungs) {
    check_width_in_name(rung.name, rung.width);
    check_launcher_promises(rung, reference);
  }
}

}  // namespace tutorial::test
