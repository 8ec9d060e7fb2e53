// Host code that meets a kernel at work by atomics, on mapped and managed memory: nothing may be found.
// executor: where managed memory is not shared while a kernel runs, a host's access to it is a fault
// prints: 64 64 64 7 right
// check: clean
#include <atomic>
#include <cstdio>

__global__ void count(int* counter) { atomicAdd_system(counter, 1); }

__global__ void publish(int* data, volatile int* flag) {
  *data = 7;
  __threadfence_system();
  *flag = 1;
}

int main() {
  int *mapped, *managed, *data;
  std::atomic<int>* owned;
  volatile int* flag;
  cudaHostAlloc(&mapped, sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(&data, sizeof(int), cudaHostAllocMapped);
  cudaMallocManaged(&managed, sizeof(int));
  cudaMallocManaged(&owned, sizeof(int));
  *mapped = *managed = 0, *flag = 0, *owned = 0;
  count<<<1, 32>>>(mapped);
  for (int i = 0; i < 32; ++i) __sync_fetch_and_add(mapped, 1);
  count<<<1, 32>>>(managed);
  for (int i = 0; i < 32; ++i) __atomic_fetch_add(managed, 1, __ATOMIC_SEQ_CST);
  count<<<1, 32>>>((int*)owned);
  for (int i = 0; i < 32; ++i) ++*owned;
  cudaDeviceSynchronize();
  publish<<<1, 1>>>(data, flag);
  while (*flag == 0) {
  }
  std::printf("%d %d %d %d right\n", *mapped, *managed, owned->load(), *data);
  cudaDeviceSynchronize();
  cudaFreeHost(mapped), cudaFreeHost((void*)flag), cudaFreeHost(data), cudaFree(managed),
      cudaFree(owned);
}
