// refused: {here}: the CPU executor has no textures, surfaces and CUDA arrays: use a pointer
__global__ void fetch(cudaTextureObject_t picture, float* y) {
  y[threadIdx.x] = tex2D<float>(picture, threadIdx.x, 0);  // here
}

int main() { fetch<<<1, 32>>>(0, nullptr); }
