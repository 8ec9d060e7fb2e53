// Graphs: of a capture over two streams, and built node by node. What is captured runs when the graph is launched.
// prints: captured: 0, launched: 3, again: 9
// prints: nodes: 10 20 30, then 11 22 33
// check: clean
#include "expect.h"

__global__ void add(int* x, int y) { x[threadIdx.x] += y; }
template <class T, int kTimes>
__global__ void multiply(T* x) {
  x[threadIdx.x] *= kTimes;
}
void CUDART_CB count(void* calls) { ++*static_cast<int*>(calls); }
/// The pointer that it launches through is gone when the graph is launched.
void launch_through(void (*kernel)(int*, int), cudaStream_t stream, int* x) {
  kernel<<<1, 32, 0, stream>>>(x, 2);
}

int main() {
  int *x, *pinned, calls = 0, two = 2;
  cudaStream_t one, other;
  cudaEvent_t fork, join;
  cudaStreamCreate(&one), cudaStreamCreate(&other);
  cudaEventCreate(&fork), cudaEventCreate(&join);
  cudaMalloc(&x, 32 * sizeof(int)), cudaMallocHost(&pinned, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) pinned[i] = 0;
  cudaMemcpy(x, pinned, 32 * sizeof(int), cudaMemcpyHostToDevice);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCaptureStatus status;
  EXPECT(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal) == cudaSuccess);
  EXPECT(cudaStreamIsCapturing(one, &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive);
  add<<<1, 32, 0, one>>>(x, 1);
  cudaEventRecord(fork, one), cudaStreamWaitEvent(other, fork, 0);
  launch_through(add, other, x);
  cudaEventRecord(join, other), cudaStreamWaitEvent(one, join, 0);
  cudaMemcpyAsync(pinned, x, 32 * sizeof(int), cudaMemcpyDeviceToHost, one);
  cudaLaunchHostFunc(one, count, &calls);
  EXPECT(cudaStreamEndCapture(one, &graph) == cudaSuccess);
  std::printf("captured: %d, ", pinned[31]);
  std::size_t nodes;
  EXPECT(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 4 && calls == 0);
  EXPECT(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0) == cudaSuccess);
  EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
  EXPECT(cudaGraphLaunch(exec, one) == cudaSuccess && cudaStreamSynchronize(one) == cudaSuccess);
  std::printf("launched: %d, ", pinned[31]);
  cudaGraphLaunch(exec, one), cudaGraphLaunch(exec, one);
  cudaStreamSynchronize(one);
  std::printf("again: %d\n", pinned[31]);
  EXPECT(calls == 3 && cudaGraphExecDestroy(exec) == cudaSuccess);

  // What waits, allocates, or belongs to the default stream, breaks a capture; a relaxed one allows allocations.
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  EXPECT(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  add<<<1, 32>>>(x, 1);
  EXPECT(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated);
  int* more;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal);
  EXPECT(cudaMalloc(&more, 4) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
  cudaGetLastError();
  cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed);
  EXPECT(cudaMalloc(&more, 4) == cudaSuccess);
  EXPECT(cudaStreamEndCapture(one, &graph) == cudaSuccess);
  cudaGraphDestroy(graph), cudaFree(more);

  // The copy is made first, and depends on the two kernels.
  int host[32];
  cudaMemsetParams zeros{};
  zeros.dst = x, zeros.elementSize = sizeof(int), zeros.width = 32, zeros.height = 1;
  cudaKernelNodeParams adds{}, multiplies{};
  void *to_add[] = {&x, &two}, *to_multiply[] = {&x};
  adds.func = (void*)add, adds.gridDim = dim3(1), adds.blockDim = dim3(32);
  multiplies = adds;
  adds.kernelParams = to_add, multiplies.kernelParams = to_multiply;
  multiplies.func = reinterpret_cast<void*>(multiply<int, 5>);
  cudaHostNodeParams call{count, &calls};
  cudaGraphNode_t zero, first, second, copy, last, empty;
  EXPECT(cudaGraphCreate(&graph, 0) == cudaSuccess);
  EXPECT(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, x, sizeof host,
                                  cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &zeros) == cudaSuccess);
  EXPECT(cudaGraphAddKernelNode(&first, graph, &zero, 1, &adds) == cudaSuccess);
  EXPECT(cudaGraphAddKernelNode(&second, graph, &first, 1, &multiplies) == cudaSuccess);
  EXPECT(cudaGraphAddEmptyNode(&empty, graph, &second, 1) == cudaSuccess);
  EXPECT(cudaGraphAddHostNode(&last, graph, &copy, 1, &call) == cudaSuccess);
#if CUDART_VERSION >= 13000
  EXPECT(cudaGraphAddDependencies(graph, &empty, &copy, nullptr, 1) == cudaSuccess);
#else
  EXPECT(cudaGraphAddDependencies(graph, &empty, &copy, 1) == cudaSuccess);
#endif
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  std::printf("nodes:");
  for (int round = 0; round < 3; ++round) {
    EXPECT(cudaGraphLaunch(exec, one) == cudaSuccess && cudaStreamSynchronize(one) == cudaSuccess);
    std::printf(" %d", host[31] * (round + 1));
  }
  int eleven = 11;
  to_add[1] = &eleven;
  EXPECT(cudaGraphExecKernelNodeSetParams(exec, second, &adds) == cudaSuccess);
  std::printf(", then");
  for (int round = 0; round < 3; ++round) {
    cudaGraphLaunch(exec, one), cudaStreamSynchronize(one);
    std::printf(" %d", (host[31] - two) * (round + 1));
  }
  std::printf("\n");
  EXPECT(calls == 9);
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
  cudaEventDestroy(fork), cudaEventDestroy(join);
  cudaStreamDestroy(one), cudaStreamDestroy(other);
  cudaFree(x), cudaFreeHost(pinned);
  return wrong_count;
}
