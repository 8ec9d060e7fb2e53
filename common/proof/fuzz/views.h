// Tensors of any strides for a trial: which place in memory each element has, and what is wrong with them.
#pragma once

#include "common/proof/fuzz/trial.h"
#include "common/proof/views.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tutorial::fuzz {

inline std::int64_t below(FuzzInput& input, std::int64_t limit) {
  return static_cast<std::int64_t>(input.below(static_cast<std::size_t>(limit)));
}
inline bool one_in(FuzzInput& input, std::int64_t n) {
  return input.one_in(static_cast<std::size_t>(n));
}

/// A layout, the place of each element in the order of `shape`, and how many places there are.
struct FuzzView {
  TensorLayout layout;
  std::vector<std::size_t> places;
  std::size_t held = 1;
};

/// `least` dimensions to `most`, mostly short ones, now and then empty.
inline TensorShape fuzz_view_shape(FuzzInput& input, std::size_t least, std::size_t most) {
  TensorShape shape(least + input.below(most - least + 1));
  std::size_t left = 3000;
  for (std::int64_t& size : shape) {
    const std::size_t bound = std::min<std::size_t>(left, input.one_in(3) ? 250 : 12);
    size = input.one_in(40) ? 0 : static_cast<std::int64_t>(1 + input.below(bound));
    left =
        std::max<std::size_t>(left / static_cast<std::size_t>(std::max<std::int64_t>(size, 1)), 1);
  }
  return shape;
}

/// What a layout is for. A result has no two elements in one place; an input may repeat elements by a
/// stride of 0, and an operand also by a size of 1.
enum class ViewOf { result, input, operand };

/// A tensor whose elements belong to those of `shape`: in any order of dimensions, with gaps and without.
/// Notes a negative stride, and a result that repeats elements, as mistakes.
inline FuzzView fuzz_view(Trial& trial, const TensorShape& shape, ViewOf kind) {
  FuzzInput& input = trial.input;
  FuzzView view{test::random_layout(input, shape), {}, 1};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (kind != ViewOf::result && input.one_in(10)) view.layout.strides[d] = 0;
    if (kind == ViewOf::operand && input.one_in(10)) view.layout.shape[d] = 1;
  }
  test::for_each_index(shape, [&](const TensorShape& index) {
    view.places.push_back(static_cast<std::size_t>(test::place_of(view.layout, index)));
    view.held = std::max(view.held, view.places.back() + 1);
  });
  const bool any = !view.places.empty();
  if (!any) view.held = 0;
  if (!shape.empty() && input.one_in(24)) {
    const std::size_t d = input.below(shape.size());
    const bool repeats = kind == ViewOf::result && shape[d] > 1 && any && input.one_in(2);
    view.layout.strides[d] = repeats ? 0 : -1;
    trial.mistake(cudaErrorInvalidValue);
  }
  trial.describe(test::to_text(view.layout));
  return view;
}

/// Checks the elements of a result, and that nothing was written between them:
/// right(number of the element, value).
template <class T, class Right>
void check_view(const Trial& trial, const Operand<T>& out, const FuzzView& view,
                const Right& right) {
  T fresh;
  std::memset(static_cast<void*>(&fresh), 0xFF, sizeof(T));
  std::vector<std::size_t> element_at(view.held, view.places.size());
  for (std::size_t i = 0; i < view.places.size(); ++i) element_at[view.places[i]] = i;
  trial.check(out, [&](std::size_t place, T actual) {
    const std::size_t element = element_at[place];
    return element < view.places.size() ? right(element, actual)
                                        : std::memcmp(&actual, &fresh, sizeof(T)) == 0;
  });
}

}  // namespace tutorial::fuzz
