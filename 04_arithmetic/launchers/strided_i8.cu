// Any strides, for int8 with scales.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(std::int8_t);
