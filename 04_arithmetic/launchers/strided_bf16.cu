// Any strides, for bf16.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(__nv_bfloat16);
