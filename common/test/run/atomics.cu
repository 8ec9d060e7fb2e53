// Atomics of all types and scopes; a lock of a spinning thread a block.
// prints: 2048 in 64 bits
// check: clean
#include <cuda_fp16.h>

#include "expect.h"

struct Totals {
  int i, least;
  unsigned u, bits;
  unsigned long long wide, most;
  float f;
  double d;
  __half2 h;
  unsigned short s;
  int lock, guarded;
};

__global__ void count(Totals* all) {
  atomicAdd_system(&all->i, 1);
  atomicMin(&all->least, -int(blockIdx.x));
  atomicAdd_block(&all->u, 2);
  atomicOr(&all->bits, 1u << threadIdx.x % 32);
  atomicAdd(&all->wide, 1ull);
  atomicMax(&all->most, (unsigned long long)threadIdx.x << 40);
  atomicAdd(&all->f, 1.0f);
  atomicAdd(&all->d, 0.5);
  if (threadIdx.x < 2) atomicAdd(&all->h, __floats2half2_rn(1.0f, 2.0f));
  if (threadIdx.x == 0) {
    unsigned short old = atomicCAS(&all->s, (unsigned short)0, (unsigned short)0), assumed;
    do {
      assumed = old;
      old = atomicCAS(&all->s, assumed, (unsigned short)(assumed + 1));
    } while (assumed != old);
    while (atomicCAS(&all->lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    all->guarded += 1;
    __threadfence();
    atomicExch(&all->lock, 0);
  }
}

int main() {
  Totals *device, all = {};
  EXPECT(cudaMalloc(&device, sizeof all) == cudaSuccess);
  EXPECT(cudaMemcpy(device, &all, sizeof all, cudaMemcpyHostToDevice) == cudaSuccess);
  count<<<16, 128>>>(device);
  EXPECT(cudaMemcpy(&all, device, sizeof all, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(all.i == 2048 && all.least == -15 && all.u == 4096 && all.bits == 0xffffffff);
  EXPECT(all.most == 127ull << 40 && all.f == 2048 && all.d == 1024 && all.s == 16);
  EXPECT(__low2float(all.h) == 32 && __high2float(all.h) == 64 && all.guarded == 16);
  std::printf("%llu in 64 bits\n", all.wide);
  return cudaFree(device) == cudaSuccess ? wrong_count : 1;
}
