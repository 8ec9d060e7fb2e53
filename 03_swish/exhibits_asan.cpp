// Runs one exhibit on buffers of exactly n elements, under AddressSanitizer. CPU executor only.
//
// This chapter's exhibits are wrong in what they compute, not in where they read and write: a
// sanitizer has nothing to say about them, and only a reference finds them.
// asan: f16_flushing: no memory error
// asan: f32_fdividef: no memory error
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "03_swish/exhibits.cuh"

namespace {

using tutorial::exhibits::swish_f16_flushing;
using tutorial::exhibits::swish_f32_fdividef;

template <class T>
void run(cudaError_t (*launcher)(const T*, T*, std::int64_t, cudaStream_t), std::int64_t n) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  T* x = nullptr;
  T* y = nullptr;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemset(x, 0, bytes);
  std::printf("launch: %s\n", cudaGetErrorName(launcher(x, y, n, nullptr)));
  cudaFree(x);
  cudaFree(y);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  constexpr std::int64_t kElements = 1029;  // no multiple of 2, 4 or 8
  if (name == "f16_flushing") {
    run(swish_f16_flushing, kElements);
  } else if (name == "f32_fdividef") {
    run(swish_f32_fdividef, kElements);
  } else {
    std::fprintf(stderr, "usage: %s EXHIBIT (the names are in exhibits_asan.cpp)\n", argv[0]);
    return 2;
  }
  std::puts("no memory error");
  return 0;
}
