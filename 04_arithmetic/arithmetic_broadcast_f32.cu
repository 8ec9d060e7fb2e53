// Ladder B for float.
#include "04_arithmetic/arithmetic_broadcast_launch.cuh"

TUTORIAL_ARITHMETIC_BROADCAST(float);
