// refused: {here}: the CPU executor must see the kernel's type: pass the kernel itself, without a cast
__global__ void kernel(int* x) { x[0] = 1; }

int main() {
  int* x = nullptr;
  void* arguments[] = {&x};
  void* untyped = (void*)kernel;
  cudaLaunchKernel(untyped, 1, 1, arguments);  // here
}
