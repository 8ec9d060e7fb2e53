// refused: {here}: the CPU executor has no CUDA graphs: launch the kernels one after the other
__global__ void kernel() {}

int main() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);  // here
  kernel<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
}
