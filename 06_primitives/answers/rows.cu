// The exercise "rows" of rows.md: a softmax of rows of any length, in plain CUDA. Standard input holds the
// number of rows, of columns, and the numbers; the answers go to standard output, the kernel's time to stderr.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

//! [rows]
constexpr int kThreads = 256;

struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// Every thread gets op over the values of all threads of its block.
template <class Op>
__device__ float over_block(float value, Op op) {
  __shared__ float of_thread[kThreads];
  __syncthreads();  // an earlier call may still be reading
  of_thread[threadIdx.x] = value;
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) {
      of_thread[threadIdx.x] = op(of_thread[threadIdx.x], of_thread[threadIdx.x + step]);
    }
  }
  __syncthreads();
  return of_thread[0];
}

/// A block a row, which its threads walk through three times.
__global__ void softmax_kernel(const float* x, float* y, std::int64_t columns) {
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float max = -INFINITY, sum = 0.0f;
  for (std::int64_t c = threadIdx.x; c < columns; c += kThreads) max = fmaxf(max, x[c]);
  max = over_block(max, Larger{});
  for (std::int64_t c = threadIdx.x; c < columns; c += kThreads) sum += expf(x[c] - max);
  sum = over_block(sum, Sum{});
  for (std::int64_t c = threadIdx.x; c < columns; c += kThreads) y[c] = expf(x[c] - max) / sum;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  long rows = 0, columns = 0;
  if (std::scanf("%ld %ld", &rows, &columns) != 2 || rows <= 0 || columns <= 0) return 0;
  std::vector<float> x(rows * columns), y(x.size());
  for (float& number : x) {
    if (std::scanf("%f", &number) != 1) return 1;
  }
  const std::size_t bytes = x.size() * sizeof(float);
  float *device_x = nullptr, *device_y = nullptr;
  check(cudaMalloc(&device_x, bytes));
  check(cudaMalloc(&device_y, bytes));
  check(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaEventRecord(begin));
  softmax_kernel<<<rows, kThreads>>>(device_x, device_y, columns);
  check(cudaGetLastError());
  check(cudaEventRecord(end));
  check(cudaMemcpy(y.data(), device_y, bytes, cudaMemcpyDeviceToHost));
  float milliseconds = 0.0f;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  std::fprintf(stderr, "time: %.1f us\n", milliseconds * 1000.0f);
  for (const float number : y) std::printf("%.9g\n", number);
  for (const cudaEvent_t event : {begin, end}) check(cudaEventDestroy(event));
  for (float* const array : {device_x, device_y}) check(cudaFree(array));
}
//! [rows]
