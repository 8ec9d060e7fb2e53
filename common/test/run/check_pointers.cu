// A pointer on the wrong side, and memory that nobody has written.
// hangs: a plain run writes to freed memory, and may end in any way
// check: check_pointers.cu:{read}: host code reads d_x\[3\], which is memory of the device
// check: check_pointers.cu:{written}: host code writes d_y\[0\], which is memory of the device
// check: check_pointers.cu:{heap}: thread 0 of block 0 reads from\[0\], which is memory of the host
// check: check_pointers.cu:{stack}: thread 0 of block 0 writes to\[0\], which is memory of the host
// check: check_pointers.cu:{copied}: host code reads d_x\[0\], which is memory of the device
// check: check_pointers.cu:{input}: thread 0 of block 0 reads in\[0\], which nobody has written
// check: check_pointers.cu:{sum}: thread 0 of block 0 updates sum\[0\], which nobody has written
// check: check_pointers.cu:{result}: cudaMemcpy reads d_never, of which nobody has written a byte
// check: check_pointers.cu:{freed}: thread 0 of block 0 writes gone\[0\], which cudaFree in .*:{free} has freed
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void copy(const float* from, float* to) {
  to[threadIdx.x] = from[threadIdx.x];  // heap
}

__global__ void set(int* to) {
  *to = 1;  // stack
}

__global__ void twice(const float* in, float* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // input
}

__global__ void count(int* sum) {
  atomicAdd(sum, 1);  // sum
}

__global__ void use(int* gone) {
  gone[threadIdx.x] = 1;  // freed
}

int main() {
  std::vector<float> x(32, 1.0f);
  float *d_x, *d_y, *d_in, *d_never;
  int *d_sum, *gone;
  cudaMalloc(&d_x, 32 * sizeof(float));
  cudaMalloc(&d_y, 32 * sizeof(float));
  cudaMalloc(&d_in, 32 * sizeof(float));
  cudaMalloc(&d_never, 32 * sizeof(float));
  cudaMalloc(&d_sum, sizeof(int));
  cudaMalloc(&gone, 32 * sizeof(int));
  cudaMemcpy(d_x, x.data(), 32 * sizeof(float), cudaMemcpyHostToDevice);
  std::printf("%g\n", d_x[3]);  // read
  d_y[0] = 1.0f;                // written
  copy<<<1, 32>>>(x.data(), d_y);
  int local = 0;
  set<<<1, 1>>>(&local);
  std::memcpy(x.data(), d_x, 32 * sizeof(float));  // copied
  twice<<<1, 32>>>(d_in, d_y);
  count<<<1, 32>>>(d_sum);
  cudaMemcpy(x.data(), d_never, 32 * sizeof(float), cudaMemcpyDeviceToHost);  // result
  cudaFree(gone);                                                             // free
  use<<<1, 32>>>(gone);
  cudaFree(d_x), cudaFree(d_y), cudaFree(d_in), cudaFree(d_never), cudaFree(d_sum);
  return cudaDeviceSynchronize();
}
