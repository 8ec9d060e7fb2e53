// What one access of a warp costs: the sectors of global memory that it touches, the passes over
// shared memory that it takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

namespace tutorial::trace {

enum class Operation : std::uint8_t { load, store, atomic };
enum class Space : std::uint8_t { global, shared };

constexpr unsigned kLanes = 32;
constexpr unsigned kSectorBytes = 32;
constexpr unsigned kPieceBytes = 64;  ///< what memory reads at once: two sectors

/// One access of a warp: the k-th of each lane at one place.
struct Request {
  std::uint32_t place = 0;
  std::uint16_t bytes = 0;  ///< a lane
  Operation operation = Operation::load;
  Space space = Space::global;
  std::uint32_t active = 0;  ///< lanes, as a mask
  std::array<std::uintptr_t, kLanes> address{};
};

/// What one request, or many, cost.
struct Cost {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;    ///< active ones
  std::uint64_t sectors = 0;  ///< of global memory, 32 bytes each
  std::uint64_t used = 0;     ///< bytes that lanes asked for, each once a request
  std::uint64_t phases = 0;   ///< passes over shared memory that there would be without a conflict
  std::uint64_t passes = 0;   ///< and those that there are
  std::uint64_t worst = 0;    ///< the largest number of ways of a conflict

  void add(const Cost& other);
};

Cost cost_of(const Request& request);

/// The sectors that a block loads, and those that it stores, each once.
class Footprint {
 public:
  void add(Operation operation, std::uintptr_t address, std::size_t bytes);
  std::uint64_t loaded() const { return loaded_.size(); }
  std::uint64_t stored() const { return stored_.size(); }
  /// Pieces of 64 bytes that memory reads for the loads, if no cache holds them.
  std::uint64_t pieces() const;

 private:
  std::set<std::uintptr_t> loaded_, stored_;
};

}  // namespace tutorial::trace
