// The sectors and passes of one access of a warp.

#include "common/trace/cost.h"

#include <algorithm>
#include <vector>

namespace tutorial::trace {

namespace {

/// A lane's bytes, as an interval.
struct Piece {
  std::uintptr_t begin, end;
};

/// The lanes' bytes in order, as intervals that do not touch each other.
std::vector<Piece> joined(const Request& request, std::uint32_t lanes) {
  std::vector<Piece> pieces;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    pieces.push_back({request.address[lane], request.address[lane] + request.bytes});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].begin <= pieces[last].end) {
      pieces[last].end = std::max(pieces[last].end, pieces[i].end);
    } else {
      pieces[++last] = pieces[i];
    }
  }
  if (!pieces.empty()) pieces.resize(last + 1);
  return pieces;
}

std::uint64_t sectors_in(const std::vector<Piece>& pieces) {
  std::uint64_t count = 0;
  std::uintptr_t next = 0;  // the first sector that has not been counted
  for (const Piece& piece : pieces) {
    const std::uintptr_t first = std::max(next, piece.begin / kSectorBytes);
    const std::uintptr_t end = (piece.end - 1) / kSectorBytes + 1;
    if (end > first) count += end - first;
    next = std::max(next, end);
  }
  return count;
}

/// How many passes the 32 banks of 4 bytes need for these lanes: the most different words that one
/// bank is asked for. A word that several lanes ask for counts once.
std::uint64_t ways(const Request& request, std::uint32_t lanes) {
  std::array<std::uint8_t, kLanes> words{};
  std::uintptr_t next = 0;
  std::uint64_t most = 0;
  for (const Piece& piece : joined(request, lanes)) {
    const std::uintptr_t first = std::max(next, piece.begin / 4);
    const std::uintptr_t end = (piece.end - 1) / 4 + 1;
    for (std::uintptr_t word = first; word < end; ++word) {
      most = std::max<std::uint64_t>(most, ++words[word % words.size()]);
    }
    next = std::max(next, end);
  }
  return most;
}

}  // namespace

void Cost::add(const Cost& other) {
  requests += other.requests;
  lanes += other.lanes;
  sectors += other.sectors;
  used += other.used;
  phases += other.phases;
  passes += other.passes;
  worst = std::max(worst, other.worst);
}

/// Shared memory answers 32 lanes of at most 4 bytes at once, 8-byte accesses by half warps, and
/// 16-byte ones by quarters.
Cost cost_of(const Request& request) {
  Cost cost;
  cost.requests = 1;
  cost.lanes = static_cast<std::uint64_t>(__builtin_popcount(request.active));
  const std::vector<Piece> pieces = joined(request, request.active);
  for (const Piece& piece : pieces) cost.used += piece.end - piece.begin;
  if (request.space == Space::global) {
    cost.sectors = sectors_in(pieces);
    return cost;
  }
  const unsigned lanes = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  for (unsigned first = 0; first < kLanes; first += lanes) {
    const std::uint32_t phase = lanes == 32 ? ~0U : ((1U << lanes) - 1) << first;
    if ((request.active & phase) == 0) continue;
    const std::uint64_t needed = ways(request, request.active & phase);
    ++cost.phases;
    cost.passes += needed;
    cost.worst = std::max(cost.worst, needed);
  }
  return cost;
}

void Footprint::add(Operation operation, std::uintptr_t address, std::size_t bytes) {
  auto& sectors = operation == Operation::load ? loaded_ : stored_;
  const std::uintptr_t last = (address + bytes - 1) / kSectorBytes;
  for (std::uintptr_t sector = address / kSectorBytes; sector <= last; ++sector) {
    sectors.insert(sector);
  }
}

std::uint64_t Footprint::pieces() const {
  constexpr unsigned kEach = kPieceBytes / kSectorBytes;
  std::uint64_t count = 0;
  std::uintptr_t next = 0;  // the first piece that has not been counted
  for (const std::uintptr_t sector : loaded_) {
    if (sector / kEach < next) continue;
    ++count;
    next = sector / kEach + 1;
  }
  return count;
}

}  // namespace tutorial::trace
