// Init, ReadData, ReadDataBc, WriteData, and the layouts.
#include <algorithm>
#include <string>

#include "06_primitives/proof/test_data.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 40;  // 1 - kFar is 1 in its lowest 32 bits

const char* name_of(TileLayout layout) {
  constexpr const char* names[] = {"adjacent", "interleaved", "striped", "both"};
  return names[static_cast<int>(layout)];
}

std::string describe(const Tile& tile) {
  return "vec " + std::to_string(tile.vec) + ", " + name_of(tile.layout) + ", " +
         std::to_string(tile.threads) + " threads, " + std::to_string(tile.rows) + " rows";
}

/// Element i of the data; whole numbers that an int8 holds, different from their neighbours.
double datum(std::int64_t i) { return static_cast<double>(i % 125 + 1); }

constexpr float kInitial = -7.0f;

/// One launch: what the registers hold, what was written, and what was not.
template <class Src, class Reg, class Dst>
std::string read_write_violation(const Tile& tile, bool boundary, std::int64_t num, int offset) {
  const std::int64_t count = boundary ? std::clamp<std::int64_t>(num, 0, tile.size()) : tile.size();
  std::vector<Src> data(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = make<Src>(datum(i));
  const ExactBuffer<Src> src(data, static_cast<std::size_t>(offset));
  const GuardedBuffer<Dst> dst(static_cast<std::size_t>(tile.size()),
                               static_cast<std::size_t>(offset));
  const GuardedBuffer<Reg> registers(static_cast<std::size_t>(tile.size()));
  if (read_write(tile, boundary, src.data(), dst.data(), registers.data(), kInitial, num) !=
      cudaSuccess) {
    return "launch";
  }
  const std::size_t bytes =
      tile.layout == TileLayout::both ? std::max(sizeof(Src), sizeof(Dst)) : sizeof(Src);
  const int width = width_of(tile.layout, tile.vec, bytes);
  const std::vector<Reg> held = registers.download();
  const std::vector<Dst> written = dst.download();
  for (int k = 0; k < tile.vec; ++k) {
    for (unsigned t = 0; t < tile.threads; ++t) {
      const std::int64_t i = element_of(width, tile.threads, k, t);
      const double expected = i < count ? datum(i) : static_cast<double>(kInitial);
      if (number(held[static_cast<std::size_t>(k) * tile.threads + t]) != expected) {
        return "register " + std::to_string(k) + " of thread " + std::to_string(t);
      }
    }
  }
  for (std::int64_t i = 0; i < tile.size(); ++i) {
    const Dst value = written[static_cast<std::size_t>(i)];
    if (i < count ? number(value) != datum(i) : !never_written(value)) {
      return "element " + std::to_string(i);
    }
  }
  return dst.damage() + registers.damage();
}

template <class Src, class Reg, class Dst>
void check_read_write(const Tile& tile) {
  const auto check = [&](bool boundary, std::int64_t num, int offset) {
    const std::string violation = read_write_violation<Src, Reg, Dst>(tile, boundary, num, offset);
    if (violation.empty()) return;
    FAIL_CHECK(describe(tile) << ", boundary " << boundary << ", num " << num << ", offset "
                              << offset << ": " << violation);
  };
  const std::int64_t size = tile.size();
  check(false, size, 0);
  check(false, kFar, 16 / static_cast<int>(sizeof(Src)));
  check(false, 0, 0);  // the caller has promised: num is not looked at
  if (tile.threads == 32) {
    for (std::int64_t num = -1; num <= size + 1; ++num) check(true, num, 0);
  }
  for (const int offset : {0, 1, 3}) {
    for (const std::int64_t num : {1 - kFar, std::int64_t{1}, tile.vec - std::int64_t{1},
                                   size / 2 - 1, size - 1, size, size + 1, kFar}) {
      check(true, num, offset);
    }
  }
}

template <class Src, class Reg, class Dst>
void check_read_write(std::initializer_list<TileLayout> layouts) {
  require_device();
  for (const TileLayout layout : layouts) {
    for (const int vec : {1, 2, 4, 8}) {
      for (const unsigned threads : {32U, 64U, 96U, 256U, 1024U}) {
        check_read_write<Src, Reg, Dst>({vec, layout, threads, 1});
      }
    }
  }
}

constexpr std::initializer_list<TileLayout> kLayouts = {
    TileLayout::adjacent, TileLayout::interleaved, TileLayout::striped};

}  // namespace

TEST_CASE("ReadData, WriteData: float") { check_read_write<float, float, float>(kLayouts); }
TEST_CASE("ReadData, WriteData: half, held as float") {
  check_read_write<half, float, half>(kLayouts);
}
TEST_CASE("ReadData, WriteData: int8, held as int") {
  check_read_write<std::int8_t, std::int32_t, std::int8_t>(kLayouts);
}
TEST_CASE("ReadData, WriteData: double") { check_read_write<double, double, double>(kLayouts); }
TEST_CASE("ReadData, WriteData: half in, float out, one layout for both") {
  check_read_write<half, half, float>(
      {TileLayout::both, TileLayout::adjacent, TileLayout::striped});
}

TEST_CASE("ReadData, WriteData: two types of different size, each in its own layout, swap places") {
  require_device();
  // Eight halves a thread are one vector of 16 bytes, eight floats are two: the trap that
  // Interleaved<half, float> is there for.
  const Tile tile{8, TileLayout::interleaved, 32, 1};
  std::vector<half> data(256);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = make<half>(static_cast<double>(i));
  const GuardedBuffer<half> src(data);
  const GuardedBuffer<float> dst(256);
  const GuardedBuffer<half> registers(256);
  REQUIRE(read_write(tile, false, src.data(), dst.data(), registers.data(), 0.0f, 256) ==
          cudaSuccess);
  const std::vector<float> result = dst.download();
  CHECK(result[0] == 0.0f);
  CHECK(result[4] == 8.0f);  // thread 1's first elements
  CHECK(result[128] == 4.0f);
}

// ---- Two dimensions ---------------------------------------------------------------------------

namespace {

std::int64_t extent_of(const Window& w, std::int64_t columns, std::int64_t rows) {
  return columns == 0 || rows == 0 ? 0 : (columns - 1) * w.stride_nx + (rows - 1) * w.stride_ny + 1;
}

/// `width` of the columns' layout.
std::string violation_2d(const Tile2d& tile, int width, bool boundary, const Window& from,
                         const Window& to, std::size_t offset) {
  const std::int64_t tile_columns = std::int64_t{tile.threads} * tile.nx;
  const std::int64_t tile_rows = std::int64_t{tile.rows} * tile.ny;
  const std::int64_t columns = boundary ? std::min(from.size_nx, tile_columns) : tile_columns;
  const std::int64_t rows = boundary ? std::min(from.size_ny, tile_rows) : tile_rows;
  std::vector<float> data(static_cast<std::size_t>(extent_of(from, columns, rows)));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const ExactBuffer<float> src(data, offset);
  const GuardedBuffer<float> dst(static_cast<std::size_t>(extent_of(to, tile_columns, tile_rows)),
                                 offset);
  const GuardedBuffer<float> registers(static_cast<std::size_t>(tile_columns * tile_rows));
  if (read_write_rows(tile, boundary, src.data(), dst.data(), registers.data(), from, to) !=
      cudaSuccess) {
    return "launch";
  }
  const std::vector<float> held = registers.download();
  const std::vector<float> written = dst.download();
  std::vector<bool> expected_written(written.size());
  const std::size_t all = std::size_t{tile.threads} * tile.rows;
  for (int y = 0; y < tile.ny; ++y) {
    for (int x = 0; x < tile.nx; ++x) {
      for (std::size_t t = 0; t < all; ++t) {
        const auto tx = static_cast<unsigned>(t % tile.threads);
        const std::int64_t row =
            std::int64_t{tile.rows} * y + static_cast<std::int64_t>(t / tile.threads);
        const std::int64_t column = element_of(width, tile.threads, x, tx);
        const bool exists = column < columns && row < rows;
        const float expected =
            exists ? static_cast<float>(column * from.stride_nx + row * from.stride_ny) : -1.0f;
        const std::size_t at = static_cast<std::size_t>(y * tile.nx + x) * all + t;
        if (held[at] != expected) return "register " + std::to_string(at);
        const bool to_exists = !boundary || (column < to.size_nx && row < to.size_ny);
        if (!to_exists) continue;
        const auto place = static_cast<std::size_t>(column * to.stride_nx + row * to.stride_ny);
        expected_written[place] = true;
        if (written[place] != expected) return "element " + std::to_string(place);
      }
    }
  }
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (!expected_written[i] && !never_written(written[i])) return "wrote " + std::to_string(i);
  }
  return dst.damage() + registers.damage();
}

struct Block {
  unsigned threads, rows;
};

template <class F>
void for_each_tile_2d(F f) {
  for (const int nx : {1, 2, 4}) {
    for (const int ny : {1, 2, 3}) {
      for (const Block block : {Block{32, 1}, Block{8, 4}, Block{32, 8}, Block{1, 64}}) {
        f(Tile2d{nx, ny, block.threads, block.rows});
      }
    }
  }
}

}  // namespace

TEST_CASE("ReadData, WriteData: 2-D, rows of adjacent elements") {
  require_device();
  for_each_tile_2d([](const Tile2d& tile) {
    const std::int64_t w = std::int64_t{tile.threads} * tile.nx;
    const std::int64_t h = std::int64_t{tile.rows} * tile.ny;
    const int width = width_of(TileLayout::interleaved, tile.nx, sizeof(float));
    const auto check = [&](bool boundary, Window from, Window to, std::size_t offset) {
      const std::string violation = violation_2d(tile, width, boundary, from, to, offset);
      INFO("nx " << tile.nx << ", ny " << tile.ny << ", " << tile.threads << " x " << tile.rows
                 << ", sizes " << from.size_nx << ", " << from.size_ny);
      CHECK(violation == "");
    };
    check(false, {w, h, 1, (w + 7) / 4 * 4}, {w, h, 1, (w + 11) / 4 * 4}, 0);
    for (const std::int64_t size_nx : {std::int64_t{0}, std::int64_t{1}, w - 1, w, w + 5}) {
      for (const std::int64_t size_ny : {std::int64_t{0}, std::int64_t{1}, h - 1, h, h + 5}) {
        check(true, {size_nx, size_ny, 1, w + 1}, {size_nx, size_ny, 1, w + 3}, 1);
      }
    }
  });
}

// ---- Through an index -------------------------------------------------------------------------

namespace {

/// The same in 64 bits and by division.
std::int64_t offset_of(const Box& box, std::int64_t number) {
  std::int64_t sum = 0;
  for (int d = 0; d < box.rank; ++d) {
    const bool outermost = d + 1 == box.rank;
    sum += (outermost ? number : number % box.extent[d]) * box.stride[d];
    if (!outermost) number /= box.extent[d];
  }
  return sum;
}

const std::vector<Box>& boxes() {
  static const std::vector<Box> all = {
      {1, {1000, 1, 1}, {1, 0, 0}},      // as it lies
      {1, {1000, 1, 1}, {0, 0, 0}},      // a scalar
      {2, {7, 1000, 1}, {1, 0, 0}},      // a row, for every row
      {2, {7, 1000, 1}, {0, 1, 0}},      // a column, for every column
      {3, {5, 3, 400}, {1, 0, 5}},       // the middle dimension broadcast
      {3, {5, 3, 400}, {0, 1, 0}},       // a channel
      {3, {3, 5, 400}, {400, 1200, 1}},  // a transpose
  };
  return all;
}

}  // namespace

TEST_CASE("IndexMap: every number up to 2^32 is taken apart exactly") {
  require_device();
  const std::vector<Box> large = {
      {2, {3, 1500000000, 1}, {1, 1000000007, 0}}, {2, {641, 6700417, 1}, {5000000000, 1, 0}},
      {2, {2147483649, 2, 1}, {1, 5000000000, 0}}, {3, {65537, 65521, 1}, {1, 70000, 5000000000}},
      {3, {7, 1, 700000000}, {0, 12345, 9}},       {3, {4294967295, 1, 2}, {1, 2, 3}},
  };
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t near : {0U, 1U << 16, 1U << 31, 3000000000U, 0xffffffffU}) {
    for (std::uint32_t d = 0; d < 400; ++d) {
      numbers.push_back(near + d);  // wraps: both sides of 0 and of 2^32
      numbers.push_back(near - d);
    }
  }
  std::mt19937 random(1);
  while (numbers.size() < 20000) numbers.push_back(static_cast<std::uint32_t>(random()));
  const ExactBuffer<std::uint32_t> in(numbers);
  for (const std::vector<Box>& list : {boxes(), large}) {
    for (const Box& box : list) {
      const GuardedBuffer<std::int64_t> out(numbers.size());
      REQUIRE(index_offsets(box, in.data(), out.data(),
                            static_cast<std::int64_t>(numbers.size())) == cudaSuccess);
      const std::vector<std::int64_t> offsets = out.download();
      int wrong = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (offsets[i] != offset_of(box, numbers[i])) ++wrong;
      }
      INFO(box.extent[0] << " x " << box.extent[1] << " x " << box.extent[2]);
      CHECK(wrong == 0);
    }
  }
}

namespace {

std::string indexed_violation(const Tile& tile, bool boundary, std::uint32_t first, const Box& box,
                              std::int64_t num) {
  const std::int64_t count = boundary ? std::clamp<std::int64_t>(num, 0, tile.size()) : tile.size();
  std::int64_t most = -1;
  for (std::int64_t i = 0; i < count; ++i) most = std::max(most, offset_of(box, first + i));
  std::vector<float> data(static_cast<std::size_t>(most + 1));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i + 1);
  const ExactBuffer<float> src(data);
  const GuardedBuffer<float> registers(static_cast<std::size_t>(tile.size()));
  if (read_broadcast(tile, boundary, src.data(), first, box, num, registers.data()) !=
      cudaSuccess) {
    return "launch";
  }
  const std::vector<float> held = registers.download();
  const int width = width_of(tile.layout, tile.vec, sizeof(float));
  for (int k = 0; k < tile.vec; ++k) {
    for (unsigned t = 0; t < tile.threads; ++t) {
      const std::int64_t i = element_of(width, tile.threads, k, t);
      const double expected = i < count ? static_cast<double>(offset_of(box, first + i) + 1) : -1.0;
      if (held[static_cast<std::size_t>(k) * tile.threads + t] != expected) {
        return "register " + std::to_string(k) + " of thread " + std::to_string(t);
      }
    }
  }
  return registers.damage();
}

}  // namespace

TEST_CASE("ReadDataBc: through every kind of broadcast, boundary and full") {
  require_device();
  const auto check = [&](const Tile& tile, bool boundary, std::uint32_t first, const Box& box,
                         std::int64_t num) {
    const std::string violation = indexed_violation(tile, boundary, first, box, num);
    if (violation.empty()) return;
    FAIL_CHECK(describe(tile) << ", boundary " << boundary << ", first " << first << ", num " << num
                              << ", box " << box.extent[0] << " x " << box.extent[1] << ": "
                              << violation);
  };
  for (const TileLayout layout : kLayouts) {
    for (const int vec : {1, 2, 4, 8}) {
      for (const unsigned threads : {32U, 96U, 256U}) {
        const Tile tile{vec, layout, threads, 1};
        const std::int64_t size = tile.size();
        for (const Box& box : boxes()) {
          check(tile, false, 13, box, 0);
          for (const std::int64_t num : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                                         size - 1, size, size + 1, kFar}) {
            check(tile, true, 13, box, num);
          }
        }
        // Beyond 2^31, of an input that is small because the outermost dimension is broadcast.
        const Box high{3, {37, 11, 20000000}, {1, 37, 0}};
        check(tile, false, 0x80000001U, high, 0);
        check(tile, true, 0xffffffffU - static_cast<std::uint32_t>(size) + 1U, high, size - 3);
      }
    }
    const Tile tile{4, layout, 32, 1};
    for (std::int64_t num = 0; num <= tile.size() + 1; ++num) check(tile, true, 5, boxes()[4], num);
  }
}

// ---- Rearrange --------------------------------------------------------------------------------

namespace {

template <class T>
void check_rearrange() {
  require_device();
  for (const int vec : {1, 2, 4, 8}) {
    for (const Block block :
         {Block{32, 1}, Block{32, 4}, Block{16, 4}, Block{96, 1}, Block{128, 2}, Block{512, 1}}) {
      for (const TileLayout from : kLayouts) {
        for (const TileLayout to : kLayouts) {
          const Tile tile{vec, from, block.threads, block.rows};
          const int from_width = width_of(from, vec, sizeof(T));
          const int to_width = width_of(to, vec, sizeof(T));
          const std::size_t all = std::size_t{block.threads} * block.rows;
          std::vector<T> in, expected;
          for (int k = 0; k < 2 * vec; ++k) {  // two tiles
            for (std::size_t t = 0; t < all; ++t) {
              const std::size_t row = t / block.threads;
              const auto thread = static_cast<unsigned>(t % block.threads);
              const auto value = [&](int width) {
                const std::int64_t i = element_of(width, block.threads, k % vec, thread);
                const std::int64_t other = static_cast<std::int64_t>(row) + 50 * (k / vec);
                return make<T>(static_cast<double>((i * 7 + other) % 127));
              };
              in.push_back(value(from_width));
              expected.push_back(value(to_width));
            }
          }
          const ExactBuffer<T> source(in);
          const GuardedBuffer<T> out(in.size());
          REQUIRE(rearrange(tile, to, source.data(), out.data()) == cudaSuccess);
          const std::vector<T> result = out.download();
          INFO(describe(tile) << " to " << name_of(to));
          CHECK(std::memcmp(result.data(), expected.data(), expected.size() * sizeof(T)) == 0);
          CHECK(out.intact());
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("Rearrange: from every layout to every other", "[exchange]") {
  SECTION("float") { check_rearrange<float>(); }
  SECTION("half") { check_rearrange<half>(); }
  SECTION("int8") { check_rearrange<std::int8_t>(); }
  SECTION("double") { check_rearrange<double>(); }
}
