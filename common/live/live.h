// Kernels that a page runs: what a chapter's proof/live.cu says of each.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tutorial::live {

/// What the page's controls stand at.
struct Controls {
  std::int64_t n = 1000;
  int threads = 128;  ///< a block
  int width = 16;     ///< bytes of an access, where a kernel leaves the choice
  bool barriers[2] = {true, true};
};

/// An array of the kernel's, the output last; of `elements` elements, or as many as n says.
struct Array {
  std::string name;
  std::size_t element;  ///< bytes
  std::int64_t elements = 0;
};

using Pointers = std::array<void*, 3>;

struct Kernel {
  std::string chapter, rung;
  std::vector<Array> arrays;
  /// By the launcher that the ladder uses.
  std::function<cudaError_t(const Pointers&, const Controls&)> launch;
  /// Which controls it has beside n and the offsets: "threads", "width", "barriers".
  std::vector<std::string> controls = {"threads"};
};

/// All of them, in the order of the pages' lists.
std::vector<Kernel>& kernels();

/// For a chapter's list: `const bool added = add({...})`.
inline bool add(std::vector<Kernel> more) {
  for (Kernel& one : more) kernels().push_back(std::move(one));
  return true;
}

}  // namespace tutorial::live
