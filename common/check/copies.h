// Asynchronous copies to shared memory that their threads have not waited for: nobody may touch what they store to.
#pragma once

#include "common/check/order.h"
#include "common/check/problems.h"
#include "common/check/sentences.h"

#include <cstdint>
#include <map>

namespace tutorial::check {

class Copies {
 public:
  Copies(Problems& problems, const Running& running, const Order& order)
      : problems_(problems), running_(running), order_(order) {}

  void cluster_begins() { under_way_.clear(); }
  /// The running thread copies there, and has waited for the copy that stores from this address on.
  void begins(const trace::Seen& store);
  void ends(std::uintptr_t address) { under_way_.erase(address); }
  /// Judges an access to shared memory. One that nothing orders behind the copy's beginning is a race, and no fault here.
  void access(Region& region, const trace::Seen& seen);

 private:
  struct Copy {
    std::uintptr_t end, pc;
    Stamp begin;
  };

  Problems& problems_;
  const Running& running_;
  const Order& order_;
  std::map<std::uintptr_t, Copy> under_way_;  // by address
};

}  // namespace tutorial::check
