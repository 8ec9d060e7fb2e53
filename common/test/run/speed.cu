// What the executor's threads, barriers and shuffles cost, in the processor's time (which other programs
// change little); common/notes/executor.md has the numbers. The argument: how many elements, as a power of 2.
// prints: plain loop, all cores +[0-9.]+
// prints: a shuffle +[0-9.]+
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpy_strided(float a, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = a * x[i] + y[i];
  }
}

__global__ void barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

__global__ void shuffles(int count, float* y) {
  float value = threadIdx.x;
  for (int i = 0; i < count; ++i) value += __shfl_xor_sync(0xffffffff, value, 1);
  if (value == -1) y[0] = value;
}

void plain(float a, const float* x, float* y, int begin, int end) {
  for (int i = begin; i < end; ++i) y[i] = a * x[i] + y[i];
}

/// The loop in the order of a grid-stride kernel whose threads run one by one.
void plain_strided(float a, const float* x, float* y, int n, int stride) {
  for (int first = 0; first < stride; ++first) {
    for (int i = first; i < n; i += stride) y[i] = a * x[i] + y[i];
  }
}

/// Nanoseconds of the processor, all cores together, for each of `count`; the best of five.
template <class Work>
void show(const char* what, double count, Work work) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    work();
    const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    if (seconds < best) best = seconds;
  }
  std::printf("%-36s %6.2f\n", what, best * 1e9 / count);
}

int main(int argc, char** argv) {
  const int n = 1 << (argc > 1 ? std::atoi(argv[1]) : 20);
  float *x, *y;
  if (cudaMallocManaged(&x, n * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&y, n * sizeof(float)) != cudaSuccess) return 1;
  for (int i = 0; i < n; ++i) x[i] = y[i] = 1;

  show("plain loop, one core", n, [&] { plain(2, x, y, 0, n); });
  show("plain loop, all cores", n, [&] {
    const int cores = std::thread::hardware_concurrency();
    std::vector<std::thread> threads;
    for (int i = 0; i < cores; ++i) {
      const long long share = n;
      threads.emplace_back(plain, 2.0f, x, y, share * i / cores, share * (i + 1) / cores);
    }
    for (std::thread& one : threads) one.join();
  });
  show("one element a thread, blocks of 128", n, [&] {
    saxpy<<<(n + 127) / 128, 128>>>(2, x, y, n);
    cudaDeviceSynchronize();
  });
  for (int blocks : {1023, 1024}) {
    char what[64];
    std::snprintf(what, sizeof what, "grid-stride, %d blocks of 256", blocks);
    show(what, n, [&] {
      saxpy_strided<<<blocks, 256>>>(2, x, y, n);
      cudaDeviceSynchronize();
    });
    std::snprintf(what, sizeof what, "  in its order, in plain C++");
    show(what, n, [&] { plain_strided(2, x, y, n, blocks * 256); });
  }
  const int blocks = 64, threads = 256, count = 100;
  show("a barrier, blocks of 256", 1.0 * blocks * threads * count, [&] {
    barriers<<<blocks, threads>>>(count);
    cudaDeviceSynchronize();
  });
  show("a shuffle", 1.0 * blocks * threads * count, [&] {
    shuffles<<<blocks, threads>>>(count, y);
    cudaDeviceSynchronize();
  });
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
