// Ladder B for __nv_bfloat16.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

TUTORIAL_ARITHMETIC_BROADCAST(__nv_bfloat16);
