// Pairs of shapes from a fuzz input.

#include "common/proof/fuzz/shapes.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tutorial::fuzz {

namespace {

constexpr std::int64_t kMostElements = 2048;

/// A shape whose elements there is memory for.
TensorShape small_shape(FuzzInput& input) {
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 24, 33, 64, 130, 257, 1024};
  const std::size_t choices = input.one_in(2) ? std::size(kSizes) : 6;
  TensorShape sizes(input.below(kMaxDimensions + 1), 1);
  std::int64_t room = kMostElements;
  std::size_t at = sizes.empty() ? 0 : input.below(sizes.size());  // large ones stand anywhere
  for (std::size_t i = 0; i < sizes.size(); ++i, at = (at + 1) % sizes.size()) {
    sizes[at] = std::min(kSizes[input.below(choices)], room);
    room /= sizes[at];
  }
  if (!sizes.empty() && input.one_in(24)) sizes[input.below(sizes.size())] = 0;
  return sizes;
}

/// Breaks what is right about a shape, or tries to.
void spoil(FuzzInput& input, TensorShape* shape) {
  if (shape->empty() || input.one_in(4)) {
    const std::size_t more = input.below(5);
    for (std::size_t i = 0; i < more; ++i) shape->insert(shape->begin(), fuzz_size(input));
  } else {
    const std::size_t times = 1 + input.below(3);
    for (std::size_t i = 0; i < times; ++i) (*shape)[input.below(shape->size())] = fuzz_size(input);
  }
}

/// Whether the elements can be counted in 63 bits, a size of 0 counted as 1.
bool is_countable(const TensorShape& shape) {
  __extension__ using Wide = unsigned __int128;
  Wide product = 1;
  for (const std::int64_t size : shape) {
    product *= static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    if (product > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) return false;
  }
  return true;
}

bool is_a_shape(const TensorShape& shape) {
  return shape.size() <= kMaxDimensions && is_countable(shape) &&
         std::all_of(shape.begin(), shape.end(), [](std::int64_t size) { return size >= 0; });
}

bool do_broadcast(const test::ShapePair& shapes) {
  if (!is_a_shape(shapes.shape0) || !is_a_shape(shapes.shape1)) return false;
  const std::size_t common = std::min(shapes.shape0.size(), shapes.shape1.size());
  for (std::size_t i = 1; i <= common; ++i) {
    const std::int64_t size0 = shapes.shape0[shapes.shape0.size() - i];
    const std::int64_t size1 = shapes.shape1[shapes.shape1.size() - i];
    if (size0 != size1 && size0 != 1 && size1 != 1) return false;
  }
  return is_countable(test::result_shape(shapes));
}

/// The elements of a shape, or more than fit.
std::int64_t held_by(const TensorShape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
    product *= size;
  }
  return product;
}

/// Fills in what follows from the shapes. Those that broadcast to more than there is memory for
/// become two scalars: nothing would refuse them.
void judge(Trial& trial, FuzzShapes* shapes) {
  shapes->broadcast = do_broadcast(*shapes);
  const auto fits = [](const TensorShape& shape) { return held_by(shape) <= 2 * kMostElements; };
  if (shapes->broadcast &&
      !(fits(shapes->shape0) && fits(shapes->shape1) && fits(test::result_shape(*shapes)))) {
    *shapes = {};
    shapes->broadcast = true;
  }
  trial.describe(to_string(*shapes));
  if (!shapes->broadcast) return trial.mistake(cudaErrorInvalidValue);
  shapes->held0 = static_cast<std::size_t>(held_by(shapes->shape0));
  shapes->held1 = static_cast<std::size_t>(held_by(shapes->shape1));
  shapes->elements = static_cast<std::size_t>(held_by(test::result_shape(*shapes)));
}

}  // namespace

std::int64_t fuzz_size(FuzzInput& input) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kSizes[] = {0,
                                     1,
                                     2,
                                     3,
                                     -1,
                                     -2,
                                     std::numeric_limits<std::int64_t>::min(),
                                     kMost,
                                     kMost - 6,
                                     std::int64_t{1} << 62,
                                     std::int64_t{1} << 32,
                                     (std::int64_t{1} << 32) + 1,
                                     (std::int64_t{1} << 31) - 1,
                                     3037000500};
  return input.pick(kSizes);
}

FuzzShapes fuzz_shapes(Trial& trial) {
  FuzzInput& input = trial.input;
  FuzzShapes shapes;
  const TensorShape sizes = small_shape(input);
  shapes.shape0 = shapes.shape1 = sizes;
  // Along each dimension: both have it, one of them has, neither has.
  const std::size_t kinds = 1 + input.below(4);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t kind = input.below(kinds);
    if (kind == 1 || kind == 3) shapes.shape0[i] = 1;
    if (kind >= 2) shapes.shape1[i] = 1;
  }
  if (input.one_in(2)) std::swap(shapes.shape0, shapes.shape1);
  for (TensorShape* shape : {&shapes.shape0, &shapes.shape1}) {
    if (input.one_in(2)) {
      while (!shape->empty() && shape->front() == 1 && !input.one_in(4))
        shape->erase(shape->begin());
    }
  }
  if (input.one_in(5)) spoil(input, input.one_in(2) ? &shapes.shape0 : &shapes.shape1);
  judge(trial, &shapes);
  return shapes;
}

FuzzShapes fuzz_shape(Trial& trial) {
  FuzzShapes shapes;
  shapes.shape0 = small_shape(trial.input);
  if (trial.input.one_in(4)) spoil(trial.input, &shapes.shape0);
  judge(trial, &shapes);
  return shapes;
}

Walk walk_of(const FuzzShapes& shapes) {
  Walk walk;
  test::walk_broadcast(shapes, [&](std::int64_t, std::int64_t i0, std::int64_t i1) {
    walk.at0.push_back(static_cast<std::size_t>(i0));
    walk.at1.push_back(static_cast<std::size_t>(i1));
  });
  return walk;
}

}  // namespace tutorial::fuzz
