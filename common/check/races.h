// Judges an access to a byte by the accesses before it: a race is two of them that nothing orders. And a kernel must not
// read what nobody has written, nor reach into a block that may not have begun or may have ended.
#pragma once

#include "common/check/order.h"
#include "common/check/problems.h"
#include "common/check/sentences.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tutorial::check {

class Races {
 public:
  Races(Problems& problems, const Running& running, Order& order)
      : problems_(problems), running_(running), order_(order) {}

  /// From now on a race of stores counts too in which every thread writes the same value.
  void count_same_values() { same_values_count_ = true; }

  void launch_begins();
  /// Judges the access, and remembers it.
  void access(Region& region, const trace::Seen& seen);
  /// A store is judged twice: the second time when it is done, before anything else is.
  void settle();
  /// The cluster, which may be a block alone, is at its end; `failed`: the executor has stopped it.
  void cluster_ends(bool failed);
  /// Forgets what has been read unwritten: the threads that would have written were stopped.
  void block_fails() { unwritten_.clear(); }

 private:
  void reach_into(Region& region, const trace::Seen& seen, const Stamp& now);
  void read_unwritten(Region& region, const trace::Seen& seen);
  void report(Region& region, const trace::Seen& seen, std::size_t offset, const Stamp& earlier,
              bool earlier_writes);
  std::string name_of(const Stamp& stamp) const;
  std::uint16_t place_number(std::uintptr_t pc);

  Problems& problems_;
  const Running& running_;
  Order& order_;
  bool same_values_count_ = false;
  std::map<unsigned, Grid> grids_;  // by number: what kernels have launched, and who has
  std::vector<Stamp> overwritten_;  // by the access at hand

  std::vector<std::uintptr_t> places_;
  std::map<std::uintptr_t, std::uint16_t> place_numbers_;

  /// Reads of shared memory that the block had not written, by place: a race if it does so later.
  std::map<std::uint16_t, Finding> unwritten_;

  /// The last access to a shared array by another block of the cluster.
  struct Reach {
    std::uint32_t serial = 0;
    Finding finding;
  };
  std::map<const Region*, Reach> reached_;

  /// A race whose second access is a store: it is harmless if the store changes nothing.
  struct Pending {
    std::string key;
    Finding finding;
    Region* region = nullptr;
    std::size_t offset = 0;
    std::vector<unsigned char> before;
    std::vector<Stamp> stamps;
  };
  Pending pending_;
};

}  // namespace tutorial::check
