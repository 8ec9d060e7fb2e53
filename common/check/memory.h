// The memory that a kernel accesses: in which region an address is, and what the source calls it; or whose else the
// access is: the executor's, the compiler's.
#pragma once

#include "common/check/region.h"
#include "common/check/sentences.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace tutorial::check {

class Memory {
 public:
  explicit Memory(const Running& running) : running_(running) {}

  /// From now on there are the shared arrays of the program, and buffers lie far from each other. `is_program`: it is one
  /// of its own, of which it is followed what nobody has written.
  void start(bool is_program);
  bool is_of_program() const { return is_program_; }

  Regions& regions() { return regions_; }
  /// The buffers that there are now. `is_new` is told of each that was not there before.
  void find_buffers(const std::function<void(Region&)>& is_new = nullptr);
  /// The shared memory of the block that begins on this thread.
  void find_shared_memory();
  /// A buffer is called as the first of the kernel's parameters that points to it, and for stores as
  /// the last, which in place is the output.
  void name_regions();

  /// A kernel has allocated memory, or freed what a kernel had allocated.
  void kernel_allocates(void* pointer, std::size_t bytes, std::uintptr_t pc);
  void kernel_frees(const trace::Extent& bytes, std::uintptr_t pc);

  /// The region of an access, or nullptr: one of the kernel's own, or none. That of a variable may be missed by a
  /// little, and another one's found: what the line names is what is meant.
  Region* region_of(const trace::Seen& seen);
  /// Whether an access outside of all regions is the compiler's or the executor's: what a GPU keeps
  /// in registers, in the constant bank or in its own hardware.
  bool is_our_own(const trace::Seen& seen);
  /// Whether the call that returns there is the program's own.
  bool is_programs(std::uintptr_t pc);

 private:
  bool is_of_launch(const trace::Seen& seen) const;

  const Running& running_;
  Regions regions_;
  bool is_program_ = false;
  trace::Extent host_stack_;
  std::set<std::uintptr_t> our_own_;  // places of the executor's
  std::map<std::uintptr_t, bool> programs_;
  std::set<std::pair<std::uintptr_t, const Region*>>
      meant_;  // places that name a variable, and find it
};

/// Whether the access is made by a function of the executor that a kernel's source compiles: such as
/// the reductions of a warp; or, where `or_inlined`, one that is inlined into a kernel, but for those
/// that access what the kernel names.
bool is_executors(std::uintptr_t pc, bool or_inlined);

/// Where an argument points to; 0: nowhere.
std::uintptr_t pointer_of(const cpu::Argument& argument);

/// Looks for the declaration of a shared array, or of a variable, above the line that accesses it.
void look_up(Region& region, const Place& where);

}  // namespace tutorial::check
