// Streams, events, callbacks, memory that belongs to a stream.
// prints: callbacks: 2
// check: clean
#include "expect.h"

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }

int called = 0;
void count(void* by) { called += *static_cast<int*>(by); }
void CUDART_CB finished(cudaStream_t, cudaError_t status, void* by) {
  if (status == cudaSuccess) called += *static_cast<int*>(by);
}

int main() {
  int least, greatest, priority, one = 1, host[32];
  EXPECT(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess && greatest < least);
  cudaStream_t first, second;
  EXPECT(cudaStreamCreate(&first) == cudaSuccess);
  EXPECT(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest) == cudaSuccess);
  EXPECT(cudaStreamGetPriority(second, &priority) == cudaSuccess && priority == greatest);

  cudaEvent_t begin, end;
  EXPECT(cudaEventCreate(&begin) == cudaSuccess);
  EXPECT(cudaEventCreateWithFlags(&end, cudaEventBlockingSync) == cudaSuccess);
  int* x;
  EXPECT(cudaMallocAsync(&x, sizeof host, first) == cudaSuccess);
  EXPECT(cudaEventRecord(begin, first) == cudaSuccess);
  fill<<<1, 32, 0, first>>>(x, 9);
  EXPECT(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, first) == cudaSuccess);
  EXPECT(cudaEventRecord(end, first) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(second, end, 0) == cudaSuccess);
  EXPECT(cudaLaunchHostFunc(second, count, &one) == cudaSuccess);
  EXPECT(cudaStreamAddCallback(second, finished, &one, 0) == cudaSuccess);
  EXPECT(cudaEventSynchronize(end) == cudaSuccess && cudaEventQuery(end) == cudaSuccess);
  float milliseconds = -1;
  EXPECT(cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess && milliseconds >= 0);
  EXPECT(cudaStreamSynchronize(second) == cudaSuccess && cudaStreamQuery(first) == cudaSuccess);
  EXPECT(host[31] == 9);
  EXPECT(cudaFreeAsync(x, first) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(cudaStreamLegacy) == cudaSuccess);
  EXPECT(cudaEventDestroy(begin) == cudaSuccess && cudaEventDestroy(end) == cudaSuccess);
  EXPECT(cudaStreamDestroy(first) == cudaSuccess && cudaStreamDestroy(second) == cudaSuccess);
  std::printf("callbacks: %d\n", called);
  return wrong_count;
}
