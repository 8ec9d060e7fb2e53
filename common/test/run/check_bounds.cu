// Past the end, and before the beginning, of every kind of memory of the device.
// hangs: or corrupts the heap
// check: check_bounds.cu:{guard}: thread 4 of block 3 writes y\[100\], one past the end .y has 100 elements.
// check: check_bounds.cu:{left}: thread 0 of block 0 reads x\[-1\], 1 before the beginning
// check: check_bounds.cu:{odd}: thread 12 of block 0 reads pairs\[25\], one past the end .pairs has 25 elements.
// check: check_bounds.cu:{table}: thread 4 of block 0 reads table\[4\], one past the end .table has 4 elements.
// check: check_bounds.cu:{weights}: thread 3 of block 0 reads weights\[3\], one past the end .weights has 3 elements.
// check: check_bounds.cu:{pinned}: thread 10 of block 0 writes pinned\[10\], one past the end
// check: check_bounds.cu:{managed}: thread 10 of block 0 writes managed\[10\], one past the end
// check: check_bounds.cu:{mapped}: thread 0 of block 0 writes mapped\[-1\], 1 before the beginning

__device__ float table[4];
__constant__ float weights[3];

__global__ void scale(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = 1.0f;  // guard
}

__global__ void from_the_left(const float* x, float* y) {
  const float last = x[(int)threadIdx.x - 1];  // left
  y[threadIdx.x] = threadIdx.x > 0 ? last : 0.0f;
}

__global__ void in_pairs(const float* pairs, float* y) {
  const int i = 2 * threadIdx.x;
  y[threadIdx.x] = pairs[i] + pairs[i + 1];  // odd
}

__global__ void look_up(float* y) {
  y[threadIdx.x] = table[threadIdx.x];  // table
}

__global__ void weigh(float* y) {
  y[threadIdx.x] = weights[threadIdx.x];  // weights
}

__global__ void fill_pinned(int* pinned) {
  pinned[threadIdx.x] = 1;  // pinned
}

__global__ void fill_managed(int* managed) {
  managed[threadIdx.x] = 1;  // managed
}

__global__ void fill_mapped(int* mapped) {
  mapped[(int)threadIdx.x - 1] = 1;  // mapped
}

int main() {
  float *y, *x;
  cudaMalloc(&y, 100 * sizeof(float));
  cudaMalloc(&x, 25 * sizeof(float));
  cudaMemset(x, 0, 25 * sizeof(float));
  scale<<<4, 32>>>(y, 100);
  from_the_left<<<1, 8>>>(x, y);
  in_pairs<<<1, 13>>>(x, y);
  look_up<<<1, 5>>>(y);
  weigh<<<1, 4>>>(y);
  int *pinned, *managed, *mapped;
  cudaMallocHost(&pinned, 10 * sizeof(int));
  cudaMallocManaged(&managed, 10 * sizeof(int));
  cudaHostAlloc(&mapped, 10 * sizeof(int), cudaHostAllocMapped);
  fill_pinned<<<1, 11>>>(pinned);
  fill_managed<<<1, 11>>>(managed);
  int* on_device;
  cudaHostGetDevicePointer(&on_device, mapped, 0);
  fill_mapped<<<1, 10>>>(on_device);
  cudaFreeHost(pinned), cudaFree(managed), cudaFreeHost(mapped), cudaFree(x), cudaFree(y);
  return cudaDeviceSynchronize();
}
