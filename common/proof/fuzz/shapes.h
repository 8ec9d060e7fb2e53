// Pairs of shapes, most of which broadcast; and which do not, by the rule alone: nothing of
// common/broadcast.cpp is used here.
#pragma once

#include "common/proof/broadcast_cases.h"
#include "common/proof/fuzz/trial.h"

namespace tutorial::fuzz {

/// Two shapes as an operator gets them, and how much memory there is for each tensor: 1 for those
/// of shapes that are a mistake.
struct FuzzShapes : test::ShapePair {
  bool broadcast = false;  ///< whether they do
  std::size_t held0 = 1, held1 = 1, elements = 1;

  bool any() const { return broadcast && elements > 0; }
};

/// Describes them, and notes what is wrong with them as a mistake.
FuzzShapes fuzz_shapes(Trial& trial);

/// Everything that a shape may be, but with no more elements than there is memory for: the shape of
/// an operation with one operand. In shape0.
FuzzShapes fuzz_shape(Trial& trial);

/// Where each element of the result finds its operands, in elements.
struct Walk {
  std::vector<std::size_t> at0, at1;
};
Walk walk_of(const FuzzShapes& shapes);

/// A size that is wrong by itself, or only with others.
std::int64_t fuzz_size(FuzzInput& input);

}  // namespace tutorial::fuzz
