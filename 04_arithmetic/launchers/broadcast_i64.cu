// Ladder B for std::int64_t.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
TUTORIAL_ARITHMETIC_BROADCAST(std::int64_t);
TUTORIAL_ARITHMETIC_PACKED(std::int64_t);
}  // namespace tutorial
