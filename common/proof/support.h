// Everything that a chapter's test needs besides Catch2 itself (see catch.h).
//
// - device.h     which backend this is, and what to do where no GPU answers
// - ulp.h        rounding and distances in units in the last place, for float, half, bf16, double, fp8
// - inputs.h     which values and which sizes a kernel is tried on
// - buffers.h    device memory with canaries on both sides
// - tiled.h      a repeating input and the interval of outputs that each element accepts
// - promises.h   what every launcher promises, for any number of inputs and any judge
// - unary.h      the accuracy of a launcher with one input and one output
#pragma once

#include "common/proof/buffers.h"
#include "common/proof/device.h"
#include "common/proof/inputs.h"
#include "common/proof/promises.h"
#include "common/proof/tiled.h"
#include "common/proof/ulp.h"
#include "common/proof/unary.h"
