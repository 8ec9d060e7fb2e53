// Any strides, and a number as an operand, for float.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(float);
TUTORIAL_ARITHMETIC_NUMBER(float);
