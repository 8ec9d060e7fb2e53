// Every way in which programs spell a launch.
// always
// prints: 1 2 3 4 5 6 7 8 9 10 11 12
// check: clean
#include <cstddef>
#include <cstdio>
#include <vector>

__global__ void set(int* x, int value) { *x = value; }
template <typename T>
__global__ void set_any(T* x, T value) {
  *x = value;
}
template <int kValue, typename T>
__global__ void set_fixed(T* x) {
  *x = kValue;
}
template <int kFirst, int kSecond>
__global__ void add(int* x) {
  *x = kFirst + kSecond;
}
__global__ void by_default(int* x, int value = 6) { *x = value; }
__global__ void overloaded(int* x) { *x = 7; }
void overloaded(int& x) { x = 0; }
__global__ void nothing(const int* x, const void* y) {
  if (x != nullptr || y != nullptr) printf("wrong\n");
}
struct Pair {
  int a, b;
};
__global__ void sum(int* x, Pair pair) { *x = pair.a + pair.b; }
namespace inner {
__global__ void set(int* x, int value) { *x = value; }
struct Holder {
  static constexpr int kBlocks = 1;
};
}  // namespace inner
extern "C" __global__ void __launch_bounds__(128, 2) bounded(int* x) { *x = 12; }

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define LAUNCH_IN_TWO_LINES(kernel, blocks, ...) kernel<<<blocks, 1>>>(__VA_ARGS__)

template <class T>
void launch_from_a_template(T* x, T value) {
  set_any<T><<<inner::Holder::kBlocks, 1>>>(x, value);
}

int main() {
  constexpr int n = 12;
  int* x;
  cudaMalloc(&x, n * sizeof(int));
  const char* text = "set<<<1, 1>>>(x, 9)";  // set<<<1, 1>>>(x, 9)
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  set<<<1, 1>>>(x, 1);
  set_any<int><<<dim3(1), dim3(1, 1, 1), 0, stream>>>(x + 1, 2);
  set_any<<<1, 1>>>(x + 2, 3);
  set_fixed<4><<<(1 << 0), (2 >> 1)>>>(x + 3);
  add<2, (4 > 3 ? 3 : 0)><<<1, 1>>>(x + 4);
  by_default<<<1, 1>>>(x + 5);
  overloaded<<<1, 1>>>(x + 6);
  sum<<<1, 1>>>(x + 7, {3, 5});
  LAUNCH(inner::set, x + 8, 9);
  LAUNCH_IN_TWO_LINES(set, 1, x + 9, 10);
  void (*kernels[])(int*, int) = {set, inner::set};
  kernels[1]<<<1, 1>>>(x + 10, 11);
  bounded<<<1, 1>>>(x + 11);
  nothing<<<1, 1>>>(NULL, 0);
  launch_from_a_template(x, 1);
  int own = 3;
  overloaded(own);
  std::vector<int> y(n);
  cudaMemcpy(y.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (const int value : y) std::printf("%d ", value);
  std::printf("%s%s", text + 19, cudaGetErrorString(cudaGetLastError()));
  cudaStreamDestroy(stream);
  cudaFree(x);
  return own;
}
