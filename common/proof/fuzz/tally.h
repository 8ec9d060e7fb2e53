// What a run has tried: how often each operation went ahead, and how often it was refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tutorial::fuzz {

class Tally {
 public:
  struct Counts {
    std::uint64_t succeeded = 0, refused = 0;
  };

  void add(const std::string& operation, bool succeeded) {
    Counts& counts = counts_[operation];
    ++(succeeded ? counts.succeeded : counts.refused);
  }

  const std::map<std::string, Counts>& counts() const { return counts_; }

 private:
  std::map<std::string, Counts> counts_;
};

/// The tally of this process.
inline Tally& tally() {
  static Tally instance;
  return instance;
}

}  // namespace tutorial::fuzz
