// A fuzzer's random bytes, read as the small decisions that a trial is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tutorial::fuzz {

/// Reads from the front. Past the end there are zeros, and every decision is made so that 0 is its
/// plainest outcome: an input that is cut short is a simpler one.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : next_(data), left_(size) {}

  /// The next `count` bytes, at most 8, as a number.
  std::uint64_t bits(int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count && left_ > 0; ++i, --left_) {
      value |= std::uint64_t{*next_++} << (8 * i);
    }
    return value;
  }

  /// In [0, bound), bound > 0.
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(bits(bound <= 256 ? 1 : 4) % bound);
  }

  /// True for one in n, and never past the end.
  bool one_in(std::size_t n) { return below(n) == n - 1; }

  /// An element of an array, a vector or an initializer list.
  template <class List>
  auto pick(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

 private:
  const std::uint8_t* next_;
  std::size_t left_;
};

/// What a program fuzzes: it makes one call of an operator out of the input, and throws a Violation
/// if the call breaks a promise. Each fuzz program defines it.
void try_input(FuzzInput& input);

/// A broken promise, and the call that broke it.
struct Violation {
  std::string what;
};

}  // namespace tutorial::fuzz
