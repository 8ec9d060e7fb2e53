// Ladder D: int8 with scales.
#include "04_arithmetic/launchers/contiguous_launch.cuh"

TUTORIAL_ARITHMETIC_CONTIGUOUS(std::int8_t)
