// B10 for int8 with scales: two functors for each operation, so it is a source of its own.
#include "04_arithmetic/launchers/broadcast_launch.cuh"

namespace tutorial {
TUTORIAL_ARITHMETIC_PACKED(std::int8_t);
}  // namespace tutorial
