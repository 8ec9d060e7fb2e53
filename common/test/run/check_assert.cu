// A failed device assertion is named at its line.
// exits: 0
// check: check_assert.cu:{failed}: block: .0,0,0., thread: .3,0,0. Assertion `x.i. < limit` failed
#include <cassert>

__global__ void small_numbers(const int* x, int limit) {
  const int i = threadIdx.x;
  assert(x[i] < limit);  // failed
}

int main() {
  int x[4] = {0, 1, 2, 3}, *d_x;
  cudaMalloc(&d_x, sizeof x);
  cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
  small_numbers<<<1, 4>>>(d_x, 3);
  cudaDeviceSynchronize();
  cudaFree(d_x);
}
