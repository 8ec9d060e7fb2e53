// Ladder B for float.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

TUTORIAL_ARITHMETIC_BROADCAST(float);
