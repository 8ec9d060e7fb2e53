// The reader's rung, alone: a changed kernel is compiled in a second.
#include "02_gelu/your_gelu.cuh"

#include "02_gelu/gelu.h"
#include "common/ladder.cuh"

namespace tutorial {

UnaryRung<half> your_gelu_rung() {
  return rung("your_gelu", your_gelu_kernel, kYourGelu.per_thread, kYourGelu.alignment,
              kYourGelu.max_ulp);
}

}  // namespace tutorial
