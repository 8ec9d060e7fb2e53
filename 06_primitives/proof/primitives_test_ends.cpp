// Functions of rows read and write nothing beyond their operands: both end with a page, and what follows is no memory.
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <new>
#include <string>

#include "06_primitives/launchers/batch.h"
#include "06_primitives/primitives.h"
#include "06_primitives/proof/test_data.h"
#if defined(TUTORIAL_BACKEND_CPU)
#include <atomic>

#include "common/executor/qualifiers.h"
#include "common/executor/watcher.h"
#endif

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// `size` elements in front of a page that nobody may touch.
template <class T>
class BeforeNothing {
 public:
  explicit BeforeNothing(std::int64_t size)
      : pages_((static_cast<std::size_t>(size) * sizeof(T) + kPage - 1) / kPage * kPage),
        begin_(mmap(nullptr, pages_ + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0)) {
    if (begin_ == MAP_FAILED) throw std::bad_alloc();
    char* const end = static_cast<char*>(begin_) + pages_;
    if (mprotect(end, kPage, PROT_NONE) != 0) throw std::bad_alloc();
    data_ = reinterpret_cast<T*>(end) - size;
    std::fill_n(data_, size, make<T>(1));
  }
  BeforeNothing(const BeforeNothing&) = delete;
  BeforeNothing& operator=(const BeforeNothing&) = delete;
  ~BeforeNothing() { munmap(begin_, pages_ + kPage); }

  T* data() const { return data_; }

 private:
  static constexpr std::size_t kPage = 65536;  // a multiple of every system's

  std::size_t pages_;
  void* begin_;
  T* data_ = nullptr;
};

template <class T>
using OnRows = std::function<cudaError_t(const T*, T*, std::int64_t, std::int64_t)>;

/// Rows of so many elements, alone and three of them; `last` is what the last element of a row of ones becomes.
template <class T>
void check_ends(const std::string& what, const OnRows<T>& launch,
                const std::vector<std::int64_t>& lengths, double (*last)(std::int64_t)) {
  for (const std::int64_t columns : lengths) {
    for (const std::int64_t rows : {1, 3}) {
      INFO(what << " of " << rows << " x " << columns);
      const BeforeNothing<T> x(rows * columns), y(rows * columns);
      REQUIRE(launch(x.data(), y.data(), rows, columns) == cudaSuccess);
      require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      const double wanted = last(columns), got = number(y.data()[rows * columns - 1]);
      CHECK(std::fabs(got - wanted) <= 1e-3 * wanted + 1e-7);  // a half below its normal numbers
    }
  }
}

/// Of one element to what eight blocks hold in registers, whole packs and others.
template <class T>
std::vector<std::int64_t> lengths() {
  constexpr std::int64_t kPack = 16 / sizeof(T);
  return {1,    31,           33,           511,          513,          1000,         4095,
          4097, 1025 * kPack, 1279 * kPack, 2049 * kPack, 4103 * kPack, 7777 * kPack, 20001};
}

double share(std::int64_t columns) { return 1.0 / static_cast<double>(columns); }
double count(std::int64_t columns) { return static_cast<double>(columns); }

template <class T>
OnRows<T> on_the_stream(cudaError_t (*launch)(const T*, T*, std::int64_t, std::int64_t,
                                              cudaStream_t)) {
  return [=](const T* x, T* y, std::int64_t rows, std::int64_t columns) {
    return launch(x, y, rows, columns, nullptr);
  };
}

}  // namespace

TEST_CASE("functions of rows touch nothing beyond the end of x and y") {
  require_device();
  if (on_gpu) SKIP("a GPU's memory does not end with a row");
  check_ends<float>("softmax", on_the_stream<float>(softmax<float>), lengths<float>(), share);
  check_ends<half>("softmax", on_the_stream<half>(softmax<half>), lengths<half>(), share);
  check_ends<float>("softmax_two_reductions", on_the_stream<float>(softmax_two_reductions<float>),
                    {1, 31, 513, 1000, 4097, 8192}, share);
  check_ends<float>("cumsum", on_the_stream<float>(cumsum<float>), lengths<float>(), count);
  check_ends<std::int32_t>("cumsum", on_the_stream<std::int32_t>(cumsum<std::int32_t>),
                           lengths<std::int32_t>(), count);
  for (const bool sums : {false, true}) {
    const OnRows<float> split = [=](const float* x, float* y, std::int64_t rows,
                                    std::int64_t columns) {
      const std::size_t bytes =
          sums ? cumsum_workspace<float>(rows, columns) : softmax_workspace<float>(rows, columns);
      const GuardedBuffer<char> workspace(bytes);
      const cudaError_t error =
          sums ? cumsum_split(x, y, rows, columns, workspace.data(), bytes, nullptr)
               : softmax_split(x, y, rows, columns, workspace.data(), bytes, nullptr);
      return error == cudaSuccess ? cudaDeviceSynchronize() : error;
    };
    check_ends<float>(sums ? "cumsum_split" : "softmax_split", split, {20001, 32780, 40 * 2048 + 4},
                      sums ? count : share);
  }
}

namespace {

/// The sum along a dimension of a matrix of ones.
template <class T>
void check_sum_at_the_end(Dimension dimension, std::int64_t rows, std::int64_t columns) {
  INFO(rows << " x " << columns << (dimension == Dimension::inner ? ", rows" : ", columns"));
  const bool inner = dimension == Dimension::inner;
  const std::int64_t results = inner ? rows : columns;
  const BeforeNothing<T> x(rows * columns), y(results);
  const std::size_t bytes = reduce_workspace<T>(dimension, rows, columns);
  const GuardedBuffer<char> workspace(bytes);
  REQUIRE(reduce<T>(Reduction::sum, dimension, x.data(), y.data(), rows, columns, workspace.data(),
                    bytes, nullptr) == cudaSuccess);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const double wanted = count(inner ? columns : rows);
  CHECK(std::fabs(number(y.data()[results - 1]) - wanted) <= 1e-3 * wanted);
}

/// The same of matrices one behind the other.
template <class T>
void check_middle_at_the_end(std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  INFO(matrices << " x " << rows << " x " << columns);
  const BeforeNothing<T> x(matrices * rows * columns), y(matrices * columns);
  const TensorLayout of_x = contiguous_layout({matrices, rows, columns});
  const TensorLayout of_y = contiguous_layout({matrices, columns});
  const std::size_t bytes = reduce_workspace<T>(of_x, 1, of_y);
  const GuardedBuffer<char> workspace(bytes);
  REQUIRE(reduce<T>(Reduction::sum, TensorView<const T>{x.data(), of_x}, 1,
                    TensorView<T>{y.data(), of_y}, workspace.data(), bytes,
                    nullptr) == cudaSuccess);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const double wanted = count(rows);
  for (std::int64_t i = 0; i < matrices * columns; ++i) {
    if (number(y.data()[i]) != wanted) FAIL_CHECK("result " << i << " is " << number(y.data()[i]));
  }
}

}  // namespace

TEST_CASE("sums touch nothing beyond the end of x and y") {
  require_device();
  if (on_gpu) SKIP("a GPU's memory does not end with a row");
  struct Size {
    std::int64_t rows, columns;
  };
  for (const Size& size : {Size{3, 1001},
                           {5, 257},  // a column a lane, by every block
                           {32, 259},
                           {33, 257},
                           {128, 261},
                           {129, 257},
                           {1024, 259},
                           {200, 31},
                           {2049, 9},
                           {64, 264},  // packs
                           {300, 1032},
                           {5000, 40},
                           {24, 10248}}) {
    for (const Dimension dimension : {Dimension::outer, Dimension::inner}) {
      check_sum_at_the_end<float>(dimension, size.rows, size.columns);
      check_sum_at_the_end<half>(dimension, size.rows, size.columns);
    }
  }
  for (const std::int64_t rows : {3, 8, 13, 17, 40, 70, 130, 515}) {
    for (const std::int64_t columns : {71, 136, 264}) {
      check_middle_at_the_end<float>(3, rows, columns);
      check_middle_at_the_end<half>(3, rows, columns);
    }
  }
  check_middle_at_the_end<half>(5, 2, 16407);
  check_middle_at_the_end<half>(5, 3, 16407);
}

#if defined(TUTORIAL_BACKEND_CPU)
namespace {

/// Counts the threads that begin, and those that wait for the previous launch.
struct CountWaits : cpu::Watcher {
  CountWaits() { cpu::watcher = this; }
  ~CountWaits() override { cpu::watcher = nullptr; }
  CountWaits(const CountWaits&) = delete;
  CountWaits& operator=(const CountWaits&) = delete;
  void block_begins() override { threads += blockDim.x * blockDim.y * blockDim.z; }
  void waits_for_previous_grid() override { ++waits; }
  std::atomic<std::int64_t> threads{0}, waits{0};
};

}  // namespace

TEST_CASE("every thread of a sum waits for the previous launch") {
  const auto check = [](const TensorShape& shape, std::size_t dim) {
    TensorShape rest = shape;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dim));
    const TensorLayout of_x = contiguous_layout(shape), of_y = contiguous_layout(rest);
    INFO("along " << dim << " of " << to_string(shape));
    const GuardedBuffer<half> x(static_cast<std::size_t>(elements_of(shape)));
    const GuardedBuffer<half> y(static_cast<std::size_t>(elements_of(rest)));
    const auto along = static_cast<std::int64_t>(dim);
    const std::size_t bytes = reduce_workspace<half>(of_x, along, of_y);
    const GuardedBuffer<char> workspace(bytes);
    const CountWaits counted;
    REQUIRE(reduce<half>(Reduction::sum, {x.data(), of_x}, along, {y.data(), of_y},
                         workspace.data(), bytes, nullptr) == cudaSuccess);
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    CHECK(counted.threads > 0);
    CHECK(counted.waits == counted.threads);
  };
  for (const std::int64_t rows : {3, 8, 13, 40, 70, 130, 515}) {
    check({3, rows, 136}, 1);
    check({3, rows, 71}, 1);
    check({rows, 264}, 0);
    check({rows, 261}, 0);
  }
  for (const std::int64_t columns : {9, 64, 300, 4096, 10248, 32768, 32769}) check({8, columns}, 1);
}

TEST_CASE("every thread of a softmax and of a running sum waits for the previous launch") {
  const auto check = [](std::int64_t batch, std::int64_t columns, std::size_t x_at,
                        std::size_t y_at) {
    INFO(columns << " columns of a batch of " << batch << ", x at " << x_at << ", y at " << y_at);
    constexpr std::int64_t rows =
        8;  // fill a block of ShortRowsByWarp, whose other warps return at once
    const auto size = static_cast<std::size_t>(rows * columns);
    const GuardedBuffer<half> x(size, x_at), y(size, y_at);
    for (const bool sums : {false, true}) {
      const CountWaits counted;
      REQUIRE((sums ? cumsum_of_batch<half>(batch, x.data(), y.data(), rows, columns, nullptr)
                    : softmax_of_batch<half>(batch, x.data(), y.data(), rows, columns, nullptr)) ==
              cudaSuccess);
      require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      CHECK(counted.threads > 0);
      CHECK(counted.waits == counted.threads);
    }
  };
  for (const std::int64_t batch : {20, 300, 20000}) {
    for (const std::int64_t columns :
         {40, 300, 520, 800, 1000, 1024, 1280, 5000, 5001, 9000, 9001, 20000, 20001}) {
      check(batch, columns, 0, 0);
      check(batch, columns, 1, 1);
      check(batch, columns, 0, 1);
    }
  }
}
#endif

namespace {

/// 17 rows in shares of so many KiB, the last with three packs less and perhaps with a part of one more: what
/// becomes of ones, and of rows with a NaN, with plus infinity, with minus infinity and of nothing else.
template <class T>
void check_shares(std::int64_t blocks, std::int64_t kib, std::int64_t more = 0) {
  INFO(blocks << " shares of " << kib << " KiB, and " << more << " elements");
  const std::int64_t width = 16 / static_cast<std::int64_t>(sizeof(T)), rows = 17,
                     columns = (blocks * kib * 64 - 3) * width + more;
  const BeforeNothing<T> x(rows * columns), y(rows * columns);
  const auto at = [&](std::int64_t row, std::int64_t column) -> T& {
    return x.data()[row * columns + column];
  };
  at(3, 5) = make<T>(NAN);
  at(5, columns - 1) = make<T>(INFINITY);  // in a register of the last
  at(7, columns / 2) = make<T>(-INFINITY);
  std::fill_n(&at(9, 0), columns, make<T>(-INFINITY));
  REQUIRE(softmax(x.data(), y.data(), rows, columns, nullptr) == cudaSuccess);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (std::int64_t row = 0; row < rows; ++row) {
    const bool nan = row == 3 || row == 5 || row == 9;
    const double one = 1.0 / static_cast<double>(row == 7 ? columns - 1 : columns);
    std::int64_t wrong = 0;
    for (std::int64_t column = 0; column < columns; ++column) {
      const double got = number(y.data()[row * columns + column]);
      const double wanted = row == 7 && column == columns / 2 ? 0.0 : one;
      wrong += nan ? !std::isnan(got) : !(std::fabs(got - wanted) <= 1e-3 * wanted + 1e-7);
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("softmax of long rows touches nothing beyond their end, and has NaN where it must") {
  require_device();
  if (on_gpu) SKIP("a GPU's memory does not end with a row");
  check_shares<float>(8, 33);
  check_shares<half>(8, 33);
  check_shares<float>(8, 76);
  check_shares<float>(8, 113);
  check_shares<float>(8, 33, 1);
  check_shares<half>(8, 76, 3);
  check_shares<float>(8, 113, 3);
  check_ends<float>("softmax", on_the_stream<float>(softmax<float>), {(8 * 221 * 64 - 3) * 4},
                    share);
}
