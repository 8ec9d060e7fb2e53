// Accesses that g++ makes in parts, or twice, or in another order than nvcc: joined to what a GPU's lanes ask for.
// Nothing here knows of the program that runs: what it must know of places and buffers, it is given.
#pragma once

#include "common/trace/cost.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutorial::trace {

/// One access of one thread.
struct Access {
  std::uintptr_t address;
  std::uint32_t place;  ///< index of the place in the program
  std::uint16_t bytes;
  Operation operation;
  Space space;
};

/// Where the program makes accesses. Equal numbers are equal lines.
struct Place {
  std::uintptr_t pc;
  std::uint32_t lines;  ///< of the kernel and of the functions that are inlined there
  std::uint32_t line;   ///< of the kernel
  bool copies_pair;     ///< it moves one half of a half2 (Symbols::copies_pair)
};

/// A buffer of the operation, and how often each of its bytes was loaded and stored (saturating).
struct Buffer {
  std::string name;
  std::uintptr_t begin;
  std::size_t bytes;
  std::size_t element;  ///< bytes of one
  std::vector<std::uint8_t> loads, stores;

  bool holds(std::uintptr_t address) const { return address - begin < bytes; }
};

/// What places and addresses mean.
struct Meaning {
  std::vector<Place> places;
  std::vector<Buffer> buffers;

  /// The buffer that an address lies in; nullptr: none.
  const Buffer* buffer_at(std::uintptr_t address) const;
  bool same_line(std::uint32_t place, std::uint32_t other) const;
};

/// Joins the accesses of one thread, which are in their order.
void join(std::vector<Access>& accesses, const Meaning& meaning);

/// The requests that each lane makes, by their numbers.
using LaneRequests = std::array<std::vector<std::uint32_t>, kLanes>;

/// Joins the requests of one warp. One that has become part of another stays in the list, with no active lane.
void join(std::vector<Request>& requests, LaneRequests& lanes, const Meaning& meaning);

}  // namespace tutorial::trace
