// Ladder B for std::int32_t.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
TUTORIAL_ARITHMETIC_BROADCAST(std::int32_t);
TUTORIAL_ARITHMETIC_PACKED(std::int32_t);
}  // namespace tutorial
