// Random pairs of shapes.

#include "common/proof/broadcast_cases.h"

#include <algorithm>

namespace tutorial::test {

std::string to_string(const ShapePair& shapes) {
  return tutorial::to_string(shapes.shape0) + " and " + tutorial::to_string(shapes.shape1);
}

// ---- The plainest walk --------------------------------------------------------------------------

std::int64_t result_size(const ShapePair& shapes, std::size_t i, std::size_t rank) {
  const auto size_of = [&](const TensorShape& shape) -> std::int64_t {
    return i + shape.size() < rank ? 1 : shape[i + shape.size() - rank];
  };
  return size_of(shapes.shape0) == 1 ? size_of(shapes.shape1) : size_of(shapes.shape0);
}

TensorShape result_shape(const ShapePair& shapes) {
  const std::size_t rank = std::max(shapes.shape0.size(), shapes.shape1.size());
  TensorShape sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(result_size(shapes, i, rank));
  return sizes;
}

std::int64_t operand_index(const TensorShape& shape, const TensorShape& index) {
  std::int64_t position = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t along = index[index.size() - shape.size() + i];
    position = position * shape[i] + (shape[i] == 1 ? 0 : along);
  }
  return position;
}

// ---- Pairs of shapes ----------------------------------------------------------------------------

std::int64_t ShapePairs::below(std::int64_t bound) {
  return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(bound));
}

/// Sizes whose product is at most most_elements_. The dimensions are filled in random order, so
/// that the large ones stand anywhere.
TensorShape ShapePairs::random_sizes() {
  constexpr std::int64_t kSizes[] = {1,  2,  2,  3,  3,  4,  5,  6,  7,  8,   8,   9,  12,
                                     15, 16, 17, 24, 31, 32, 33, 56, 64, 127, 130, 257};
  constexpr auto kCount = static_cast<std::int64_t>(sizeof kSizes / sizeof kSizes[0]);
  TensorShape sizes(static_cast<std::size_t>(below(kMaxDimensions + 1)), 1);
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  }
  const std::int64_t choices = one_in(2) ? kCount : 8;
  std::int64_t room = most_elements_;
  for (const std::size_t i : order) {
    const std::int64_t size = kSizes[below(choices)];
    sizes[i] = size <= room ? size : 1 + below(std::min<std::int64_t>(room, 4));
    room /= sizes[i];
  }
  return sizes;
}

/// Which dimensions an operand has; along the others its size is 1.
std::vector<bool> ShapePairs::kept_dimensions(std::size_t rank) {
  std::vector<bool> kept(rank, true);
  const auto bound = static_cast<std::int64_t>(rank) + 1;
  auto first = static_cast<std::size_t>(below(bound)),
       last = static_cast<std::size_t>(below(bound));
  if (first > last) std::swap(first, last);
  switch (below(10)) {
    case 0:  // all
      break;
    case 1:  // none: a scalar
      kept.assign(rank, false);
      break;
    case 2:  // the last ones: a row, a matrix
      for (std::size_t i = 0; i < first; ++i) kept[i] = false;
      break;
    case 3:  // a run: the channels
      for (std::size_t i = 0; i < rank; ++i) kept[i] = i >= first && i < last;
      break;
    case 4:  // all but a run: an image without channels
      for (std::size_t i = first; i < last; ++i) kept[i] = false;
      break;
    default:  // any: half of the time, and the only way to most of what both sides can do
      for (std::size_t i = 0; i < rank; ++i) kept[i] = one_in(2);
  }
  return kept;
}

void ShapePairs::drop_leading_ones(TensorShape* shape) {
  while (!shape->empty() && shape->front() == 1 && !one_in(3)) shape->erase(shape->begin());
}

ShapePair ShapePairs::next() {
  TensorShape sizes = random_sizes();
  if (!sizes.empty() && one_in(32)) {
    sizes[static_cast<std::size_t>(below(static_cast<std::int64_t>(sizes.size())))] = 0;
  }
  ShapePair shapes{sizes, sizes};
  TensorShape* const operands[] = {&shapes.shape0, &shapes.shape1};
  const auto shorter = static_cast<std::size_t>(below(2));
  const std::vector<bool> kept = kept_dimensions(sizes.size());
  std::vector<bool> other(sizes.size(), true);
  if (!one_in(3)) {  // both-sided: what the one has not, the other mostly has
    other = kept_dimensions(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!kept[i] && !one_in(4)) other[i] = true;
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!kept[i]) (*operands[shorter])[i] = 1;
    if (!other[i]) (*operands[1 - shorter])[i] = 1;
  }
  for (TensorShape* shape : operands) {
    if (one_in(2)) drop_leading_ones(shape);
  }
  return shapes;
}

std::string first_failure(std::uint64_t seed, int count, const TryPair& run) {
  ShapePairs pairs(seed);
  for (int i = 0; i < count; ++i) {
    const ShapePair shapes = pairs.next();
    const std::string wrong = run(shapes);
    if (wrong.empty()) continue;
    return to_string(shapes) + ": " + wrong + " (pair " + std::to_string(i) +
           " of TUTORIAL_SEED=" + std::to_string(seed) + ")";
  }
  return "";
}

}  // namespace tutorial::test
