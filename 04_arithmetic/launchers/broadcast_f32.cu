// Ladder B for float.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
TUTORIAL_ARITHMETIC_BROADCAST(float);
TUTORIAL_ARITHMETIC_PACKED(float);
}  // namespace tutorial
