// Any strides, for int32.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(std::int32_t);
