// Ladder B for std::int32_t.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

TUTORIAL_ARITHMETIC_BROADCAST(std::int32_t);
