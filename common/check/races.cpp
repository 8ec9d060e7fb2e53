// The rules of accesses that meet.

#include "common/check/races.h"

#include "common/check/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutorial::check {

using trace::Operation;
using trace::Seen;

void Races::launch_begins() {
  if (!order_.is_child()) grids_.clear();
  grids_[order_.running_grid()] = running_.grid();
}

/// To the compiler a volatile access is one that another thread may see, as an atomic is.
void Races::access(Region& region, const Seen& seen) {
  const unsigned thread = running_.thread();
  const bool is_shared = region.is_shared(), is_load = seen.operation == Operation::load;
  const bool is_strong = seen.operation == Operation::atomic || (seen.is_volatile && !is_shared);
  if (is_strong) order_.atomic(seen.address, is_shared, thread);
  Stamp now = order_.now(thread);
  now.place = place_number(seen.pc) & 0x7FFF;
  now.atomic = is_strong ? 1 : 0;
  if (running_.is_others(region)) reach_into(region, seen, now);
  if (seen.operation != Operation::store) read_unwritten(region, seen);
  bool is_told = false;
  overwritten_.clear();
  const auto judge = [&](const Stamp& earlier, std::size_t at, bool writes) {
    if (is_told || (is_strong && earlier.atomic != 0)) return;
    if (order_.comes_before(earlier, is_shared, thread)) return;
    report(region, seen, at, earlier, writes);
    is_told = true;
  };
  region.cells.visit(seen.address - region.begin, seen.bytes, [&](Cell& cell, std::size_t at) {
    judge(cell.write, at, true);
    if (is_load) {
      Stamp& first = cell.reads[0];
      const bool is_free = order_.comes_before(first, is_shared, thread);
      (is_free ? first : cell.reads[1]) = now;
      return;
    }
    for (const Stamp& read : cell.reads) judge(read, at, false);
    overwritten_.push_back(cell.write);
    cell.write = now;
  });
  if (is_load) return;
  if (pending_.region != nullptr) pending_.stamps = overwritten_;
  region.write(seen.address, seen.bytes);
  region.stored.add(seen.address, seen.bytes);
}

/// An access to another block's shared memory: that block must have begun, and must not end before.
void Races::reach_into(Region& region, const Seen& seen, const Stamp& now) {
  Reach& last = reached_[&region];
  if (now.serial <= last.serial) return;
  const Place place = place_of(seen.pc);
  look_up(region, place);
  const std::string sentence = running_.does(seen) + running_.element_of(region, seen);
  last = {now.serial,
          {place, sentence +
                      ", which may have ended: no barrier of the cluster behind this access keeps "
                      "it"}};
  if (order_.has_met(running_.thread())) return;
  problems_.add(
      "not begun", place,
      sentence + ", and has come to no barrier of the cluster yet: that block may not have begun");
}

/// A read of what nobody has written. A struct may have gaps between its members, which nobody writes.
void Races::read_unwritten(Region& region, const Seen& seen) {
  const auto sentence = [&](const char* by_whom) {
    return running_.does(seen) + running_.element_of(region, seen) + ", which " + by_whom;
  };
  if (!region.is_shared()) {
    if (!region.is_unwritten(seen.address, seen.bytes)) return;
    problems_.add("unwritten", place_of(seen.pc),
                  sentence("nobody has written: no copy, no cudaMemset and no kernel"));
    return;
  }
  bool is_written = false;
  region.cells.visit(seen.address - region.begin, seen.bytes, [&](const Cell& cell, std::size_t) {
    is_written = is_written || order_.is_of_cluster(cell.write);
  });
  const std::uint16_t number = place_number(seen.pc);
  if (is_written || unwritten_.count(number) != 0) return;
  const Place place = place_of(seen.pc);
  look_up(region, place);
  unwritten_[number] = {place,
                        sentence(running_.in_clusters() ? "no thread of the cluster has set before"
                                                        : "no thread of the block has set before")};
}

void Races::report(Region& region, const Seen& seen, std::size_t offset, const Stamp& earlier,
                   bool earlier_writes) {
  const Place here = place_of(seen.pc), there = place_of(places_[earlier.place]);
  if (!earlier_writes) unwritten_.erase(earlier.place);  // this says it better
  const std::string key =
      "race " + std::min(here.name(), there.name()) + " " + std::max(here.name(), there.name());
  if (!problems_.is_new(key)) return;
  look_up(region, here);
  Seen byte = seen;
  byte.address = region.begin + offset;
  const bool same_line = here.name() == there.name(), same_place = here.inside == there.inside;
  const unsigned grid = order_.grid_of(earlier);
  const bool same_grid = grid == order_.running_grid(),
             same_cluster = order_.is_of_cluster(earlier);
  const bool same_block = same_grid && earlier.block == running_.block;
  const char* const did = earlier_writes ? (earlier.atomic != 0 ? "updates" : "writes") : "reads";
  const bool reads = seen.operation == Operation::load || !earlier_writes;
  std::string reason = same_block     ? "with no barrier between them"
                       : same_cluster ? "with no barrier of the cluster between them"
                       : same_grid    ? "and nothing orders blocks"
                       : order_.is_around(grid)
                           ? "and nothing puts that before the launch of this grid"
                           : "and nothing orders the two grids";
  if (same_line && same_place && reads) reason += ": an update can be lost";
  const std::string sentence = running_.does(seen) + running_.element_of(region, byte) +
                               ", which " + name_of(earlier) + " " + did + " in " +
                               (same_line ? "the same line" : there.name()) +
                               (same_place ? "" : there.inside) + ", " + reason;
  const bool may_be_same = earlier_writes || !region.is_shared();
  if (seen.operation != Operation::store || !may_be_same) {
    problems_.add_once(key, here, sentence);
    return;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): memory of the region
  const auto* const memory = reinterpret_cast<const unsigned char*>(seen.address);
  pending_ = {
      key, {here, sentence}, &region, seen.address - region.begin, {memory, memory + seen.bytes},
      {}};
}

void Races::settle() {
  if (pending_.region == nullptr) return;
  const Pending race = std::move(pending_);
  pending_ = {};
  const auto& [place, sentence] = race.finding;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): memory of the region
  const void* const memory = reinterpret_cast<const void*>(race.region->begin + race.offset);
  if (same_values_count_ || std::memcmp(memory, race.before.data(), race.before.size()) != 0) {
    problems_.add_once(race.key, place, sentence);
    return;
  }
  problems_.remark(race.key, place,
                   sentence + ": undefined, though every thread writes the same value");
  auto stamp = race.stamps.begin();  // the write that changed something is the one to remember
  race.region->cells.visit(race.offset, race.before.size(), [&](Cell& cell, std::size_t) {
    if (stamp != race.stamps.end()) cell.write = *stamp++;
  });
}

/// A block's shared memory is there until it ends: what another one accesses there is in time if a barrier of the
/// cluster comes between.
void Races::cluster_ends(bool failed) {
  settle();
  for (const auto& [number, finding] : unwritten_)
    problems_.add("unwritten", finding.place, finding.sentence);
  unwritten_.clear();
  for (const auto& [region, reach] : reached_) {
    if (failed || order_.has_met_since(region->rank, reach.serial)) continue;
    problems_.add("left", reach.finding.place, reach.finding.sentence);
  }
  reached_.clear();
}

/// With the kernel, if it is not the one that runs.
std::string Races::name_of(const Stamp& stamp) const {
  const unsigned number = order_.grid_of(stamp);
  const Grid& grid = grids_.at(number);
  const std::string name = grid.thread_name(stamp.thread, stamp.block);
  return number == order_.running_grid() ? name : name + " of " + grid.kernel;
}

std::uint16_t Races::place_number(std::uintptr_t pc) {
  const auto [entry, is_new] =
      place_numbers_.try_emplace(pc, static_cast<std::uint16_t>(places_.size()));
  if (is_new) places_.push_back(pc);
  return entry->second;
}

}  // namespace tutorial::check
