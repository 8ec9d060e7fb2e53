// From places in the program to lines of the source, by the addr2line of the compiler's binutils.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutorial::trace {

/// One level of a place: the function, and where in it. The innermost comes first.
struct Frame {
  std::string function;
  std::string file;  ///< from the root of the repository, where it lies in there
  int line = 0;
  bool ours = false;  ///< in the repository, or a reader's
};

/// Where the program was loaded: its file has addresses from 0 on.
std::uintptr_t load_base();

/// Whether `file` is of the executor, or of what makes a program of its own run on it.
bool is_of_executor(const std::string& file);

class Symbols {
 public:
  static Symbols& instance();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// From now on a program of its own is looked at: its files lie anywhere. Outside of the repository they
  /// are named from the working directory, where that is shorter.
  void look_at_program() { is_program_ = true; }

  /// The frames of the call that returns to `pc`; asked once for each.
  const std::vector<Frame>& frames(std::uintptr_t pc);

  /// The name of the function that begins at `address`.
  std::string function_at(const void* address);

  /// Whether the access is one of the two by which a host compiler copies a half2 or a bf162: their
  /// copies are functions of NVIDIA's headers that move x and then y, where nvcc moves both at once.
  bool copies_pair(std::uintptr_t pc);

 private:
  Symbols();
  std::vector<Frame> ask(std::uintptr_t address);
  void shorten(Frame& frame) const;

  bool is_program_ = false;
  int to_ = -1, from_ = -1;
  std::uintptr_t base_ = 0;
  std::string pending_;
  std::unordered_map<std::uintptr_t, std::vector<Frame>> known_;
};

}  // namespace tutorial::trace
