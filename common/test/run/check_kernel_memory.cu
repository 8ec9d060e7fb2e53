// Memory that a kernel allocates itself: its bounds, what is unwritten in it, races, and what is freed.
// check: check_kernel_memory.cu:{past}: thread 0 of block 0 reads element 4 .of 4 bytes. of own, one past the end .own has 4 elements
// check: check_kernel_memory.cu:{unwritten}: thread 0 of block 0 reads element 1 .* of own, which nobody has written
// check: check_kernel_memory.cu:{race}: thread 1 of block 0 writes element 0 .* of shared, which thread 0 of block 0 writes
// check: check_kernel_memory.cu:{host}: host code reads kept\[0\], which is memory of the device
// check: check_kernel_memory.cu:{freed}: thread 0 of block 0 reads kept\[0\], which .*check_kernel_memory.cu:{frees} has freed
#include <cstdio>

__device__ int* kept;

__global__ void with_faults(int* out) {
  int* own = new int[4];
  own[0] = 1;
  out[0] = own[4];           // past
  out[1] = own[0] + own[1];  // unwritten
  delete[] own;
  kept = (int*)malloc(sizeof(int));
  kept[0] = 3;
}

__global__ void frees_too_early(int* out) {
  free(kept);        // frees
  out[0] = kept[0];  // freed
}

__global__ void together(int* out) {
  __shared__ int* shared;
  if (threadIdx.x == 0) shared = (int*)malloc(sizeof(int));
  __syncthreads();
  shared[0] = threadIdx.x;  // race
  __syncthreads();
  out[threadIdx.x] = shared[0];
}

int main() {
  int *out, *memory;
  cudaMalloc(&out, 64 * sizeof(int));
  together<<<1, 64>>>(out);
  with_faults<<<1, 1>>>(out);
  cudaMemcpyFromSymbol(&memory, kept, sizeof memory);
  std::printf("%d\n", memory[0]);  // host
  frees_too_early<<<1, 1>>>(out);
  cudaFree(out);
}
