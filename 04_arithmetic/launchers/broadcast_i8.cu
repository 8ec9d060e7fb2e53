// Ladder B for int8 with scales, without its last rung.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
TUTORIAL_ARITHMETIC_BROADCAST(std::int8_t);
}  // namespace tutorial
