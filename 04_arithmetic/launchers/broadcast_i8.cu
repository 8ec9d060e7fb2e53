// Ladder B for int8 with scales, without its last rung.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
extern TUTORIAL_ARITHMETIC_PACKED(std::int8_t);  // broadcast_i8_packed.cu
TUTORIAL_ARITHMETIC_BROADCAST(std::int8_t);
}  // namespace tutorial
