// Copies of the wrong size, or in the wrong direction.
// check: check_copies.cu:{much}: cudaMemcpy writes 128 bytes to d_x, which has 64: 64 too many
// check: check_copies.cu:{past}: cudaMemcpy reads 64 bytes of d_x, which has 64 .32 bytes from there on.: 32 too many
// check: check_copies.cu:{fill}: cudaMemset writes 256 bytes to d_x, which has 64: 192 too many
// check: check_copies.cu:{back}: cudaMemcpy with cudaMemcpyHostToDevice reads from d_x, which is memory of the device
// check: check_copies.cu:{swapped}: cudaMemcpy with cudaMemcpyHostToDevice writes to memory of the host
// check: check_copies.cu:{side}: cudaMemcpy with cudaMemcpyDeviceToDevice reads from memory of the host
// check: check_copies.cu:{rows}: cudaMemcpy2D writes [0-9]+ bytes to d_x, which has 64
// check: check_copies.cu:{host_fill}: cudaMemset writes to memory of the host
#include <vector>

int main() {
  constexpr int n = 16;
  std::vector<float> x(4 * n, 1.0f), y(4 * n);
  float *d_x, *d_y;
  cudaMalloc((void**)&d_x, n * sizeof(float));
  cudaMalloc((void**)&d_y, n * sizeof(float));
  cudaMemcpy(d_x, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);  // much
  cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y.data(), d_x + 8, n * sizeof(float), cudaMemcpyDeviceToHost);  // past
  cudaMemset(d_x, 0, n * n);                                                 // fill
  cudaMemcpy(d_y, d_x, n * sizeof(float), cudaMemcpyHostToDevice);           // back
  cudaMemcpy(y.data(), d_x, n * sizeof(float), cudaMemcpyHostToDevice);      // swapped
  cudaMemcpy(d_y, x.data(), n * sizeof(float), cudaMemcpyDeviceToDevice);    // side
  cudaMemcpy2D(d_x, 32, x.data(), 16, 16, 4, cudaMemcpyHostToDevice);        // rows
  cudaMemset(y.data(), 0, n);                                                // host_fill
  cudaFree(d_x), cudaFree(d_y);
}
