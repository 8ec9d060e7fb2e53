#include "common/check/copies.h"

#include "common/check/memory.h"

#include <iterator>

namespace tutorial::check {

void Copies::begins(const trace::Seen& store) {
  under_way_[store.address] = {store.address + store.bytes, store.pc,
                               order_.now(running_.thread())};
}

void Copies::access(Region& region, const trace::Seen& seen) {
  if (under_way_.empty()) return;
  const auto behind = under_way_.lower_bound(seen.address + seen.bytes);
  if (behind == under_way_.begin()) return;
  const Copy& copy = std::prev(behind)->second;
  if (copy.end <= seen.address) return;
  if (!order_.comes_before(copy.begin, true, running_.thread())) return;
  const Place place = place_of(seen.pc);
  look_up(region, place);
  const bool is_own = copy.begin.thread == running_.thread() && copy.begin.block == running_.block;
  problems_.add(
      "copy", place,
      running_.does(seen) + running_.element_of(region, seen) + ", to which " +
          (is_own ? "it" : running_.grid().thread_name(copy.begin.thread, copy.begin.block)) +
          " copies asynchronously in " + place_of(copy.pc).name() + " and has not waited for it");
}

}  // namespace tutorial::check
