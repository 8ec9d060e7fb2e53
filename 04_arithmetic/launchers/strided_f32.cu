// Any strides, for float.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(float);
