// The machine and the build that a recorded number comes from. Tests and benchmarks write the same.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace tutorial::test {

namespace detail {

inline std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? line : "unknown";
}

inline std::string gpu() {
#if defined(TUTORIAL_BACKEND_CUDA)
  cudaDeviceProp properties;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return "none";
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return "none";
  return properties.name;
#else
  return "none";
#endif
}

/// An attribute of device 0 over `unit`, rounded down; "none" without a GPU.
inline std::string device_attribute([[maybe_unused]] cudaDeviceAttr attribute,
                                    [[maybe_unused]] int unit) {
#if defined(TUTORIAL_BACKEND_CUDA)
  int value = 0;
  if (cudaDeviceGetAttribute(&value, attribute, 0) != cudaSuccess) return "none";
  return std::to_string(value / unit);
#else
  return "none";
#endif
}

inline std::string driver() {
#if defined(TUTORIAL_BACKEND_CUDA)
  return first_line("/sys/module/nvidia/version");
#else
  return "none";
#endif
}

inline std::string cuda_version() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

/// TUTORIAL_COMMIT from the environment, or what git says of the working tree that this was built
/// from; "unknown" where neither is there.
inline std::string commit() {
  if (const char* given = std::getenv("TUTORIAL_COMMIT")) return given;
  const std::string file = __FILE__;
  const std::string folder = file.substr(0, file.find_last_of('/'));
  const std::string command = "git -C '" + folder + "' describe --always --dirty 2>/dev/null";
  std::array<char, 128> line{};
  FILE* git = popen(command.c_str(), "r");
  if (git == nullptr) return "unknown";
  const bool answered = std::fgets(line.data(), static_cast<int>(line.size()), git) != nullptr;
  pclose(git);
  const std::string text = answered ? line.data() : "unknown";
  return text.substr(0, text.find('\n'));
}

inline std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

inline std::string host_cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace detail

/// Names and values: backend ("cuda" or "cpu-executor"), gpu, driver, cuda, commit, compiler, cpu,
/// and the GPU's multiprocessors, the threads, blocks, registers and bytes of shared memory that one
/// holds, its highest clock in MHz and L2 in MiB.
inline std::vector<std::pair<std::string, std::string>> run_context() {
#if defined(TUTORIAL_BACKEND_CUDA)
  const char* backend = "cuda";
#else
  const char* backend = "cpu-executor";
#endif
  return {{"backend", backend},
          {"gpu", detail::gpu()},
          {"driver", detail::driver()},
          {"cuda", detail::cuda_version()},
          {"commit", detail::commit()},
          {"compiler", detail::compiler()},
          {"cpu", detail::host_cpu()},
          {"gpu_multiprocessors", detail::device_attribute(cudaDevAttrMultiProcessorCount, 1)},
          {"gpu_thread_slots", detail::device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, 1)},
          {"gpu_block_slots", detail::device_attribute(cudaDevAttrMaxBlocksPerMultiprocessor, 1)},
          {"gpu_registers", detail::device_attribute(cudaDevAttrMaxRegistersPerMultiprocessor, 1)},
          {"gpu_shared", detail::device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1)},
          {"gpu_clock_mhz", detail::device_attribute(cudaDevAttrClockRate, 1000)},
          {"gpu_l2_mib", detail::device_attribute(cudaDevAttrL2CacheSize, 1 << 20)}};
}

}  // namespace tutorial::test
