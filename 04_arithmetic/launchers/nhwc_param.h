// From two shapes to what the kernels of ladder C take. Host code, no type of element in it.
#pragma once

#include "04_arithmetic/launchers/nhwc.h"

namespace tutorial {

struct NhwcPacks;

/// What the pack kernel takes; of a result that is not empty and that fits_nhwc_pack(). `width` is
/// the channels that a thread takes.
NhwcPacks nhwc_packs(const TensorShape& shape0, const TensorShape& shape1, int width);

}  // namespace tutorial
