// Any strides, and a number as an operand, for bf16.
#include "04_arithmetic/launchers/strided_launch.cuh"

TUTORIAL_ARITHMETIC_STRIDED(__nv_bfloat16);
TUTORIAL_ARITHMETIC_NUMBER(__nv_bfloat16);
