// Memory that a kernel may access, and what is remembered of each byte.
#pragma once

#include "common/check/problems.h"
#include "common/trace/extent.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tutorial::check {

/// Who accessed a byte, when, and in which line.
struct Stamp {
  std::uint32_t serial = 0;  ///< the phase, between two barriers, that it was in
  std::uint32_t clock = 0;   ///< of the thread: how often it has met others, or passed an atomic on
  std::uint32_t block = 0;
  std::uint16_t thread = 0;
  std::uint16_t place : 15;
  std::uint16_t atomic : 1;

  Stamp() : place(0), atomic(0) {}
};

/// What is remembered of a byte. Of two reads by different threads one is another thread's than a
/// write that follows.
struct Cell {
  Stamp write;
  std::array<Stamp, 2> reads;
};

/// The cells of a region, made where it is accessed: one for four bytes as long as every access to a page
/// begins and ends at a multiple of four.
class Cells {
 public:
  /// visit(cell, at) for each cell of [begin, begin + bytes), whose first byte is `at`.
  template <class Visit>
  void visit(std::size_t begin, std::size_t bytes, const Visit& visit) {
    const std::size_t end = begin + bytes;
    for (std::size_t number = begin / kPage; number * kPage < end; ++number) {
      const std::size_t base = number * kPage;
      const std::size_t from = std::max(begin, base), to = std::min(end, base + kPage);
      Page& page = prepare(number, (from | to) % kWord == 0);
      for (std::size_t at = from; at < to; at += page.unit) {
        visit(page.cells[(at - base) / page.unit], at);
      }
    }
  }

  void clear() { pages_.clear(); }

  /// Pages that all regions have made: as long as there are more, a loop gets somewhere.
  static std::uint64_t made;

 private:
  static constexpr std::size_t kPage = 4096, kWord = 4;
  struct Page {
    std::size_t unit = 0;
    std::vector<Cell> cells = {};
  };

  Page& prepare(std::size_t number, bool in_words);

  std::vector<Page> pages_;
};

/// Addresses around a buffer that belong to nobody, and around a shared array. Far: the first half of what 32 bits
/// count is before the beginning, for elements of up to four bytes.
constexpr std::size_t kReach = std::size_t{1} << 30, kFarReach = std::size_t{9} << 30;
constexpr std::size_t kSharedReach = 32768;

struct Region {
  /// heap: what a kernel allocates itself.
  enum class Kind { buffer, heap, pinned, managed, variable, shared_array, dynamic_shared };

  Kind kind;
  std::uintptr_t begin;
  std::size_t bytes;
  std::string name, name_to_store;   ///< of the parameters that point to it; empty: not known
  std::uintptr_t base = 0;           ///< element 0
  std::size_t element = 0;           ///< bytes; 0: not known
  bool is_declared = false;          ///< what its declaration says is known
  unsigned rank = 0;                 ///< of shared memory in a launch of clusters: of whose block
  Cells cells = {};                  ///< of the launch
  trace::Extent stored = {};         ///< by the launch
  trace::Extent stored_before = {};  ///< by the launch before
  std::vector<bool> written = {};    ///< which bytes anybody has written; empty: not followed
  Place origin = {};                 ///< where a program has allocated it
  std::string called = {};           ///< as what

  bool is_shared() const { return kind >= Kind::shared_array; }
  /// Whether host code may access it.
  bool is_hosts() const { return kind == Kind::pinned || kind == Kind::managed; }
  std::uintptr_t end() const { return begin + bytes; }
  bool holds(std::uintptr_t address) const { return address - begin < bytes; }

  /// Notes that [address, address + bytes) has been written.
  void write(std::uintptr_t address, std::size_t bytes);
  /// Whether nobody has written any of these bytes. What was written unseen is known by its value.
  bool is_unwritten(std::uintptr_t address, std::size_t bytes) const;
};

/// All regions, by their addresses.
class Regions {
 public:
  /// From now on buffers lie that far apart.
  void keep_apart(std::size_t reach);
  /// Keeps the region that is there if it is the same.
  Region& add(Region::Kind kind, const void* begin, std::size_t bytes, const std::string& name);
  void remove(std::uintptr_t begin);
  /// The region that the address lies in, or nullptr.
  Region* at(std::uintptr_t address);
  /// That of the variable of the program that an access from this line was meant for, or nullptr.
  Region* variable_at(std::uintptr_t address, const std::string& line);
  /// The region that an address outside of all of them probably was meant for, or nullptr.
  Region* nearest(std::uintptr_t address);
  /// Memory that the program has freed.
  struct Freed {
    trace::Extent bytes;
    std::string name, how;  ///< "which cudaFree in file.cu:12 has freed"
  };
  void note_freed(const Freed& freed) { freed_[freed.bytes.begin] = freed; }
  const Freed* freed_at(std::uintptr_t address) const;
  /// Forgets what was freed there: the memory is given out again.
  void is_reused(const trace::Extent& bytes);

  template <class Visit>
  void for_all(const Visit& visit) {
    for (auto& [begin, region] : regions_) visit(*region);
  }

 private:
  std::map<std::uintptr_t, std::unique_ptr<Region>> regions_;
  std::size_t reach_ = kReach;
  std::map<std::uintptr_t, Freed> freed_;
  Region* last_ = nullptr;
  trace::Extent between_;
};

}  // namespace tutorial::check
