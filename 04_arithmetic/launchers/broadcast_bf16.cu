// Ladder B for __nv_bfloat16.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
TUTORIAL_ARITHMETIC_BROADCAST(__nv_bfloat16);
TUTORIAL_ARITHMETIC_PACKED(__nv_bfloat16);
}  // namespace tutorial
