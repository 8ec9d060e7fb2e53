// Sort, against std::stable_sort.
#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "06_primitives/proof/test_data.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// What the sort of the chapter calls smaller: NaN is larger than all else and equal to itself, -0
/// is smaller than +0.
template <class T>
bool is_less(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    const double x = number(a), y = number(b);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return x < y || (x == y && std::signbit(x) && !std::signbit(y));
  }
}

template <class T>
bool same_key(T a, T b) {
  return !is_less(a, b) && !is_less(b, a);
}

enum class Pattern { few_values, all_equal, ascending, descending, any_bits, organ_pipe };
constexpr std::initializer_list<Pattern> kPatterns = {Pattern::few_values, Pattern::all_equal,
                                                      Pattern::ascending,  Pattern::descending,
                                                      Pattern::any_bits,   Pattern::organ_pipe};

template <class T>
std::vector<T> keys_of(Pattern pattern, std::size_t n, unsigned seed) {
  constexpr bool is_bool = std::is_same_v<T, unsigned char>;
  std::mt19937_64 random(seed);
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = static_cast<double>(i);
    double value = 0;
    switch (pattern) {
      case Pattern::few_values:
        value = static_cast<double>(random() % 5) - (std::is_unsigned_v<T> ? 0.0 : 2.0);
        break;
      case Pattern::all_equal:
        value = 1;
        break;
      case Pattern::ascending:
        value = std::fmod(place / 8, 127);
        break;
      case Pattern::descending:
        value = 127 - std::fmod(place / 8, 127);
        break;
      case Pattern::organ_pipe:
        value = std::fmod(std::fabs(place - static_cast<double>(n) / 2), 127);
        break;
      case Pattern::any_bits: {
        const std::uint64_t bits = random();  // NaNs of both signs, infinities, subnormals
        std::memcpy(static_cast<void*>(&keys[i]), &bits, sizeof(T));
        break;
      }
    }
    if (pattern != Pattern::any_bits) keys[i] = make<T>(value);
    if constexpr (!std::is_integral_v<T>) {
      const auto die = random() % 16;
      if (pattern == Pattern::few_values || pattern == Pattern::any_bits) {
        if (die == 0) keys[i] = make<T>(std::numeric_limits<double>::quiet_NaN());
        if (die == 1) keys[i] = make<T>(-std::numeric_limits<double>::infinity());
        if (die == 2) keys[i] = make<T>(-0.0);
        if (die == 3) keys[i] = make<T>(std::numeric_limits<double>::infinity());
      }
    }
    if constexpr (is_bool) keys[i] = static_cast<T>(keys[i] & 1U);
  }
  return keys;
}

/// What is wrong with a row of `num` sorted keys; index may be null.
template <class T>
std::string row_violation(const T* keys, std::int64_t num, bool descending, const T* sorted,
                          const int* index) {
  std::vector<int> order(static_cast<std::size_t>(num));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return descending ? is_less(keys[b], keys[a]) : is_less(keys[a], keys[b]);
  });
  for (std::int64_t p = 0; p < num; ++p) {
    const int from = order[static_cast<std::size_t>(p)];
    if (!same_key(sorted[p], keys[from])) return "key " + std::to_string(p);
    if (index != nullptr && index[p] != from) return "index " + std::to_string(p);
  }
  return "";
}

/// Sorts one row for each num, from keys of their own, and looks at every row and at what lies
/// behind its last key.
template <class T>
void check_sort(const Tile& tile, bool descending, bool whole, bool with_index, Pattern pattern,
                const std::vector<std::int64_t>& nums) {
  const auto size = static_cast<std::size_t>(tile.size());
  const std::size_t blocks = ceil_div(nums.size(), std::size_t{tile.rows});
  std::vector<std::int64_t> num = nums;
  num.resize(blocks * tile.rows, 0);
  const std::size_t n = num.size() * size;
  const std::vector<T> keys = keys_of<T>(pattern, n, static_cast<unsigned>(n));
  const ExactBuffer<T> source(keys);
  const ExactBuffer<std::int64_t> counts(num);
  const GuardedBuffer<T> sorted(n);
  const GuardedBuffer<int> index(with_index ? n : 0);
  INFO("vec " << tile.vec << ", " << tile.threads << " x " << tile.rows << " threads, layout "
              << static_cast<int>(tile.layout) << ", descending " << descending << ", index "
              << with_index << ", pattern " << static_cast<int>(pattern));
  REQUIRE(sort(tile, static_cast<int>(blocks), descending, whole, counts.data(), source.data(),
               sorted.data(), with_index ? index.data() : nullptr) == cudaSuccess);
  const std::vector<T> out = sorted.download();
  const std::vector<int> from = index.download();
  CHECK(sorted.intact());
  CHECK(index.intact());
  std::string violations;
  for (std::size_t row = 0; row < num.size() && violations.size() < 200; ++row) {
    const std::int64_t count = std::clamp<std::int64_t>(num[row], 0, tile.size());
    std::string violation = row_violation(&keys[row * size], count, descending, &out[row * size],
                                          with_index ? &from[row * size] : nullptr);
    for (auto p = static_cast<std::size_t>(count); p < size; ++p) {
      if (!never_written(out[row * size + p])) violation = "wrote beyond num";
    }
    if (!violation.empty()) violations += "num " + std::to_string(count) + ": " + violation + "; ";
  }
  CHECK(violations == "");
}

std::vector<std::int64_t> all_sizes(std::int64_t tile) {
  std::vector<std::int64_t> nums(static_cast<std::size_t>(tile) + 2);
  std::iota(nums.begin(), nums.end(), 0);
  return nums;
}
std::vector<std::int64_t> some_sizes(std::int64_t tile) {
  return {-1, 0, 1, 2, 33, tile / 2, tile / 2 + 1, tile - 1, tile, tile + 3};
}

}  // namespace

TEST_CASE("Sort: every size up to the tile, many equal keys, with and without indices",
          "[exchange]") {
  require_device();
  for (const TileLayout layout :
       {TileLayout::adjacent, TileLayout::interleaved, TileLayout::striped}) {
    for (const int vec : {1, 2, 4, 8}) {
      for (const bool with_index : {false, true}) {
        for (const bool descending : {false, true}) {
          const Tile tile{vec, layout, 32, 1};
          check_sort<float>(tile, descending, false, with_index, Pattern::few_values,
                            all_sizes(tile.size()));
        }
      }
    }
  }
  for (const unsigned threads : {64U, 128U}) {
    for (const int vec : {1, 2}) {
      const Tile tile{vec, TileLayout::interleaved, threads, 1};
      check_sort<float>(tile, false, false, true, Pattern::few_values, all_sizes(tile.size()));
      check_sort<half>(tile, true, false, true, Pattern::any_bits, all_sizes(tile.size()));
    }
  }
}

TEST_CASE("Sort: every block size, every pattern") {
  require_device();
  for (const unsigned threads : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    for (const int vec : {1, 2, 4, 8}) {
      const Tile tile{vec, TileLayout::interleaved, threads, 1};
      for (const Pattern pattern : kPatterns) {
        const bool heavy = tile.size() > 2048;
        const std::vector<std::int64_t> nums =
            heavy ? std::vector<std::int64_t>{tile.size() - 1} : some_sizes(tile.size());
        const bool descending = (static_cast<int>(pattern) + vec) % 2 == 0;
        check_sort<float>(tile, descending, false, true, pattern, nums);
        if (!heavy) check_sort<half>(tile, !descending, false, false, pattern, nums);
      }
      check_sort<float>(tile, false, false, false, Pattern::any_bits, {tile.size()});
      check_sort<half>(tile, false, false, true, Pattern::any_bits, {tile.size()});
    }
  }
}

TEST_CASE("Sort: several rows in a block", "[exchange]") {
  require_device();
  for (const Tile& tile :
       {Tile{4, TileLayout::interleaved, 32, 8}, Tile{8, TileLayout::striped, 64, 4},
        Tile{2, TileLayout::adjacent, 256, 4}}) {
    check_sort<float>(tile, false, false, true, Pattern::few_values, some_sizes(tile.size()));
    check_sort<float>(tile, true, false, false, Pattern::any_bits, some_sizes(tile.size()));
  }
}

TEST_CASE("Sort: a row in one warp, 16 or 32 keys a thread, at every size") {
  require_device();
  for (const int vec : {16, 32}) {
    for (const bool with_index : {false, true}) {
      const Tile tile{vec, TileLayout::interleaved, 32, 4};
      check_sort<float>(tile, vec == 16, true, with_index, Pattern::few_values,
                        all_sizes(tile.size()));
      check_sort<half>(tile, vec == 32, true, with_index, Pattern::any_bits,
                       some_sizes(tile.size()));
    }
  }
}

namespace {

template <class T>
void check_sort_of_type() {
  require_device();
  for (const unsigned threads : {32U, 128U, 1024U}) {
    const Tile tile{4, TileLayout::interleaved, threads, 1};
    for (const Pattern pattern : {Pattern::few_values, Pattern::any_bits}) {
      for (const bool with_index : {false, true}) {
        const bool descending = with_index == (pattern == Pattern::any_bits);
        check_sort<T>(tile, descending, false, with_index, pattern,
                      threads == 1024 ? std::vector<std::int64_t>{4001} : some_sizes(tile.size()));
        check_sort<T>(tile, !descending, false, with_index, pattern, {tile.size() - 5});
      }
    }
  }
}

}  // namespace

TEST_CASE("Sort: every type of key") {
  SECTION("bf16") { check_sort_of_type<__nv_bfloat16>(); }
  SECTION("double") { check_sort_of_type<double>(); }
  SECTION("int8") { check_sort_of_type<std::int8_t>(); }
  SECTION("int32") { check_sort_of_type<std::int32_t>(); }
  SECTION("uint32") { check_sort_of_type<std::uint32_t>(); }
  SECTION("int64") { check_sort_of_type<std::int64_t>(); }
  SECTION("bool") { check_sort_of_type<unsigned char>(); }
}

TEST_CASE("Sort: NaN is last ascending and first descending, and the zeros have an order",
          "[exchange]") {
  require_device();
  const Tile tile{1, TileLayout::adjacent, 32, 1};
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> keys = {nan,   0.0f,   -0.0f,   kInf,
                             -kInf, 1e-45f, -1e-45f, std::copysign(nan, -1.0f)};
  const auto n = static_cast<std::int64_t>(keys.size());
  keys.resize(32);
  const ExactBuffer<float> source(keys);
  const ExactBuffer<std::int64_t> num({n});
  const auto run = [&](bool descending) {
    const GuardedBuffer<float> sorted(32);
    const GuardedBuffer<int> index(32);
    REQUIRE(sort(tile, 1, descending, false, num.data(), source.data(), sorted.data(),
                 index.data()) == cudaSuccess);
    for (int p = 0; p < 2; ++p) {
      CHECK(std::isnan(sorted.download()[static_cast<std::size_t>(descending ? p : 6 + p)]));
    }
    std::vector<int> places = index.download();
    places.resize(keys.size() - 24);
    return places;
  };
  CHECK(run(false) == std::vector<int>{4, 6, 2, 1, 5, 3, 0, 7});
  CHECK(run(true) == std::vector<int>{0, 7, 3, 5, 1, 2, 6, 4});
}
