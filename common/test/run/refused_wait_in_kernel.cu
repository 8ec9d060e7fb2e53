// refused: {here}: cudaDeviceSynchronize in a kernel: CUDA 12 has none, a kernel cannot wait for what it launches
__global__ void child() {}
__global__ void parent() {
  child<<<1, 1>>>();
  cudaDeviceSynchronize();  // here
}

int main() {
  parent<<<1, 1>>>();
  cudaDeviceSynchronize();
}
