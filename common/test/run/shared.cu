// Shared memory in every spelling: static, dynamic, of a file, of a template, with an alignment, of rows.
// prints: 2016 2016 2016 2016 2016 2016
// check: clean
#include <cstdio>

constexpr int kThreads = 64;

extern __shared__ __align__(16) unsigned char bytes_of_file[];
__shared__ int of_file[kThreads];

template <class T>
struct SharedMemory {
  __device__ operator T*() {
    extern __shared__ int __smem[];
    return reinterpret_cast<T*>(__smem);
  }
};

// Each thread writes its number to a slot that another thread reads.
__global__ void dynamic(int* y) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(y, s[kThreads - 1 - threadIdx.x]);
}
__global__ void of_a_file(int* y) {
  int* s = (int*)bytes_of_file;
  s[threadIdx.x] = of_file[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(y, (s[kThreads - 1 - threadIdx.x] + of_file[kThreads - 1 - threadIdx.x]) / 2);
}
template <class T>
__global__ void of_a_template(int* y) {
  T* s = SharedMemory<T>();
  __shared__ T more[kThreads];
  s[threadIdx.x] = more[threadIdx.x] = static_cast<T>(threadIdx.x);
  __syncthreads();
  atomicAdd(y,
            static_cast<int>(s[kThreads - 1 - threadIdx.x] + more[kThreads - 1 - threadIdx.x]) / 2);
}
__global__ void of_rows(int* y) {
  extern volatile __shared__ int rows[][8];
  static __shared__ int other[8][8 + 1];
  volatile __shared__ int one;
  rows[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  other[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  if (threadIdx.x == 0) one = 1;
  __syncthreads();
  const int from = kThreads - 1 - threadIdx.x;
  atomicAdd(y, one * (rows[from / 8][from % 8] + other[from / 8][from % 8]) / 2);
}
__global__ void mixed(int* y) {
  extern __shared__ float4 wide[];
  int* const s = reinterpret_cast<int*>(wide) + 4;
  if (threadIdx.x == 0) wide[0].x = 0;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(y, s[kThreads - 1 - threadIdx.x]);
}

int main() {
  int* y;
  constexpr int n = 6;
  cudaMalloc(&y, n * sizeof(int));
  cudaMemset(y, 0, n * sizeof(int));
  constexpr int bytes = kThreads * sizeof(int);
  dynamic<<<1, kThreads, bytes>>>(y);
  of_a_file<<<1, kThreads, bytes>>>(y + 1);
  of_a_template<int><<<1, kThreads, bytes>>>(y + 2);
  of_a_template<float><<<1, kThreads, bytes>>>(y + 3);
  of_rows<<<1, kThreads, bytes>>>(y + 4);
  mixed<<<1, kThreads, bytes + 16>>>(y + 5);
  int sums[n];
  cudaMemcpy(sums, y, sizeof sums, cudaMemcpyDeviceToHost);
  for (const int sum : sums) std::printf("%d ", sum);
  std::printf("\n");
  cudaFree(y);
}
