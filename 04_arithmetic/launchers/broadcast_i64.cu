// Ladder B for std::int64_t.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

TUTORIAL_ARITHMETIC_BROADCAST(std::int64_t);
