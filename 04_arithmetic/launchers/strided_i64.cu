// Any strides, and a number as an operand, for int64.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(std::int64_t);
TUTORIAL_ARITHMETIC_NUMBER(std::int64_t);
