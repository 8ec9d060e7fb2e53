// What a sector costs where its neighbours are not wanted.

#include "common/controls/controls.h"
#include "common/launch.cuh"

namespace tutorial::controls {

namespace {

constexpr int kBlock = 256;

/// Where sector s lies: the first kTaken of every kOf.
template <int kTaken, int kOf>
__device__ __forceinline__ std::int64_t place(std::int64_t s) {
  return s / kTaken * kOf + s % kTaken;
}

/// Two threads a sector, 16 bytes each, past the L1. A pass begins where the last one did not.
template <int kTaken, int kOf, bool kStoring>
__global__ void control_sectors_kernel(uint4* base, std::int64_t sectors, int passes) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int pass = 0; pass < passes; ++pass) {
    const std::int64_t s = (i / 2 + pass * (sectors / 8 + 1024)) % sectors;
    uint4* const at = base + place<kTaken, kOf>(s) * 2 + i % 2;
    if (kStoring) {
      __stcg(at, uint4{1, 2, 3, 4});
    } else {
      const uint4 v = __ldcg(at);
      if ((v.x & v.y & v.z & v.w) == 0x7fedcba9u) *base = v;
    }
  }
}

template <int kTaken, int kOf>
void packed(std::vector<Sectors>& rows, const std::string& name) {
  const auto with = [](auto kernel) {
    return [kernel](void* base, std::int64_t sectors, int passes, cudaStream_t stream) {
      return launch(kernel, {grid_1d(sectors * 2, kBlock), dim3(kBlock)}, stream,
                    static_cast<uint4*>(base), sectors, passes);
    };
  };
  rows.push_back({"load_" + name, kOf / kTaken, with(control_sectors_kernel<kTaken, kOf, false>)});
  rows.push_back({"store_" + name, kOf / kTaken, with(control_sectors_kernel<kTaken, kOf, true>)});
}

}  // namespace

std::vector<Sectors> sectors() {
  std::vector<Sectors> rows;
  packed<1, 1>(rows, "all");
  packed<1, 2>(rows, "1_of_2");
  packed<2, 4>(rows, "half_of_4");
  packed<1, 4>(rows, "1_of_4");
  return rows;
}

}  // namespace tutorial::controls
