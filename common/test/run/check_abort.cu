// Nor does abort(), or _Exit() at the end of it all.
// exits: 134
// check: check_abort.cu:{past}: thread 32 of block 0 writes x\[32\], one past the end
#include <cstdlib>

__global__ void fill(int* x) {
  x[threadIdx.x] = 1;  // past
}

int main(int argc, char**) {
  int* x;
  cudaMalloc(&x, 32 * sizeof(int));
  fill<<<1, 33>>>(x);
  if (argc > 1) _Exit(0);
  std::abort();
}
