// exit() in the middle does not lose the verdict.
// exits: 7
// check: check_exit.cu:{past}: thread 32 of block 0 writes x\[32\], one past the end
#include <cstdlib>

__global__ void fill(int* x) {
  x[threadIdx.x] = 1;  // past
}

int main() {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 33>>>(x);
  std::exit(7);
}
