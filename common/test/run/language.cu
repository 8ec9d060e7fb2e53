// What CUDA adds to C++: qualifiers, lambdas, templates, recursion, memory that a kernel allocates.
// executor: a lambda for kernels needs a flag of nvcc's, and a function of ours is one of its own
// prints: from thread 0\nfrom thread 1
// prints: sum 63
// check: clean
#include <device_launch_parameters.h>

#include <algorithm>

#include "expect.h"
using namespace std;

#ifndef __CUDACC__
#error "nvcc would define it"
#endif

constexpr int kSteps = 4;
constexpr __host__ __device__ int square(int x) { return x * x; }
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ int twice(int x) { return 2 * x; }
__device__ int (*operation)(int) = twice;

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int sides() const { return 0; }
};
struct Triangle : Shape {
  __device__ int sides() const override { return 3; }
};

// As programs bring it for old devices.
#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double value) {
  unsigned long long* bits = (unsigned long long*)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
#endif

extern "C" __global__ void __launch_bounds__(128, 2) plain(int* __restrict__ out) {
#pragma unroll
  for (int i = 0; i < kSteps; ++i) atomicAdd(out, 1);
}

template <int kFactor, class T>
__global__ void scaled(T* out, const __grid_constant__ int by) {
  if (threadIdx.x == 0) *out += kFactor * by;
}

template <class Function>
__global__ void call(Function function, int* out) {
  if (threadIdx.x == 0) *out += function(3);
}

__global__ void rest(int* out, const int* nothing) {
  if (threadIdx.x > 1) return;
  printf("from thread %d\n", threadIdx.x);
  if (threadIdx.x > 0 || nothing != nullptr) return;
  int* own = new int[2]{1, 2};
  int* more = (int*)malloc(sizeof(int));
  *more = own[0] + own[1];
  const Triangle triangle;
  const Shape* shape = &triangle;
  const uint3 corner = make_uint3(1, 2, 3);
  const long long begin = clock64();
  const clock_t start = clock();
  *out += min(*more, 9) + shape->sides() + factorial(4) + operation(2) + corner.z + square(2);
  if (clock64() < begin || clock() < start) *out = -1;
  double half = 0.25;
  atomicAdd(&half, 0.25);
  if (half != 0.5) *out = -1;
  free(more);
  delete[] own;
}

int main() {
  int *out, sum = 0, offset = 4;
  EXPECT(cudaMalloc(&out, sizeof(int)) == cudaSuccess);
  EXPECT(cudaMemset(out, 0, sizeof(int)) == cudaSuccess);
  plain<<<1, 1>>>(out);
  scaled<2><<<1, 32>>>(out, 5);
  scaled<1, int><<<dim3(1, 1), dim3(32)>>>(out, 1);
  call<<<1, 32>>>([=] __device__(int x) { return x + offset; }, out);
  rest<<<1, 32>>>(out, NULL);
  EXPECT(cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  std::printf("sum %d\n", sum);
  EXPECT(cudaFree(out) == cudaSuccess);
  return wrong_count;
}
