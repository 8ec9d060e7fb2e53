// What g++ does otherwise than nvcc, a rule for each habit.

#include "common/trace/joined.h"

namespace tutorial::trace {

namespace {

/// A host compiler copies the halves of a half2 one by one.
bool is_second_half(const Access& a, const Access& b, const Meaning& meaning) {
  return a.bytes == 2 && b.bytes == 2 && a.address % 4 == 0 && b.address == a.address + 2 &&
         a.operation == b.operation && a.place != b.place && meaning.places[a.place].copies_pair &&
         meaning.places[b.place].copies_pair;
}

/// A value that one line names twice in a row is loaded twice.
bool is_repeated(const Access& a, const Access& b, const Meaning& meaning) {
  return a.address == b.address && a.bytes == b.bytes && a.place != b.place &&
         a.operation == Operation::load && b.operation == Operation::load &&
         meaning.same_line(a.place, b.place);
}

/// `y[i] = x[i]` or `slot = x[i]` of a struct, such as half: g++ names the store before the load. The
/// store is the last of `before`. Either both are at the same place of two buffers; or the load's
/// call directly follows, and the line has loaded nothing before that the store could have stored.
bool is_copy(const std::vector<Access>& accesses, std::size_t before, const Access& load,
             const Meaning& meaning) {
  constexpr std::uintptr_t kOneCall = 16;  // bytes of machine code
  const Access& store = accesses[before - 1];
  if (store.operation != Operation::store || load.operation != Operation::load ||
      store.bytes != load.bytes || !meaning.same_line(store.place, load.place)) {
    return false;
  }
  const Buffer* const to = meaning.buffer_at(store.address);
  const Buffer* const from = meaning.buffer_at(load.address);
  if (to != nullptr && from != nullptr && store.address - to->begin == load.address - from->begin) {
    return true;
  }
  if (meaning.places[load.place].pc - meaning.places[store.place].pc > kOneCall) return false;
  if (before > 1 && is_repeated(accesses[before - 2], load, meaning)) return true;
  std::int64_t loaded = 0;
  for (std::size_t i = before - 1; i-- > 0 && meaning.same_line(accesses[i].place, store.place);) {
    loaded += accesses[i].operation == Operation::load ? 1 : -1;
  }
  return loaded == 0;
}

/// `y[i] = c ? a : b;` is two stores to a host compiler, of which each lane does one; to a warp it is one.
bool are_branches(const Request& a, const Request& b, const Meaning& meaning) {
  const auto buffer_of = [&](const Request& request) {
    return meaning.buffer_at(request.address[static_cast<unsigned>(__builtin_ctz(request.active))]);
  };
  return (a.active & b.active) == 0 && a.place != b.place && a.operation == b.operation &&
         a.space == b.space && a.bytes == b.bytes && buffer_of(a) == buffer_of(b) &&
         meaning.same_line(a.place, b.place);
}

}  // namespace

const Buffer* Meaning::buffer_at(std::uintptr_t address) const {
  for (const Buffer& buffer : buffers) {
    if (buffer.holds(address)) return &buffer;
  }
  return nullptr;
}

bool Meaning::same_line(std::uint32_t place, std::uint32_t other) const {
  return places[place].line == places[other].line;
}

void join(std::vector<Access>& accesses, const Meaning& meaning) {
  std::size_t kept = 0;
  for (const Access& next : accesses) {
    if (kept > 0) {
      Access& last = accesses[kept - 1];
      if (is_second_half(last, next, meaning)) {
        last.bytes = 4;
        continue;
      }
      if (is_repeated(last, next, meaning)) continue;
      if (is_copy(accesses, kept, next, meaning)) {
        const Access store = last;
        if (kept > 1 && is_repeated(accesses[kept - 2], next, meaning)) continue;
        last = next;
        accesses[kept++] = store;
        continue;
      }
    }
    accesses[kept++] = next;
  }
  accesses.resize(kept);
}

void join(std::vector<Request>& requests, LaneRequests& lanes, const Meaning& meaning) {
  std::vector<std::uint32_t> now(requests.size());
  bool is_any = false;
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    now[i] = i;
    Request& late = requests[i];
    if (late.active == ~0U) continue;
    for (std::uint32_t k = 0; k < i; ++k) {
      Request& early = requests[k];
      if (now[k] != k || !are_branches(early, late, meaning)) continue;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((late.active >> lane & 1U) != 0) early.address[lane] = late.address[lane];
      }
      early.active |= late.active;
      late.active = 0;
      now[i] = k;
      is_any = true;
      break;
    }
  }
  if (!is_any) return;
  for (auto& lane : lanes) {
    for (std::uint32_t& number : lane) number = now[number];
  }
}

}  // namespace tutorial::trace
