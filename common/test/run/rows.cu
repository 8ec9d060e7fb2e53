// Pitched memory: copies and fills of rows and boxes.
// prints: box 16, rows 0 11
#include "expect.h"

__global__ void add_one(char* begin, size_t pitch, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) ((float*)(begin + y * pitch))[x] += 1;
}

int main() {
  const int width = 5, height = 4;
  float host[height][width], back[height][width];
  for (int i = 0; i < width * height; ++i) host[i / width][i % width] = i;
  char* device;
  size_t pitch;
  EXPECT(cudaMallocPitch(&device, &pitch, width * sizeof(float), height) == cudaSuccess);
  EXPECT(pitch >= width * sizeof(float) && pitch % 128 == 0);
  const size_t row = width * sizeof(float);
  EXPECT(cudaMemcpy2D(device, pitch, host, row, row, height, cudaMemcpyHostToDevice) ==
         cudaSuccess);
  add_one<<<height, 32>>>(device, pitch, width, height);
  EXPECT(cudaMemcpy2D(back, row, device, pitch, row, height, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
  EXPECT(back[0][0] == 1 && back[3][4] == 20 && back[1][2] == 8);
  EXPECT(cudaMemset2D(device, pitch, 0, row, 2) == cudaSuccess);
  EXPECT(cudaMemcpy2D(back, row, device, pitch, row, height, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
  const float cleared = back[1][4], kept = back[2][0];
  EXPECT(cudaFree(device) == cudaSuccess);

  cudaPitchedPtr box;
  EXPECT(cudaMalloc3D(&box, make_cudaExtent(row, height, 2)) == cudaSuccess);
  cudaMemcpy3DParms copy = {0};
  copy.srcPtr = make_cudaPitchedPtr(host, row, width, height);
  copy.dstPtr = box;
  copy.extent = make_cudaExtent(row, height, 1);
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  EXPECT(cudaMemcpy(back, (char*)box.ptr + 3 * box.pitch, row, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
  EXPECT(cudaFree(box.ptr) == cudaSuccess);

  std::printf("box %g, rows %g %g\n", back[0][1], cleared, kept);
  return wrong_count;
}
