// Any strides, and a number as an operand, for half.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(half);
TUTORIAL_ARITHMETIC_NUMBER(half);
