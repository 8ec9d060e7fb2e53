// Canaries: written, and compared.

#include "common/proof/buffers.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tutorial::test {

namespace {

constexpr unsigned char kPoison = 0xFF;

/// A well-mixed function of one number (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Of `bytes` bytes and a few more.
std::vector<std::uint64_t> canary(unsigned serial, bool front, std::size_t bytes) {
  constexpr std::size_t kPositions = GuardedBytes::canary_bytes / sizeof(std::uint64_t);
  static const std::vector<std::uint64_t> by_position = [] {
    std::vector<std::uint64_t> words(kPositions);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = mix(i);
    return words;
  }();
  const std::uint64_t own = mix(std::uint64_t{serial} << 33 | std::uint64_t{front} << 32);
  std::vector<std::uint64_t> words(bytes / sizeof own + 1);
  const std::uint64_t* const known = by_position.data();
  std::uint64_t* const word = words.data();
  for (std::size_t i = 0; i <= bytes / sizeof own; ++i) {
    // No byte is 0, so that a zero past the end, the likeliest mistake, is always seen.
    word[i] = (known[i % kPositions] ^ own) | 0x0101010101010101;
  }
  return words;
}

unsigned next_serial() {
  static unsigned serial = 0;
  return serial++;
}

void synchronize() { require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

void copy_in(unsigned char* device, const void* host, std::size_t bytes) {
  require_success(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

std::vector<unsigned char> copy_out(const unsigned char* device, std::size_t bytes) {
  std::vector<unsigned char> host(bytes);
  require_success(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return host;
}

/// Which bytes of a canary are not what they were, counted from the data: "written past its end: 14 bytes, 1 to 14 away";
/// empty if all are. One byte in 256 that is written keeps its value by chance; so a single byte between two that differ
/// counts as well.
std::string distances(std::vector<unsigned char> now, const std::vector<std::uint64_t>& words,
                      bool front, const std::string& where) {
  if (std::memcmp(now.data(), words.data(), now.size()) == 0) return "";
  std::vector<unsigned char> was(now.size());
  std::memcpy(was.data(), words.data(), was.size());
  if (front) {
    std::reverse(now.begin(), now.end());
    std::reverse(was.begin(), was.end());
  }
  std::size_t count = 0, first = 0, last = 0;
  for (std::size_t at = 0; at < now.size(); ++at) {
    if (now[at] == was[at]) continue;
    const std::size_t distance = at + 1;
    if (count == 0) first = distance;
    count += count > 0 && distance - last == 2 ? 2 : 1;
    last = distance;
  }
  const std::string bytes = count == 1 ? "1 byte, " : std::to_string(count) + " bytes, ";
  const std::string away =
      first == last ? std::to_string(first) : std::to_string(first) + " to " + std::to_string(last);
  return "written " + where + ": " + bytes + away + " away";
}

}  // namespace

GuardedBytes::GuardedBytes(std::size_t bytes, std::size_t offset)
    : bytes_(bytes),
      front_(canary_bytes + offset),
      serial_(next_serial()),
      memory_(front_ + bytes + canary_bytes) {
  require_success(cudaMemset(data(), kPoison, bytes_), "cudaMemset");
  copy_in(memory_.data(), canary(serial_, true, front_).data(), front_);
  copy_in(data() + bytes_, canary(serial_, false, canary_bytes).data(), canary_bytes);
  synchronize();
}

// A copy from pageable memory may still be under way when cudaMemcpy returns, and a stream of the
// caller's need not wait for it: hence the synchronisation after it too.
void GuardedBytes::upload(const void* host) {
  synchronize();
  copy_in(data(), host, bytes_);
  synchronize();
}

void GuardedBytes::download(void* host) const {
  synchronize();
  require_success(cudaMemcpy(host, data(), bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

std::string GuardedBytes::damage() const {
  synchronize();
  const std::string before = distances(copy_out(memory_.data(), front_),
                                       canary(serial_, true, front_), true, "before its beginning");
  if (!before.empty()) return before;
  return distances(copy_out(data() + bytes_, canary_bytes), canary(serial_, false, canary_bytes),
                   false, "past its end");
}

bool GuardedBytes::untouched() const {
  synchronize();
  const auto bytes = copy_out(data(), bytes_);
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char b) { return b == kPoison; });
}

}  // namespace tutorial::test
