// Ladder A for the integers.
#include "04_arithmetic/launchers/contiguous_launch.cuh"

TUTORIAL_ARITHMETIC_CONTIGUOUS(std::int32_t)
TUTORIAL_ARITHMETIC_CONTIGUOUS(std::int64_t)
