// What is wrong with a result: a sentence for people; a kind and numbers for a tool.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutorial::test {

/// The kinds (tools/reader/yours.py says more of each, in a reader's words):
///
///   value         an element is another number than expected
///   error         the largest error over all inputs exceeds the claim
///   mask          a byte is neither 0 nor 1
///   unwritten     an element is what it was before the launch
///   reads_output  it depends on what it was before
///   unset         it holds the bits of memory that nobody wrote
///   outside       something before or behind the output was written
///   input         an input was written
///   answer        the launcher answers `actual`, not `expected`: numbers of cudaError_t
///   not_refused   an output was written by a launch that was refused
///   bits          an element depends on more than its operands
///   stream        the work does not go to the stream
///   exception     CUDA failed elsewhere
struct Complaint {
  std::string kind;
  std::string sentence;  ///< empty: nothing is wrong
  /// By name: index, expected, actual, ulp, at, over, inputs, in_place, bytes (of an integer).
  std::vector<std::pair<std::string, double>> numbers = {};

  Complaint() = default;
  Complaint(std::string of_kind, std::string words,
            std::vector<std::pair<std::string, double>> its_numbers)
      : kind(std::move(of_kind)), sentence(std::move(words)), numbers(std::move(its_numbers)) {}
  /// Of a value, where the sentence says all.
  Complaint(std::string words) : kind("value"), sentence(std::move(words)) {}
  Complaint(const char* words) : Complaint(std::string(words)) {}

  bool empty() const { return sentence.empty(); }

  /// The number of that name, or `otherwise`.
  double number(const std::string& name, double otherwise) const {
    for (const auto& [its_name, value] : numbers) {
      if (its_name == name) return value;
    }
    return otherwise;
  }
};

}  // namespace tutorial::test
