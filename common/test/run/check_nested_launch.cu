// What a kernel may not expect of the grids that it launches, nor they of it.
// check: check_nested_launch.cu:{twice}: thread 1 of block 0 reads x\[1\], which thread 1 of block 0 of no_barrier writes in .*:{store}, and nothing puts that before the launch of this grid
// check: check_nested_launch.cu:{fill}: thread 0 of block 0 writes y\[0\], which thread 0 of block 0 of reads_early reads in .*:{early}, and nothing puts that before the launch
// check: check_nested_launch.cu:{halve}: thread 0 of block 0 reads z\[0\], which thread 0 of block 0 of halve writes in the same line, and nothing orders the two grids
// check: check_nested_launch.cu:{unwaited}: host code reads managed\[0\], which fill, launched in .*:{launch}, writes, and nothing has waited
#include <cstdio>

__global__ void twice(int* x) {
  x[threadIdx.x] *= 2;  // twice
}
__global__ void fill(int* y) {
  y[threadIdx.x] = 1;  // fill
}
__global__ void halve(int* z) {
  z[threadIdx.x] /= 2;  // halve
}

__global__ void no_barrier(int* x) {
  x[threadIdx.x] = threadIdx.x;               // store
  if (threadIdx.x == 0) twice<<<1, 32>>>(x);  // the others may not have stored yet
}
__global__ void reads_early(int* y, int* sum) {
  fill<<<1, 1>>>(y);
  *sum = *y;  // early
}
__global__ void two_blocks(int* z) { halve<<<1, 1>>>(z); }
__global__ void launches(int* managed) {
  fill<<<1, 1>>>(managed);  // launch
}

int main() {
  int *x, *y, *managed;
  cudaMalloc(&x, 32 * sizeof(int)), cudaMalloc(&y, 2 * sizeof(int));
  cudaMallocManaged(&managed, sizeof(int));
  cudaMemset(y, 0, 2 * sizeof(int));
  no_barrier<<<1, 32>>>(x);
  reads_early<<<1, 1>>>(y, y + 1);
  two_blocks<<<2, 1>>>(y);
  cudaDeviceSynchronize();
  launches<<<1, 1>>>(managed);
  std::printf("%d\n", *managed);  // unwaited
  cudaDeviceSynchronize();
  cudaFree(x), cudaFree(y), cudaFree(managed);
}
