// The random numbers of a run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace tutorial::test {

/// The seed of a run's random numbers: the environment variable TUTORIAL_SEED, or a seed that is
/// new in every run. A test prints it.
inline std::uint64_t random_seed() {
  if (const char* text = std::getenv("TUTORIAL_SEED")) return std::strtoull(text, nullptr, 10);
  return std::random_device{}();
}

/// Sizes that are others in every run: a kernel that is right for the sizes that it knows is not right.
class Sizes {
 public:
  /// One from low to high.
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    has_drawn_ = true;
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// " (TUTORIAL_SEED=7 draws the same sizes again)", or nothing if none was drawn.
  std::string again() const {
    return has_drawn_ ? " (TUTORIAL_SEED=" + std::to_string(seed_) + " draws the same sizes again)"
                      : "";
  }

 private:
  std::uint64_t seed_ = random_seed();
  std::mt19937_64 engine_{seed_};
  bool has_drawn_ = false;
};

/// A program's.
inline Sizes& sizes() {
  static Sizes sizes;
  return sizes;
}

}  // namespace tutorial::test
