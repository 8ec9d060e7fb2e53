// Reduce and Cumsum.
#include <limits>
#include <string>

#include "06_primitives/proof/test_data.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// Sums of such floats round in every digit.
constexpr int kExponents = 12;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// a + b as the functor's integers have it: it wraps.
template <class T>
T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// The blocks that a reduction is tried on: rows of one warp, of less, of several, of a number that
/// is no power of two.
const std::vector<Tile>& blocks() {
  static const std::vector<Tile> all = [] {
    std::vector<Tile> tiles;
    for (const unsigned threads : {32U, 64U, 96U, 128U, 256U, 512U, 992U, 1024U}) {
      tiles.push_back({1, TileLayout::adjacent, threads, 1});
    }
    for (const unsigned rows : {2U, 3U, 8U, 32U}) {
      tiles.push_back({1, TileLayout::adjacent, 32, rows});
    }
    tiles.push_back({1, TileLayout::adjacent, 64, 5});
    tiles.push_back({1, TileLayout::adjacent, 96, 7});
    tiles.push_back({1, TileLayout::adjacent, 8, 4});
    tiles.push_back({1, TileLayout::adjacent, 16, 64});
    tiles.push_back({1, TileLayout::adjacent, 1, 64});
    return tiles;
  }();
  return all;
}

std::string describe(const Tile& tile, bool along_x) {
  return std::to_string(tile.threads) + " x " + std::to_string(tile.rows) + " threads, vec " +
         std::to_string(tile.vec) + (along_x ? ", along x" : ", along y");
}

/// Calls that follow one another, without anything between them: the second must not write to
/// shared memory what the first still reads. The executor's turns are too fair to show that for
/// Reduce along x and Cumsum (every warp has read before any is a step ahead); compute-sanitizer's
/// racecheck does, on a GPU, with these same launches. The other barriers' absence shows here.
constexpr int kCalls = 3;

/// Runs kCalls reductions one after the other and hands each group of values that belong together
/// to check(values, results), where results are what the group's threads hold: all must know.
template <class T, class Check>
void for_each_group(Tile tile, bool along_x, Functor functor, const std::vector<T>& in,
                    Check check) {
  const std::size_t all = std::size_t{tile.threads} * tile.rows;
  const ExactBuffer<T> source(in);
  const GuardedBuffer<T> results(in.size());
  INFO(describe(tile, along_x));
  REQUIRE(reduce_global(tile, along_x, functor, kCalls, source.data(), results.data()) ==
          cudaSuccess);
  const std::vector<T> out = results.download();
  CHECK(results.intact());
  const std::size_t groups = along_x ? tile.rows : tile.threads;
  const std::size_t members = all / groups;
  for (std::size_t k = 0; k < in.size() / all; ++k) {
    for (std::size_t g = 0; g < groups; ++g) {
      std::vector<T> values, held;
      for (std::size_t m = 0; m < members; ++m) {
        const std::size_t thread = along_x ? g * tile.threads + m : m * tile.threads + g;
        values.push_back(in[k * all + thread]);
        held.push_back(out[k * all + thread]);
      }
      check(values, held);
    }
  }
}

template <class T>
std::size_t values_of(const Tile& tile) {
  return kCalls * static_cast<std::size_t>(tile.vec) * tile.threads * tile.rows;
}

template <class T>
void check_integer_sums(const std::vector<int>& vecs) {
  for (Tile tile : blocks()) {
    for (const int vec : vecs) {
      tile.vec = vec;
      for (const bool along_x : {true, false}) {
        int wrong = 0;
        for_each_group<T>(tile, along_x, Functor::add,
                          random_values<T>(kExponents, values_of<T>(tile), 7),
                          [&](const std::vector<T>& values, const std::vector<T>& held) {
                            T sum = 0;
                            for (const T v : values) sum = wrapping_add(sum, v);
                            for (const T h : held) wrong += h == sum ? 0 : 1;
                          });
        INFO(describe(tile, along_x));
        CHECK(wrong == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE("Reduce: integer sums across a block are exact, in every thread, call after call",
          "[exchange]") {
  require_device();
  SECTION("int32") { check_integer_sums<std::int32_t>({1, 2, 4, 8}); }
  SECTION("int64") { check_integer_sums<std::int64_t>({2}); }
  SECTION("int8") { check_integer_sums<std::int8_t>({2}); }
}

TEST_CASE("Reduce: float sums across a block, within the bound of their tree", "[exchange]") {
  require_device();
  for (Tile tile : blocks()) {
    for (const int vec : {1, 2, 4, 8}) {
      tile.vec = vec;
      for (const bool along_x : {true, false}) {
        // Along x: 5 levels of lanes and 5 of warps. Along y: each round halves the rows.
        const int depth = along_x ? 10 : ceil_log2(tile.rows);
        int wrong = 0;
        for_each_group<float>(
            tile, along_x, Functor::add,
            random_values<float>(kExponents, values_of<float>(tile), 8),
            [&](const std::vector<float>& values, const std::vector<float>& held) {
              ExactSum exact;
              for (const float v : values) exact.add(v);
              for (const float h : held) {
                const double error = std::fabs(h - exact.value());
                if (!(error <= sum_bound(depth, exact.magnitudes))) ++wrong;
                if (!same_bits(h, held[0])) ++wrong;
              }
            });
        INFO(describe(tile, along_x));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("Reduce: double sums across a block", "[exchange]") {
  require_device();
  for (Tile tile : blocks()) {
    tile.vec = 2;
    for_each_group<double>(tile, true, Functor::add,
                           random_values<double>(kExponents, values_of<double>(tile), 9),
                           [](const std::vector<double>& values, const std::vector<double>& held) {
                             ExactSum exact;
                             for (const double v : values) exact.add(v);
                             // 10 levels of 2^-53 each, and one for the division's slack.
                             CHECK(std::fabs(held.back() - exact.value()) <=
                                   11 * std::ldexp(1.0, -53) * exact.magnitudes);
                           });
  }
}

namespace {

/// Extremes of values among which one thread has `special`: at the first, the last, and a few
/// threads in between.
template <class T>
void check_extremes(Functor functor, float special, float expected_special) {
  for (Tile tile : blocks()) {
    tile.vec = 2;
    for (const bool along_x : {true, false}) {
      const std::size_t all = std::size_t{tile.threads} * tile.rows;
      for (const std::size_t at : {std::size_t{0}, all / 2, all - 1}) {
        std::vector<T> in = random_values<T>(kExponents, values_of<T>(tile), 10);
        for (std::size_t k = 0; k < in.size(); k += all) in[k + at] = make<T>(special);
        int wrong = 0;
        for_each_group<T>(tile, along_x, functor, in,
                          [&](const std::vector<T>& values, const std::vector<T>& held) {
                            double expected = number(values[0]);
                            bool has_special = false;
                            for (const T v : values) {
                              const double x = number(v);
                              if (same_bits(v, make<T>(special))) has_special = true;
                              if (functor == Functor::max ? x > expected : x < expected)
                                expected = x;
                            }
                            if (has_special) expected = static_cast<double>(expected_special);
                            for (const T h : held) {
                              const double x = number(h);
                              if (!(std::isnan(expected) ? std::isnan(x) : x == expected)) ++wrong;
                            }
                          });
        INFO(describe(tile, along_x) << ", special " << special << " in thread " << at);
        CHECK(wrong == 0);
      }
    }
  }
}

template <class T>
void check_all_extremes() {
  check_extremes<T>(Functor::max, kNaN, kNaN);
  check_extremes<T>(Functor::min, kNaN, kNaN);
  check_extremes<T>(Functor::max, kInfinity, kInfinity);
  check_extremes<T>(Functor::min, -kInfinity, -kInfinity);
}

}  // namespace

TEST_CASE("Reduce: Max and Min propagate NaN and find infinities, whichever thread has them",
          "[exchange]") {
  require_device();
  SECTION("float") { check_all_extremes<float>(); }
  SECTION("half") { check_all_extremes<half>(); }
  SECTION("bf16") { check_all_extremes<__nv_bfloat16>(); }
}

TEST_CASE("Reduce: Max of nothing but -inf, Min of nothing but inf", "[exchange]") {
  require_device();
  for (Tile tile : blocks()) {
    tile.vec = 4;
    const auto check = [&](Functor functor, float value) {
      for_each_group<float>(tile, true, functor, std::vector<float>(values_of<float>(tile), value),
                            [&](const std::vector<float>&, const std::vector<float>& held) {
                              CHECK(held.front() == value);
                              CHECK(held.back() == value);
                            });
    };
    check(Functor::max, -kInfinity);
    check(Functor::min, kInfinity);
  }
}

TEST_CASE("Reduce: logical and, or, and the extremes of booleans: one thread decides",
          "[exchange]") {
  require_device();
  for (Tile tile : blocks()) {
    tile.vec = 2;
    const std::size_t all = std::size_t{tile.threads} * tile.rows;
    for (const bool along_x : {true, false}) {
      for (const Functor functor :
           {Functor::logical_and, Functor::logical_or, Functor::min, Functor::max}) {
        const bool is_and = functor == Functor::logical_and || functor == Functor::min;
        std::vector<unsigned char> in(values_of<bool>(tile), is_and ? 1 : 0);
        // Register 0 of a call is all alike; in register 1, one thread differs.
        for (std::size_t k = all; k < in.size(); k += 2 * all) in[k + all / 3] = is_and ? 0 : 1;
        int wrong = 0;
        for_each_group<unsigned char>(
            tile, along_x, functor, in,
            [&](const std::vector<unsigned char>& values, const std::vector<unsigned char>& held) {
              bool expected = is_and;
              for (const unsigned char v : values) {
                expected = is_and ? expected && v != 0 : expected || v != 0;
              }
              for (const unsigned char h : held) wrong += h == (expected ? 1 : 0) ? 0 : 1;
            });
        INFO(describe(tile, along_x));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("Reduce: products", "[exchange]") {
  require_device();
  for (Tile tile : blocks()) {
    tile.vec = 4;
    int wrong = 0;
    for_each_group<std::int32_t>(
        tile, true, Functor::mul,
        random_values<std::int32_t>(kExponents, values_of<std::int32_t>(tile), 11),
        [&](const std::vector<std::int32_t>& values, const std::vector<std::int32_t>& held) {
          std::uint32_t product = 1;
          for (const std::int32_t v : values) product *= static_cast<std::uint32_t>(v);
          for (const std::int32_t h : held) {
            wrong += static_cast<std::uint32_t>(h) == product ? 0 : 1;
          }
        });
    CHECK(wrong == 0);
  }
}

TEST_CASE("Reduce: within a thread") {
  require_device();
  constexpr unsigned kThreadsHere = 96;
  for (const int vec : {1, 2, 4, 8}) {
    INFO("vec " << vec);
    const std::size_t n = static_cast<std::size_t>(vec) * kThreadsHere;
    const auto run = [&](auto in, Functor functor) {
      using T = typename decltype(in)::value_type;
      const ExactBuffer<T> source(in);
      const GuardedBuffer<T> results(kThreadsHere);
      REQUIRE(reduce_local(vec, functor, source.data(), results.data(), kThreadsHere) ==
              cudaSuccess);
      CHECK(results.intact());
      return results.download();
    };
    const std::vector<std::int32_t> whole = random_values<std::int32_t>(kExponents, n, 12);
    const std::vector<std::int32_t> whole_sums = run(whole, Functor::add);
    std::vector<float> floats = random_values<float>(kExponents, n, 13);
    const std::vector<float> sums = run(floats, Functor::add);
    floats[static_cast<std::size_t>(vec / 2) * kThreadsHere + 17] = kNaN;
    const std::vector<float> most = run(floats, Functor::max);
    std::vector<half> halves = random_values<half>(kExponents, n, 14);
    const std::vector<half> most_halves = run(halves, Functor::max);
    int wrong = 0;
    for (std::size_t t = 0; t < kThreadsHere; ++t) {
      std::int32_t sum = 0;
      ExactSum exact;
      float largest = -kInfinity;
      double largest_half = -kInfinity;
      for (std::size_t k = t; k < n; k += kThreadsHere) {
        sum = wrapping_add(sum, whole[k]);
        if (t != 17) exact.add(floats[k]);
        largest = floats[k] > largest ? floats[k] : largest;
        largest_half = std::fmax(largest_half, number(halves[k]));
      }
      if (whole_sums[t] != sum) ++wrong;
      if (number(most_halves[t]) != largest_half) ++wrong;
      if (t == 17) {
        if (!std::isnan(most[t])) ++wrong;
        continue;
      }
      if (most[t] != largest) ++wrong;
      if (!(std::fabs(sums[t] - exact.value()) <= sum_bound(ceil_log2(vec), exact.magnitudes))) {
        ++wrong;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Reduce: a thread's rows, and its columns") {
  require_device();
  for (const int nx : {1, 2, 4}) {
    for (const int ny : {1, 2, 3}) {
      std::vector<float> in;
      for (int k = 0; k < nx * ny; ++k) in.push_back(static_cast<float>(1 << k));
      const ExactBuffer<float> source(in);
      for (const bool along_x : {true, false}) {
        INFO("nx " << nx << ", ny " << ny << (along_x ? ", along x" : ", along y"));
        const GuardedBuffer<float> results(static_cast<std::size_t>(along_x ? ny : nx));
        REQUIRE(reduce_local_2d(nx, ny, along_x, source.data(), results.data()) == cudaSuccess);
        const std::vector<float> sums = results.download();
        std::vector<float> expected(sums.size());
        for (int k = 0; k < nx * ny; ++k) {
          expected[static_cast<std::size_t>(along_x ? k / nx : k % nx)] +=
              in[static_cast<std::size_t>(k)];
        }
        CHECK(sums == expected);  // powers of two: exact
        CHECK(results.intact());
      }
    }
  }
}

// ---- Cumsum -----------------------------------------------------------------------------------

namespace {

constexpr std::initializer_list<TileLayout> kLayouts = {
    TileLayout::adjacent, TileLayout::interleaved, TileLayout::striped};

struct Block {
  unsigned threads, rows;
};

template <class F>
void for_each_scan(F f) {
  for (const TileLayout layout : kLayouts) {
    for (const int vec : {1, 2, 4, 8}) {
      for (const Block block : {Block{32, 1}, Block{64, 1}, Block{96, 1}, Block{256, 1},
                                Block{1024, 1}, Block{32, 4}, Block{64, 3}, Block{128, 8}}) {
        f(Tile{vec, layout, block.threads, block.rows});
      }
    }
  }
}

std::string describe(const Tile& tile) {
  constexpr const char* names[] = {"adjacent", "interleaved", "striped", "both"};
  return std::string(names[static_cast<int>(tile.layout)]) + ", " + describe(tile, true);
}

/// Runs kCalls scans and hands each row to check(values, results, totals): the values that were
/// added up to there, in order; all threads' totals.
template <class T, class Check>
void for_each_scanned_row(const Tile& tile, bool carried, const std::vector<T>& in, Check check) {
  const std::size_t all = std::size_t{tile.threads} * tile.rows;
  const auto size = static_cast<std::size_t>(tile.size());
  const ExactBuffer<T> source(in);
  const GuardedBuffer<T> results(in.size());
  const GuardedBuffer<T> totals(kCalls * all);
  INFO(describe(tile));
  REQUIRE(cumsum(tile, carried, kCalls, source.data(), results.data(), totals.data()) ==
          cudaSuccess);
  CHECK(results.intact());
  CHECK(totals.intact());
  const std::vector<T> out = results.download();
  const std::vector<T> total = totals.download();
  for (std::size_t row = 0; row < tile.rows; ++row) {
    std::vector<T> values, scanned, held;
    for (std::size_t c = 0; c < kCalls; ++c) {
      const std::size_t first = (c * tile.rows + row) * size;
      if (!carried) {
        values.clear();
        scanned.clear();
        held.clear();
      }
      values.insert(values.end(), &in[first], &in[first] + size);
      scanned.insert(scanned.end(), &out[first], &out[first] + size);
      const std::size_t thread = c * all + row * tile.threads;
      held.insert(held.end(), &total[thread], &total[thread] + tile.threads);
      if (!carried) check(values, scanned, held);
    }
    if (carried) check(values, scanned, held);
  }
}

template <class T>
void check_integer_scans() {
  for_each_scan([](const Tile& tile) {
    const auto n = static_cast<std::size_t>(kCalls * tile.size()) * tile.rows;
    for (const bool carried : {false, true}) {
      int wrong = 0;
      for_each_scanned_row<T>(tile, carried, random_values<T>(kExponents, n, 20),
                              [&](const std::vector<T>& values, const std::vector<T>& scanned,
                                  const std::vector<T>& totals) {
                                T sum = 0;
                                for (std::size_t i = 0; i < values.size(); ++i) {
                                  sum = wrapping_add(sum, values[i]);
                                  if (scanned[i] != sum) ++wrong;
                                  const std::size_t tile_end =
                                      static_cast<std::size_t>(tile.size());
                                  if ((i + 1) % tile_end != 0) continue;
                                  for (std::size_t t = 0; t < tile.threads; ++t) {
                                    if (totals[i / tile_end * tile.threads + t] != sum) ++wrong;
                                  }
                                }
                              });
      INFO(describe(tile) << ", carried " << carried);
      CHECK(wrong == 0);
    }
  });
}

}  // namespace

TEST_CASE("Cumsum: integers are exact, in every layout, with and without a carry", "[exchange]") {
  require_device();
  SECTION("int32") { check_integer_scans<std::int32_t>(); }
  SECTION("int64") { check_integer_scans<std::int64_t>(); }
}

TEST_CASE("Cumsum: floats, within the bound of their tree", "[exchange]") {
  require_device();
  for_each_scan([](const Tile& tile) {
    const int width = width_of(tile.layout, tile.vec, sizeof(float));
    const int rounds = tile.vec / width;
    const int warps = static_cast<int>(tile.threads) / 32;
    // Additions above an element: within its vector; the lanes' scan; across the warps, either a
    // chain over the rounds (one warp) or a scan of 32 totals at a time and the sum of those
    // before; then the carry, the prefix of the warp, that of the lanes.
    const int across = warps == 1 ? rounds : 5 + ceil_div(rounds * warps, 32);
    const int depth = (width - 1) + 5 + across + 3;
    const auto n = static_cast<std::size_t>(kCalls * tile.size()) * tile.rows;
    int wrong = 0;
    for_each_scanned_row<float>(
        tile, false, random_values<float>(kExponents, n, 21),
        [&](const std::vector<float>& values, const std::vector<float>& scanned,
            const std::vector<float>& totals) {
          ExactSum exact;
          for (std::size_t i = 0; i < values.size(); ++i) {
            exact.add(values[i]);
            const double bound = sum_bound(depth, exact.magnitudes);
            if (!(std::fabs(scanned[i] - exact.value()) <= bound)) ++wrong;
          }
          for (const float total : totals) {
            if (!same_bits(total, totals[0])) ++wrong;
          }
          if (!(std::fabs(totals[0] - exact.value()) <= sum_bound(depth, exact.magnitudes))) {
            ++wrong;
          }
        });
    INFO(describe(tile));
    CHECK(wrong == 0);
  });
}

TEST_CASE("Cumsum: an operation that does not commute is applied from left to right",
          "[exchange]") {
  require_device();
  for_each_scan([](const Tile& tile) {
    const auto n = static_cast<std::size_t>(tile.size()) * tile.rows;
    const std::vector<std::uint32_t> in = random_values<std::uint32_t>(kExponents, n, 22);
    const ExactBuffer<std::uint32_t> source(in);
    const GuardedBuffer<std::uint32_t> results(n);
    REQUIRE(cumsum_affine(tile, source.data(), results.data()) == cudaSuccess);
    const std::vector<std::uint32_t> out = results.download();
    int wrong = 0;
    std::uint32_t sofar = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool begins = i % static_cast<std::size_t>(tile.size()) == 0;
      sofar = begins ? in[i] : compose_affine(sofar, in[i]);
      if (out[i] != sofar) ++wrong;
    }
    INFO(describe(tile));
    CHECK(wrong == 0);
  });
}

TEST_CASE("Cumsum: a NaN or an infinity spoils what comes after it, and nothing before",
          "[exchange]") {
  require_device();
  for_each_scan([](const Tile& tile) {
    const auto size = static_cast<std::size_t>(tile.size());
    for (const float special : {kNaN, kInfinity}) {
      for (const std::size_t at : {std::size_t{0}, size / 2 - 1, size - 1}) {
        std::vector<float> in(kCalls * size * tile.rows, 1.0f);
        for (std::size_t first = 0; first < in.size(); first += size) in[first + at] = special;
        int wrong = 0;
        for_each_scanned_row<float>(
            tile, false, in,
            [&](const std::vector<float>&, const std::vector<float>& scanned,
                const std::vector<float>&) {
              for (std::size_t i = 0; i < scanned.size(); ++i) {
                const float x = scanned[i];
                const bool is_special = std::isnan(special) ? std::isnan(x) : x == kInfinity;
                if (i < at ? x != static_cast<float>(i + 1) : !is_special) ++wrong;
              }
            });
        INFO(describe(tile) << ", " << special << " at " << at);
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE("Cumsum: halves", "[exchange]") {
  require_device();
  for_each_scan([](const Tile& tile) {
    const auto n = static_cast<std::size_t>(kCalls * tile.size()) * tile.rows;
    std::vector<half> in(n, make<half>(0.0));
    // 2048 ones at most, as many as a half counts.
    for (std::size_t i = 0; i < n; i += 8) in[i] = make<half>(1.0);
    int wrong = 0;
    for_each_scanned_row<half>(tile, false, in,
                               [&](const std::vector<half>& values,
                                   const std::vector<half>& scanned, const std::vector<half>&) {
                                 double sum = 0;
                                 for (std::size_t i = 0; i < values.size(); ++i) {
                                   sum += number(values[i]);
                                   if (number(scanned[i]) != sum) ++wrong;
                                 }
                               });
    INFO(describe(tile));
    CHECK(wrong == 0);
  });
}
