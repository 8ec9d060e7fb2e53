// The program that runs one exhibit of a bug museum under AddressSanitizer, or under the checks
// (common/check). It needs the CUDA runtime and nothing else of the test support.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace tutorial::test {

/// Launches on buffers of exactly n elements, where n is odd: AddressSanitizer sees the first byte
/// past their ends. Both are zero.
template <class T>
void run_exhibit(cudaError_t (*launch)(const T* x, T* y, std::int64_t n, cudaStream_t stream)) {
  constexpr std::int64_t n = 1029;
  constexpr std::size_t bytes = n * sizeof(T);
  T* x = nullptr;
  T* y = nullptr;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemset(x, 0, bytes);
  cudaMemset(y, 0, bytes);
  std::printf("launch: %s\n", cudaGetErrorName(launch(x, y, n, nullptr)));
  cudaFree(x);
  cudaFree(y);
}

/// main() of exhibits_asan.cpp: runs the exhibit that the argument names. If nothing stops it, says "no memory
/// error"; what the checks have found, common/check/program.cpp adds. Exit code 2 for a name that is not among them.
inline int exhibit_main(int argc, char** argv,
                        const std::map<std::string, std::function<void()>>& exhibits) {
  const auto found = argc == 2 ? exhibits.find(argv[1]) : exhibits.end();
  if (found == exhibits.end()) {
    std::fprintf(stderr, "usage: %s EXHIBIT, which is one of:", argv[0]);
    for (const auto& exhibit : exhibits) std::fprintf(stderr, " %s", exhibit.first.c_str());
    std::fputc('\n', stderr);
    return 2;
  }
  found->second();
  std::puts("no memory error");
  return 0;
}

}  // namespace tutorial::test
