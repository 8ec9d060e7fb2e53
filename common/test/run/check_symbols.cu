// Copies to and from variables of the device, and boxes.
// check: check_symbols.cu:{much}: cudaMemcpyToSymbol writes 128 bytes to weights, which has 64: 64 too many
// check: check_symbols.cu:{from_past}: cudaMemcpyToSymbol reads 64 bytes of few, which has 32: 32 too many
// check: check_symbols.cu:{behind}: cudaMemcpyFromSymbol reads 64 bytes of weights, which has 64 .32 bytes from there on.: 32 too many
// check: check_symbols.cu:{side}: cudaMemcpyToSymbol with cudaMemcpyHostToDevice reads from d_x, which is memory of the device
// check: check_symbols.cu:{box}: cudaMemcpy3D reads 64 bytes of few, which has 32: 32 too many
// hangs: a plain run reads behind arrays
#include <vector>

__constant__ float weights[16];

__global__ void look_up(float* y) { y[threadIdx.x] = weights[threadIdx.x]; }

int main() {
  float* d_x;
  cudaMalloc(&d_x, 64);
  std::vector<float> x(32, 1.0f);
  std::vector<float> few(8, 1.0f);
  cudaMemcpyToSymbol(weights, x.data(), 128);   // much
  cudaMemcpyToSymbol(weights, few.data(), 64);  // from_past
  cudaMemcpyToSymbol(weights, x.data(), 64);
  cudaMemcpyFromSymbol(x.data(), weights, 64, 32);  // behind
  cudaMemcpyFromSymbol(x.data() + 16, weights, 64);
  cudaMemcpyToSymbol(weights, d_x, 64, 0, cudaMemcpyHostToDevice);  // side
  look_up<<<1, 4>>>(d_x);
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(few.data(), 16, 16, 2);
  box.dstPtr = make_cudaPitchedPtr(d_x, 16, 16, 4);
  box.extent = make_cudaExtent(16, 2, 1);
  box.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&box);
  box.extent.height = 4;
  cudaMemcpy3D(&box);  // box
  cudaFree(d_x);
}
