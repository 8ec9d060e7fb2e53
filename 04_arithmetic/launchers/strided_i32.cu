// Any strides, and a number as an operand, for int32.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(std::int32_t);
TUTORIAL_ARITHMETIC_NUMBER(std::int32_t);
