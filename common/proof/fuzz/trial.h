// One call of an operator, made from a fuzz input, and what must come of it.
#pragma once

#include "common/proof/device.h"
#include "common/proof/fuzz/input.h"
#include "common/proof/fuzz/values.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

// While the call is put together, everything about it that the operator's contract refuses is
// written down. Then it is made. With mistakes: the error must be that of one of them, and not a
// byte may have been written. Without: it must succeed, touch nothing but its outputs, and every
// element must be right.
//
//     Trial trial(input, "elu");
//     const Count n = trial.count(8);
//     const auto x = trial.in<half>("x", n.held, 2, n.any());
//     const auto y = trial.out<half>("y", n.held, 2, n.any(), {&x});
//     if (!trial.call([&] { return elu(x.pointer, y.pointer, n.n, 1.0f, nullptr); })) return;
//     trial.check(y, [&](std::size_t i, half actual) { return actual == expected(x.values[i]); });

namespace tutorial::fuzz {

/// A number of elements: any at all, and how many of them there is memory for.
struct Count {
  std::int64_t n = 0;
  std::size_t held = 0;

  bool any() const { return n > 0; }
};

/// An operand as the operator gets it: `pointer` may be null, or off its alignment; `values` is
/// what lies in memory before the call.
template <class T>
struct Operand {
  T* pointer;
  std::vector<T> values;
  std::size_t place;  ///< of its memory, in the trial
};

class Trial {
 public:
  /// `operation` is what the call is counted under.
  Trial(FuzzInput& input, std::string operation);

  FuzzInput& input;

  /// What the call was, for the message: " n = 17, alpha = nan".
  void describe(const std::string& text) { description_ += " " + text; }

  /// Every refusal has its sentence in last_refusal().
  void says_why() { says_why_ = true; }

  /// Something about the arguments that the contract refuses with this error.
  void mistake(cudaError_t error) { mistakes_.push_back({error, says_why_}); }

  /// A number of elements around what `width` elements a thread go wrong at; now and then negative,
  /// a mistake, or, if `has_too_large`, one whose grid no device takes, which is another.
  Count count(int width, bool has_too_large = true);

  /// An operand of these elements. `alignment` in bytes is what the operator asks of it; with
  /// `is_needed` false the operator does not look at it, so that no pointer is a mistake.
  template <class T>
  Operand<T> in(const std::string& name, std::vector<T> values, std::size_t alignment,
                bool is_needed) {
    const std::size_t place =
        add_memory(name, values.size() * sizeof(T), sizeof(T), alignment, is_needed);
    fill(place, values.data());
    return {static_cast<T*>(places_[place].pointer), std::move(values), place};
  }
  template <class T>
  Operand<T> in(const std::string& name, std::size_t count, std::size_t alignment, bool is_needed) {
    return in(name, fuzz::values<T>(input, count), alignment, is_needed);
  }

  /// Memory for a result of `count` elements, every byte of it 0xFF; or one of the inputs that it
  /// may be in place of, if that has as many.
  template <class T>
  Operand<T> out(const std::string& name, std::size_t count, std::size_t alignment, bool is_needed,
                 std::initializer_list<const Operand<T>*> in_place_of = {}) {
    for (const Operand<T>* operand : in_place_of) {
      if (operand->values.size() == count && input.one_in(5)) {
        write_in_place(name, operand->place, alignment, is_needed);
        return *operand;
      }
    }
    const std::size_t place = add_memory(name, count * sizeof(T), sizeof(T), alignment, is_needed);
    places_[place].is_output = true;
    return {static_cast<T*>(places_[place].pointer), {}, place};
  }

  /// Makes the call and checks everything but the results: whether it went ahead.
  bool call(const std::function<cudaError_t()>& launch);

  /// What lies in an operand's memory now.
  template <class T>
  std::vector<T> result(const Operand<T>& operand) const {
    const std::vector<unsigned char> bytes = data_of(operand.place);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) {
      std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    }
    return values;
  }

  /// Throws unless right(i, element i of the result) for every one. explain(i) says in the message
  /// what the element was made of.
  template <class T, class Right, class Explain>
  void check(const Operand<T>& operand, const Right& right, const Explain& explain) const {
    const std::vector<T> values = result(operand);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (right(i, values[i])) continue;
      fail("element " + std::to_string(i) + " of " + std::to_string(values.size()) + " is " +
           text_of(values[i]) + explain(i));
    }
  }
  template <class T, class Right>
  void check(const Operand<T>& operand, const Right& right) const {
    check(operand, right, [](std::size_t) { return ", which is wrong"; });
  }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Mistake {
    cudaError_t error;
    bool has_sentence;
  };

  /// Memory of an operand: it ends where the operand ends under AddressSanitizer, which sees the
  /// first byte beyond; otherwise between guards.
  struct Place {
    std::string name;
    test::DeviceBytes memory;
    std::size_t begin, bytes;
    void* pointer;
    std::vector<unsigned char> before;  // all of the memory
    bool is_output = false;
  };

  std::size_t add_memory(const std::string& name, std::size_t bytes, std::size_t element_bytes,
                         std::size_t alignment, bool is_needed);
  void write_in_place(const std::string& name, std::size_t place, std::size_t alignment,
                      bool is_needed);
  void judge(const void* pointer, std::size_t alignment, bool is_needed);
  void fill(std::size_t place, const void* values);
  static std::vector<unsigned char> all_of(const Place& place);
  std::vector<unsigned char> data_of(std::size_t place) const;
  void check_refusal(cudaError_t error) const;
  void check_success(cudaError_t error) const;

  std::string operation_, description_;
  bool says_why_ = false;
  std::vector<Mistake> mistakes_;
  std::deque<Place> places_;
};

}  // namespace tutorial::fuzz
