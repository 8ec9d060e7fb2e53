// Right programs with memory of both sides, streams and events: nothing may be found.
// prints: 10 7 3 right
// check: clean
#include <cstdio>
#include <cstring>
#include <vector>

__constant__ float weights[4];
__device__ float gain = 2.0f;

struct Arrays {
  float *x, *y;
  int n;
};

__global__ void weigh(Arrays arrays) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < arrays.n) arrays.y[i] = weights[i % 4] * arrays.x[i] * gain;
}

__global__ void in_place(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = x[i] + 1;
}

__global__ void row_sums(const float* x, size_t pitch, float* y, int columns) {
  const float* row = (const float*)((const char*)x + threadIdx.x * pitch);
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += row[k];
  y[threadIdx.x] = sum;
}

__global__ void add(const int* a, int* b) { b[threadIdx.x] += a[threadIdx.x]; }

int main() {
  const int n = 100;
  const float four[] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(weights, four, sizeof four);
  std::vector<float> x(n, 1.0f);
  Arrays arrays{nullptr, nullptr, n};
  cudaMalloc(&arrays.x, n * sizeof(float)), cudaMalloc(&arrays.y, n * sizeof(float));
  cudaMemcpy(arrays.x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  weigh<<<4, 32>>>(arrays);
  in_place<<<2, 32>>>(arrays.y, n);
  cudaMemcpy(x.data(), arrays.y, n * sizeof(float), cudaMemcpyDeviceToHost);
  float second = x[1];

  float* rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, 7 * sizeof(float), 5);
  std::vector<float> ones(35, 1.0f);
  cudaMemcpy2D(rows, pitch, ones.data(), 7 * sizeof(float), 7 * sizeof(float), 5,
               cudaMemcpyHostToDevice);
  row_sums<<<1, 5>>>(rows, pitch, arrays.y, 7);
  cudaMemcpy(x.data(), arrays.y, 5 * sizeof(float), cudaMemcpyDeviceToHost);

  int *managed, *pinned, *device;
  cudaMallocManaged(&managed, 32 * sizeof(int));
  cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaMalloc(&device, 32 * sizeof(int));
  std::memset(managed, 0xFF, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) pinned[i] = 2;
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking),
      cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEvent_t copied, added;
  cudaEventCreate(&copied), cudaEventCreate(&added);
  cudaMemcpyAsync(device, pinned, 32 * sizeof(int), cudaMemcpyHostToDevice, one);
  cudaEventRecord(copied, one);
  cudaStreamWaitEvent(two, copied, 0);
  add<<<1, 32, 0, two>>>(device, managed);
  add<<<1, 32, 0, two>>>(device, managed);
  cudaEventRecord(added, two);
  cudaEventSynchronize(added);
  const int sum = managed[31];
  cudaMemcpyAsync(pinned, managed, 32 * sizeof(int), cudaMemcpyDefault, two);
  cudaStreamSynchronize(two);
  std::printf("%g %g %d %s\n", 2 * second, x[4], pinned[0], sum == 3 ? "right" : "wrong");
  cudaStreamDestroy(one), cudaStreamDestroy(two), cudaEventDestroy(copied), cudaEventDestroy(added);
  cudaFree(arrays.x), cudaFree(arrays.y), cudaFree(rows), cudaFree(managed), cudaFreeHost(pinned),
      cudaFree(device);
}
