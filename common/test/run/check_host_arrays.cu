// Copies past an array of the host's: of its heap, or a variable.
// hangs: a plain run spoils its heap, and may end in any way
// check: check_host_arrays.cu:{vector}: cudaMemcpy reads 256 bytes of x, which has 64: 192 too many
// check: check_host_arrays.cu:{heap}: cudaMemcpy writes 256 bytes to y, which has 64: 192 too many
// check: check_host_arrays.cu:{grown}: cudaMemcpy reads 256 bytes of y, which has 128
// check: check_host_arrays.cu:{variable}: cudaMemcpy reads 256 bytes of table, which has 64
// check: check_host_arrays.cu:{inside}: cudaMemcpy reads 128 bytes of z, which has 256 .64 bytes from there on.: 64 too many
#include <cstdlib>
#include <string>
#include <vector>

float table[16] = {1};

int main() {
  float* device;
  cudaMalloc(&device, 256);
  std::vector<float> x(16);
  cudaMemcpy(device, x.data(), 256, cudaMemcpyHostToDevice);  // vector
  x.resize(64);
  cudaMemcpy(device, x.data(), 256, cudaMemcpyHostToDevice);
  float* y = (float*)malloc(64);
  cudaMemcpy(y, device, 256, cudaMemcpyDeviceToHost);  // heap
  y = (float*)realloc(y, 128);
  cudaMemcpy(device, y, 256, cudaMemcpyHostToDevice);  // grown
  free(y);
  cudaMemcpy(device, table, 256, cudaMemcpyHostToDevice);  // variable
  float* z = new float[64];
  cudaMemcpy(device, z, 256, cudaMemcpyHostToDevice);
  cudaMemcpy(device, z + 48, 128, cudaMemcpyHostToDevice);  // inside
  delete[] z;
  std::string text;
  for (int i = 0; i < 255; ++i) text += 'a';
  cudaMemcpy(device, text.c_str(), text.size() + 1, cudaMemcpyHostToDevice);
  cudaFree(device);
}
