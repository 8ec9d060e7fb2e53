// Warp functions: reductions, matches, who is active.
// prints: 496 odd lanes aaaaaaaa
// check: clean
#include "expect.h"

struct Lane {
  unsigned sum, least, most, all_bits, any_bits, odd_bits, same, all_same, active;
  int signed_sum, signed_least, is_all_same;
  long long wide;
  double real;
};

__global__ void ask(Lane* out) {
  const unsigned lane = threadIdx.x, all = 0xffffffff;
  Lane my = {};
  my.sum = __reduce_add_sync(all, lane);
  my.least = __reduce_min_sync(all, lane + 5);
  my.most = __reduce_max_sync(all, lane);
  my.all_bits = __reduce_and_sync(all, lane | 64u);
  my.any_bits = __reduce_or_sync(all, lane);
  my.odd_bits = __reduce_xor_sync(all, 1u << lane);
  my.signed_sum = __reduce_add_sync(all, -int(lane));
  my.signed_least = __reduce_min_sync(all, 3 - int(lane));
  my.same = __match_any_sync(all, lane / 8);
  my.all_same = __match_all_sync(all, lane / 32, &my.is_all_same);
  my.wide = __shfl_xor_sync(all, (1ll << 40) + lane, 1);
  my.real = __shfl_down_sync(all, lane + 0.25, 2, 8);
  if (lane % 2) my.active = __activemask();
  out[lane] = my;
}

int main() {
  Lane *out, host[32];
  EXPECT(cudaMalloc(&out, sizeof host) == cudaSuccess);
  ask<<<1, 32>>>(out);
  EXPECT(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 32; ++i) {
    const Lane& is = host[i];
    EXPECT(is.sum == 496 && is.least == 5 && is.most == 31 && is.signed_least == -28);
    EXPECT(is.all_bits == 64 && is.any_bits == 31 && is.odd_bits == 0xffffffff);
    EXPECT(is.signed_sum == -496 && is.same == 0xffu << i / 8 * 8);
    EXPECT(is.all_same == 0xffffffff && is.is_all_same);
    EXPECT(is.wide == (1ll << 40) + (i ^ 1));
    EXPECT(is.real == (i % 8 < 6 ? i + 2.25 : i + 0.25));
  }
  std::printf("%u odd lanes %x\n", host[0].sum, host[1].active);
  return cudaFree(out) == cudaSuccess ? wrong_count : 1;
}
