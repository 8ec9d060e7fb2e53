// A graph that was captured and is not launched; one whose results nobody waits for; a copy of it that is too large.
// check: check_graphs.cu:{early}: cudaMemcpy reads x, of which nobody has written a byte
// check: check_graphs.cu:{unwaited}: host code reads pinned\[3\], which cudaMemcpyAsync in .*check_graphs.cu:{copy} writes
// check: check_graphs.cu:{overrun}: thread 32 of block 0 writes x\[32\], one past the end
// check: check_graphs.cu:{node}: cudaMemcpyAsync reads 132 bytes of x, which has 128: 4 too many
#include <cstdio>

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }  // overrun

int main() {
  int *x, *pinned, host[33];
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, 32 * sizeof(int)), cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<1, 33, 0, stream>>>(x);
  cudaMemcpyAsync(pinned, x, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);  // copy
  cudaStreamEndCapture(stream, &graph);
  cudaMemcpy(host, x, 32 * sizeof(int), cudaMemcpyDeviceToHost);  // early
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  int sum = pinned[3];  // unwaited
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);

  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, x, 132, cudaMemcpyDefault);  // node
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d\n", sum);
  cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
  cudaFree(x), cudaFreeHost(pinned);
}
