// Right programs that work in shared memory: nothing may be found.
// prints: right
// check: clean
#include <cstdio>
#include <vector>

constexpr int kTile = 16;

/// Two tiles take turns: one is filled while the other is read.
__global__ void double_buffered(const float* x, float* y, int tiles) {
  __shared__ float tile[2][64];
  tile[0][threadIdx.x] = x[threadIdx.x];
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    __syncthreads();
    if (k + 1 < tiles) tile[(k + 1) % 2][threadIdx.x] = x[(k + 1) * 64 + threadIdx.x];
    sum += tile[k % 2][63 - threadIdx.x];
  }
  y[threadIdx.x] = sum;
}

__global__ void transpose(const float* x, float* y, int n) {
  __shared__ float tile[kTile][kTile + 1];
  int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  if (row < n && column < n) tile[threadIdx.y][threadIdx.x] = x[row * n + column];
  __syncthreads();
  column = blockIdx.y * kTile + threadIdx.x, row = blockIdx.x * kTile + threadIdx.y;
  if (row < n && column < n) y[row * n + column] = tile[threadIdx.x][threadIdx.y];
}

__global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int mine[32];
  if (threadIdx.x < 32) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[x[i] % 32], 1);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/// Threads that have nothing to do return before the barrier: since Volta it does not wait for them.
__global__ void early_return(float* y, int n) {
  __shared__ float first;
  if (threadIdx.x >= n) return;
  if (threadIdx.x == 0) first = 1.0f;
  __syncthreads();
  y[threadIdx.x] = first;
}

struct Particle {
  char kind;
  float x, y;
  double mass;
};

/// A struct with gaps between its members, in shared and in global memory.
__global__ void move(Particle* all, int n) {
  extern __shared__ Particle some[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Particle one;
    one.kind = 1, one.x = i, one.y = 0, one.mass = 1;
    some[threadIdx.x] = one;
  }
  __syncthreads();
  if (i >= n) return;
  all[i] = some[threadIdx.x];
  Particle moved = all[i];
  moved.x += 1;
  all[i] = moved;
}

__global__ void in_boxes(int* y) {
  __shared__ int tile[4][4][4];
  tile[threadIdx.z][threadIdx.y][threadIdx.x] = threadIdx.x + 4 * threadIdx.y + 16 * threadIdx.z;
  __syncthreads();
  const int i = threadIdx.x + 4 * threadIdx.y + 16 * threadIdx.z;
  y[64 * (blockIdx.x + 2 * blockIdx.y) + i] = tile[threadIdx.x][threadIdx.y][threadIdx.z];
}

int main() {
  const int n = 50, bytes = n * n * sizeof(float);
  std::vector<float> x(n * n, 1.0f);
  std::vector<int> numbers(n * n, 7);
  float *d_x, *d_y;
  int *d_numbers, *d_bins, bins[32];
  Particle* d_particles;
  cudaMalloc(&d_x, bytes), cudaMalloc(&d_y, bytes), cudaMalloc(&d_numbers, bytes);
  cudaMalloc(&d_bins, sizeof bins), cudaMalloc(&d_particles, n * sizeof(Particle));
  cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_numbers, numbers.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_bins, 0, sizeof bins);
  double_buffered<<<1, 64>>>(d_x, d_y, 5);
  transpose<<<dim3(4, 4), dim3(kTile, kTile)>>>(d_x, d_y, n);
  histogram<<<3, 64>>>(d_numbers, d_bins, n * n);
  early_return<<<1, 64>>>(d_y, 50);
  move<<<2, 32, 32 * sizeof(Particle)>>>(d_particles, n);
  in_boxes<<<dim3(2, 2), dim3(4, 4, 4)>>>(d_numbers);
  cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost);
  std::printf("%s\n", bins[7] == n * n ? "right" : "wrong");
  cudaFree(d_x), cudaFree(d_y), cudaFree(d_numbers), cudaFree(d_bins), cudaFree(d_particles);
}
