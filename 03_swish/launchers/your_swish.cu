// The reader's rung, alone: a changed kernel is compiled in a second.
#include "03_swish/your_swish.cuh"

#include "03_swish/swish.h"
#include "common/ladder.cuh"

namespace tutorial {

UnaryRung<half> your_swish_rung() {
  return rung("your_swish", your_swish_kernel, kYourSwish.per_thread, kYourSwish.alignment,
              kYourSwish.max_ulp);
}

}  // namespace tutorial
