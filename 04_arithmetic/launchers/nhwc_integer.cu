// Ladder C for the integer types, and for int8 with scales.
#include "04_arithmetic/launchers/nhwc_launch.cuh"

namespace tutorial {
TUTORIAL_ARITHMETIC_NHWC(std::int32_t)
TUTORIAL_ARITHMETIC_NHWC(std::int64_t)
TUTORIAL_ARITHMETIC_NHWC(std::int8_t)
}  // namespace tutorial
