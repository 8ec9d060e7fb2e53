// A call from a fuzz input: what its contract refuses, and what came of it.

#include "common/proof/fuzz/trial.h"

#include "common/executor/executor.h"
#include "common/executor/sanitizer.h"
#include "common/proof/fuzz/tally.h"
#include "common/refusal.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace tutorial::fuzz {

namespace {

#if defined(TUTORIAL_CPU_ASAN)
constexpr std::size_t kGuard = 0;
#else
constexpr std::size_t kGuard = 256;
#endif

constexpr const char* kNothingRefused = "(nothing was refused)";

void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0)
    test::require_success(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

}  // namespace

Trial::Trial(FuzzInput& fuzz_input, std::string operation)
    : input(fuzz_input), operation_(std::move(operation)) {
  [[maybe_unused]] static const int silenced = setenv("TUTORIAL_CPU_REPORT", "none", 0);
  cpu::set_worker_count(1);  // inputs are small: threads would be most of what is paid for
  cpu::set_thread_order(input.one_in(2) ? cpu::Order::reverse : cpu::Order::forward);
}

Count Trial::count(int width, bool has_too_large) {
  Count count;
  const auto wide = static_cast<std::int64_t>(width);
  const std::int64_t near[] = {0, wide, 32 * wide, 128 * wide, 256, 256 * wide, 1024, 2048};
  const std::size_t kind = input.below(16);
  if (kind < 12) {
    count.n = input.pick(near) + static_cast<std::int64_t>(input.below(35)) - (kind < 6 ? 0 : 17);
    count.n = std::clamp<std::int64_t>(count.n, 0, 8192);
  } else if (kind < 14) {
    count.n = static_cast<std::int64_t>(input.below(4096));
  } else if (kind == 14 || !has_too_large) {
    count.n = input.one_in(4) ? std::numeric_limits<std::int64_t>::min()
                              : -1 - static_cast<std::int64_t>(input.bits(4));
    mistake(cudaErrorInvalidValue);
  } else {
    count.n = std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(input.bits(7));
    mistakes_.push_back({cudaErrorInvalidConfiguration, false});  // the launch's own error
  }
  const bool too_large = count.n > 8192;
  count.held = count.n < 0 || too_large ? input.below(64) + 1 : static_cast<std::size_t>(count.n);
  describe("n = " + std::to_string(count.n));
  return count;
}

std::size_t Trial::add_memory(const std::string& name, std::size_t bytes, std::size_t element_bytes,
                              std::size_t alignment, bool is_needed) {
  std::size_t offset = 0;
  bool is_null = false;
  switch (input.below(16)) {
    case 8:
    case 9:
    case 10:  // aligned to its element
      offset = element_bytes * input.below(16);
      break;
    case 11:  // to what the operator asks for
      offset = alignment * input.below(16);
      break;
    case 12:  // to nothing
      offset = input.below(16);
      break;
    case 13:
      is_null = true;
      break;
    default:
      break;
  }
  places_.push_back({name,
                     test::DeviceBytes(kGuard + offset + bytes + kGuard),
                     kGuard + offset,
                     bytes,
                     nullptr,
                     {}});
  Place& place = places_.back();
  place.pointer = is_null ? nullptr : place.memory.data() + place.begin;
  place.before = all_of(place);
  judge(place.pointer, alignment, is_needed);
  describe(name + (is_null ? " null" : " at " + std::to_string(offset)));
  return places_.size() - 1;
}

void Trial::write_in_place(const std::string& name, std::size_t place, std::size_t alignment,
                           bool is_needed) {
  places_[place].is_output = true;
  judge(places_[place].pointer, alignment, is_needed);
  describe(name + " in place of " + places_[place].name);
}

void Trial::judge(const void* pointer, std::size_t alignment, bool is_needed) {
  if (!is_needed) return;
  if (pointer == nullptr) {
    mistake(cudaErrorInvalidValue);
  } else if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
    mistake(cudaErrorMisalignedAddress);
  }
}

void Trial::fill(std::size_t place, const void* values) {
  Place& at = places_[place];
  copy(at.memory.data() + at.begin, values, at.bytes);
  at.before = all_of(at);
}

std::vector<unsigned char> Trial::all_of(const Place& place) {
  std::vector<unsigned char> bytes(place.memory.size());
  copy(bytes.data(), place.memory.data(), bytes.size());
  return bytes;
}

std::vector<unsigned char> Trial::data_of(std::size_t place) const {
  const Place& at = places_[place];
  std::vector<unsigned char> bytes(at.bytes);
  copy(bytes.data(), at.memory.data() + at.begin, at.bytes);
  return bytes;
}

bool Trial::call(const std::function<cudaError_t()>& launch) {
  static_cast<void>(refuse(cudaSuccess, kNothingRefused));
  const cudaError_t error = launch();
  static_cast<void>(cudaGetLastError());
  if (mistakes_.empty()) {
    check_success(error);
  } else {
    check_refusal(error);
  }
  tally().add(operation_, error == cudaSuccess);
  return mistakes_.empty();
}

void Trial::check_refusal(cudaError_t error) const {
  const auto is_this = [error](const Mistake& mistake) { return mistake.error == error; };
  const auto found = std::find_if(mistakes_.begin(), mistakes_.end(), is_this);
  if (found == mistakes_.end()) {
    std::string expected;
    for (const Mistake& mistake : mistakes_) {
      const std::string name = cudaGetErrorName(mistake.error);
      if (expected.find(name) == std::string::npos)
        expected += (expected.empty() ? "" : " or ") + name;
    }
    fail(std::string("the call answers ") + cudaGetErrorName(error) + ", expected " + expected);
  }
  for (const Place& place : places_) {
    if (all_of(place) != place.before) fail("the call was refused and wrote to " + place.name);
  }
  const bool needs_sentence = std::all_of(mistakes_.begin(), mistakes_.end(),
                                          [](const Mistake& m) { return m.has_sentence; });
  if (needs_sentence && (last_refusal().empty() || last_refusal() == kNothingRefused)) {
    fail(std::string("refused with ") + cudaGetErrorName(error) + " and without a sentence");
  }
}

void Trial::check_success(cudaError_t error) const {
  if (error != cudaSuccess) {
    fail(std::string("the call answers ") + cudaGetErrorName(error) +
         ", expected cudaSuccess; its refusal: " + last_refusal() +
         "; the executor's last report: " + cpu::last_report());
  }
  if (last_refusal() != kNothingRefused) fail("succeeded, and said: " + last_refusal());
  for (const Place& place : places_) {
    const std::vector<unsigned char> now = all_of(place);
    const auto first = static_cast<std::ptrdiff_t>(place.begin);
    const auto last = first + static_cast<std::ptrdiff_t>(place.is_output ? place.bytes : 0);
    const auto& was = place.before;
    if (!std::equal(now.begin(), now.begin() + first, was.begin()) ||
        !std::equal(now.begin() + last, now.end(), was.begin() + last)) {
      fail(place.is_output ? "the call wrote outside of " + place.name
                           : "the call wrote to its input " + place.name);
    }
  }
}

void Trial::fail(const std::string& what) const {
  throw Violation{operation_ + description_ + ": " + what};
}

}  // namespace tutorial::fuzz
