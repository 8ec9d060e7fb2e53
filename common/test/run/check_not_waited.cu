// What a kernel or a copy is still writing, read by the host.
// check: check_not_waited.cu:{managed}: host code reads managed\[5\], which fill, launched in .*:{launch}, writes, and nothing has waited
// check: check_not_waited.cu:{mapped}: host code reads mapped\[0\], which fill, launched in
// check: check_not_waited.cu:{copied}: host code reads pinned\[1\], which cudaMemcpyAsync in .*:{copy} writes
// check: check_not_waited.cu:{wrong_stream}: host code reads managed\[7\]
#include <cstdio>

__global__ void fill(int* to) { to[threadIdx.x] = threadIdx.x; }

int main() {
  int *managed, *mapped, *pinned, *device;
  cudaMallocManaged(&managed, 32 * sizeof(int));
  cudaHostAlloc(&mapped, 32 * sizeof(int), cudaHostAllocMapped);
  cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaMalloc(&device, 32 * sizeof(int));
  fill<<<1, 32>>>(managed);  // launch
  int sum = managed[5];      // managed
  fill<<<1, 32>>>(mapped);
  sum += mapped[0];  // mapped
  cudaStream_t one, two;
  cudaStreamCreate(&one), cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  fill<<<1, 32, 0, one>>>(device);
  cudaMemcpyAsync(pinned, device, 32 * sizeof(int), cudaMemcpyDeviceToHost, one);  // copy
  sum += pinned[1];                                                                // copied
  cudaDeviceSynchronize();
  fill<<<1, 32, 0, two>>>(managed);
  cudaStreamSynchronize(one);
  sum += managed[7];  // wrong_stream
  cudaDeviceSynchronize();
  std::printf("%d\n", sum);
  cudaFree(managed), cudaFreeHost(mapped), cudaFreeHost(pinned), cudaFree(device);
}
