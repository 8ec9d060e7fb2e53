// What the host code of a program does: its accesses, its calls of the runtime.
#pragma once

#include "common/check/checker.h"
#include "common/check/streams.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tutorial::check {

/// A call of the runtime, while it lasts; calls that it makes itself are none of the program's.
class Call {
 public:
  Call(const char* name, const void* return_address);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  bool is_programs() const { return is_programs_; }
  Place place() const { return place_of(pc_); }
  /// Notes an error for the case that nobody asks for it.
  cudaError_t answer(cudaError_t error) const;

  const char* const name;

 private:
  std::uintptr_t pc_;
  bool is_programs_;
};

/// One side of a copy, or both: where, and how much.
struct Piece {
  const void* pointer;
  std::size_t bytes;  ///< from the first one to the last
  bool is_read;
};

class Host {
 public:
  static Host& instance();

  /// From now on the program is checked.
  void start();
  bool is_started() const { return is_started_; }
  /// The program ends with this exit code: the verdict. Where a fault was found this does not return.
  void end(int code);

  void access(const trace::Seen& seen);

  // The runtime's calls.
  void allocates(const Call& call);
  void frees(const Call& call, const void* pointer);
  /// False: the copy must not be done.
  bool copies(const Call& call, const Piece& to, const Piece& from, cudaMemcpyKind kind);
  /// The same of a `__device__` variable and the other side.
  bool copies_variable(const Call& call, const Piece& variable, const Piece& other,
                       cudaMemcpyKind kind);
  void has_copied(const Call& call, const Piece& to, const Piece& from, cudaStream_t stream,
                  bool is_async);
  void sets(const Call& call, const Piece& what);
  void has_set(const Piece& what, cudaStream_t stream);

  Streams streams;

 private:
  /// Work that the host has not waited for, and where it writes what the host may read.
  struct Work {
    trace::Extent bytes;
    Ticket ticket;
    std::string what;

    bool concerns(const trace::Seen& seen) const {
      return bytes.begin < seen.address + seen.bytes && seen.address < bytes.end;
    }
  };

  void meets_kernel(const trace::Seen& seen);
  void launch_ends(const cpu::Launch& launch);
  void tell_what_is_not_freed();
  void judge_side(const Call& call, const Piece& piece, bool on_device, const std::string& kind);
  Region* region_of(const void* pointer);
  bool judge_size(const Call& call, const Piece& piece, const Region& region);
  bool judge_array(const Call& call, const Piece& piece);
  static std::optional<Region> programs_array(const void* pointer);
  static std::string name_of(const Region& region);
  static std::string element_of(const Region& region, const trace::Seen& seen);

  Checker& checker_ = Checker::instance();
  Problems& problems_ = checker_.problems();
  Regions& regions_ = checker_.memory().regions();
  bool is_started_ = false, has_ended_ = false;
  std::thread::id main_ = std::this_thread::get_id();
  std::vector<Work> work_;
  std::map<std::string, int> allocations_;  // by line
};

}  // namespace tutorial::check
