// What is said of a block that breaks a rule of its barriers or warp operations: a sentence for each rule.
#pragma once

#include "common/executor/block.h"

#include <string>
#include <vector>

namespace tutorial::cpu {

/// A thread in a call that waits.
struct Waiting {
  std::string thread;  ///< "(5,0,0)"
  unsigned lane;
  WaitingCall call;
};

std::string text_of(Where where);  ///< "FILE:LINE"
std::string text_of(dim3 index);   ///< "(5,0,0)"

std::string arrived_twice(const Waiting& waiting);
std::string never_arrived(const std::string& thread, Where where);
std::string divergent_barrier(const Waiting& first, const Waiting& other);
std::string outside_own_mask(const Waiting& waiting);
std::string absent_lane(const WaitingCall& call, unsigned lane);
std::string foreign_lane(const Waiting& waiting, int source);
std::string deadlock(const std::vector<Waiting>& all);

}  // namespace tutorial::cpu
