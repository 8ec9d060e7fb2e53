// SwiGLU to E4m3 with a scale for each row: against a reference in double, and what it promises.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "03_swish/proof/swish_reference.h"
#include "03_swish/quantize/swish_quantize.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"
#include "common/proof/promises.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Quantized {
  std::vector<E4m3> q;
  std::vector<float> scale;
};

template <class T>
Quantized run(const std::vector<T>& a, const std::vector<T>& b, std::int64_t rows,
              std::int64_t columns, RowPasses passes) {
  const GuardedBuffer<T> in_a(a), in_b(b);
  const GuardedBuffer<E4m3> q(a.size());
  const GuardedBuffer<float> scale(static_cast<std::size_t>(rows));
  require_success(swiglu_quantize(in_a.data(), in_b.data(), q.data(), scale.data(), rows, columns,
                                  columns, passes, nullptr),
                  "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  CHECK(q.intact());
  CHECK(scale.intact());
  return {q.download(), scale.download()};
}

/// What is wrong with a row of q and its scale, or an empty string.
template <class T>
std::string complaint(const T* a, const T* b, std::int64_t columns, const E4m3* q, float scale) {
  std::vector<double> y;
  double size = 0x1p-90;
  for (std::int64_t i = 0; i < columns; ++i) {
    y.push_back(swiglu_reference(to_double(a[i]), to_double(b[i])));
    size = std::fmax(size, std::fabs(y.back()));
  }
  if (!(std::fabs(scale * 448.0 / size - 1.0) <= 1e-6)) {
    return "the scale is " + std::to_string(scale) + ", not " + std::to_string(size / 448.0);
  }
  for (std::int64_t i = 0; i < columns; ++i) {
    const double expected = y[static_cast<std::size_t>(i)] * 448.0 / size;
    if (ulp_error(q[i], expected) <= 0.51) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(to_double(q[i])) + ", not " +
           std::to_string(expected);
  }
  return "";
}

/// Normal values; the rows in turn as they are, a ten-thousandth, and a hundred times as large.
template <class T>
std::vector<T> row_values(std::int64_t rows, std::int64_t columns, bool reversed) {
  std::vector<T> values = normal_values<T>(rows * columns);
  if (reversed) std::reverse(values.begin(), values.end());
  constexpr double sizes[] = {1.0, 1e-4, 100.0};
  for (std::size_t i = 0; reversed && i < values.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(columns);
    values[i] = from_double<T>(to_double(values[i]) * sizes[row % 3]);
  }
  return values;
}

/// Promises of n rows, for one of the two outputs; the other goes to memory that nobody looks at.
template <class T>
Promises promises_of(std::int64_t columns, bool of_scale) {
  Promises promises;
  promises.sizes = {0, 1, 2, 9};
  promises.any_size = 9;
  promises.row_elements = columns;
  const std::vector<T> a = row_values<T>(9, columns, false), b = row_values<T>(9, columns, true);
  promises.inputs = {input_array("a", a, alignof(T), false),
                     input_array("b", b, alignof(T), false)};
  promises.out_element_bytes = promises.out_alignment = of_scale ? sizeof(float) : 1;
  promises.out_bytes = [=](std::int64_t n) {
    return static_cast<std::size_t>(of_scale ? n * 4 : n * columns);
  };
  const auto other = std::make_shared<DeviceBytes>(static_cast<std::size_t>(9 * columns) + 64);
  promises.launch = [=](const std::vector<const void*>& in, void* out, std::int64_t n,
                        cudaStream_t stream) {
    void* const q = of_scale ? other->data() : out;
    void* const scale = of_scale ? out : other->data();
    return swiglu_quantize(static_cast<const T*>(in[0]), static_cast<const T*>(in[1]),
                           static_cast<E4m3*>(q), static_cast<float*>(scale), n, columns, columns,
                           RowPasses::fitting, stream);
  };
  const Quantized right = run(a, b, 9, columns, RowPasses::fitting);  // judged by another test case
  promises.judge = [=](const unsigned char* out, std::int64_t n) -> std::string {
    const void* const wanted =
        of_scale ? static_cast<const void*>(right.scale.data()) : right.q.data();
    const auto bytes = static_cast<std::size_t>(of_scale ? n * 4 : n * columns);
    return std::memcmp(out, wanted, bytes) == 0 ? "" : "the result differs";
  };
  return promises;
}

}  // namespace

TEST_CASE("swiglu quantize: every q is near, in one pass and in two, with the same bits",
          "[exchange]") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    constexpr std::int64_t kPack = 16 / sizeof(T), kRows = 3;
    for (const std::int64_t columns :
         {std::int64_t{1}, kPack - 1, kPack, 33 * kPack, std::int64_t{1027}, 512 * kPack,
          513 * kPack, 1024 * kPack, 1025 * kPack, 4096 * kPack, 4097 * kPack, 8192 * kPack,
          8193 * kPack, 16385 * kPack, std::int64_t{2049}, std::int64_t{16385}, std::int64_t{32769},
          std::int64_t{65537}}) {
      INFO(dtype_name<T>() << ", " << columns << " columns");
      const std::vector<T> a = row_values<T>(kRows, columns, false),
                           b = row_values<T>(kRows, columns, true);
      const Quantized fitting = run(a, b, kRows, columns, RowPasses::fitting);
      for (std::int64_t row = 0; row < kRows; ++row) {
        const auto at = static_cast<std::size_t>(row * columns);
        CHECK(complaint(&a[at], &b[at], columns, &fitting.q[at],
                        fitting.scale[static_cast<std::size_t>(row)])
                  .empty());
      }
      const Quantized two = run(a, b, kRows, columns, RowPasses::two_passes);
      CHECK(std::memcmp(two.q.data(), fitting.q.data(), two.q.size()) == 0);
      CHECK(two.scale == fitting.scale);
    }
  });
}

TEST_CASE("swiglu quantize: few rows and many have the same bits", "[exchange]") {
  require_device();
  struct {
    std::int64_t rows, packs;
  } constexpr shapes[] = {{1, 960},    {24, 1024}, {25, 1024}, {1, 1025},  {48, 1025},
                          {49, 1025},  {64, 1792}, {65, 1792}, {81, 2049}, {133, 3072},
                          {128, 1024}, {513, 513}, {129, 1025}};
  for (const auto& [rows, packs] : shapes) {
    const std::int64_t columns = 4 * packs;
    INFO(rows << " x " << columns);
    const std::vector<float> a = row_values<float>(rows, columns, false),
                             b = row_values<float>(rows, columns, true);
    const Quantized one = run(a, b, rows, columns, RowPasses::one_pass),
                    two = run(a, b, rows, columns, RowPasses::two_passes);
    CHECK(std::memcmp(one.q.data(), two.q.data(), two.q.size()) == 0);
    CHECK(one.scale == two.scale);
  }
}

TEST_CASE("swiglu quantize: rows of no whole packs have the same bits in one pass", "[exchange]") {
  require_device();
  // By a block, by clusters with four elements a thread, and more rows by clusters with eight.
  const std::pair<std::int64_t, std::int64_t> shapes[] = {
      {3, 513}, {513, 33}, {48, 2049}, {49, 4097}};
  for (const auto& [rows, columns] : shapes) {
    INFO(rows << " x " << columns);
    const std::vector<half> a = row_values<half>(rows, columns, false),
                            b = row_values<half>(rows, columns, true);
    const Quantized fitting = run(a, b, rows, columns, RowPasses::fitting),
                    two = run(a, b, rows, columns, RowPasses::two_passes);
    CHECK(std::memcmp(fitting.q.data(), two.q.data(), two.q.size()) == 0);
    CHECK(fitting.scale == two.scale);
  }
}

TEST_CASE("swiglu quantize: which kernel runs, in how many blocks") {
  LaunchTable table;
  const auto add_of = [&](auto type, std::int64_t rows, std::int64_t columns) {
    using T = decltype(type);
    table.add(std::string("swiglu_quantize ") + dtype_name<T>(),
              "(" + std::to_string(rows) + ", " + LaunchTable::number(columns) + ")",
              {sizeof(T), sizeof(T), 1, 4}, [=](const Addresses& at, cudaStream_t stream) {
                return swiglu_quantize(at.of<const T>(0), at.of<const T>(1), at.of<E4m3>(2),
                                       at.of<float>(3), rows, columns, columns, RowPasses::fitting,
                                       stream);
              });
  };
  const auto add = [&](std::int64_t rows, std::int64_t columns) { add_of(half(), rows, columns); };
  for (const std::int64_t packs : {512, 513, 1024}) {
    for (const std::int64_t rows : {512, 513}) add(rows, 8 * packs);
  }
  for (const std::int64_t packs : {959, 960, 1024}) {
    for (const std::int64_t rows : {24, 25}) add(rows, 8 * packs);
  }
  for (const std::int64_t packs : {1025, 1791}) {
    for (const std::int64_t rows : {48, 49, 128, 129}) add(rows, 8 * packs);
  }
  for (const std::int64_t packs : {1792, 2048}) {
    for (const std::int64_t rows : {64, 65, 132, 133, 192, 193}) add(rows, 8 * packs);
  }
  for (const std::int64_t packs : {2049, 3071, 3072, 4096}) {
    for (const std::int64_t rows : {80, 81, 132, 133, 768, 769}) add(rows, 8 * packs);
  }
  for (const std::int64_t packs : {4097, 8192, 8193, 16384, 16385}) add(1000, 8 * packs);
  for (const std::int64_t rows : {512, 513}) add(rows, 512);
  for (const std::int64_t columns : {513, 2048, 2049, 4096, 4097, 16384, 16385, 32769, 65537}) {
    for (const std::int64_t rows : {48, 49}) add(rows, columns);
  }
  for (const std::int64_t rows : {192, 193}) add_of(float(), rows, 4 * 3071);
  for (const std::int64_t rows : {4096, 4097}) add_of(float(), rows, 4 * 3072);
  table.check("03_swish/quantize/launches_quantize.txt");
}

TEST_CASE("swiglu quantize: the promises of a launcher", "[exchange]") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    for (const std::int64_t columns : {37, 1024}) {
      for (const bool of_scale : {false, true}) {
        check_promises(std::string("swiglu_quantize ") + dtype_name<T>(),
                       promises_of<T>(columns, of_scale));
      }
    }
  });
}

TEST_CASE("swiglu quantize: the halves of one tensor's rows", "[exchange]") {
  require_device();
  constexpr std::int64_t rows = 5;
  // By a block in one pass, in two passes by elements, by clusters with one, two and four packs, in two passes by packs.
  for (const std::int64_t columns : {256, 100, 1027, 8 * 960, 8 * 4097, 8 * 8193, 8 * 16385}) {
    const std::vector<half> whole = row_values<half>(rows, 2 * columns, false);
    std::vector<half> a, b;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      (static_cast<std::int64_t>(i) / columns % 2 == 0 ? a : b).push_back(whole[i]);
    }
    const Quantized wanted = run(a, b, rows, columns, RowPasses::fitting);
    const GuardedBuffer<half> in(whole);
    const GuardedBuffer<E4m3> q(a.size());
    const GuardedBuffer<float> scale(rows);
    REQUIRE(swiglu_quantize(in.data(), in.data() + columns, q.data(), scale.data(), rows, columns,
                            2 * columns, RowPasses::fitting, nullptr) == cudaSuccess);
    CHECK(std::memcmp(q.download().data(), wanted.q.data(), a.size()) == 0);
    CHECK(scale.download() == wanted.scale);
    CHECK(q.intact());
  }
}

TEST_CASE("swiglu quantize: rows of zeros, of next to nothing, of the largest, with infinity, NaN",
          "[exchange]") {
  require_device();
  constexpr std::int64_t columns = 64, rows = 6;
  std::vector<float> a(rows * columns, 1.0f), b(rows * columns, 2.0f);
  std::fill_n(b.begin(), columns, 0.0f);
  std::fill_n(b.begin() + columns, columns, 0x1p-140f);
  b[2 * columns + 7] = -kInfinity;
  b[3 * columns + 9] = kNaN;
  std::fill_n(a.begin() + 5 * columns, columns, 100.0f);
  std::fill_n(b.begin() + 5 * columns, columns, 3e36f);
  for (const RowPasses passes : {RowPasses::one_pass, RowPasses::two_passes}) {
    const Quantized result = run(a, b, rows, columns, passes);
    const auto q = [&](std::int64_t row, std::int64_t i) {
      return to_double(result.q[static_cast<std::size_t>(row * columns + i)]);
    };
    CHECK(result.scale[0] > 0.0f);
    CHECK(q(0, 3) == 0.0);
    CHECK(std::isfinite(result.scale[1]));
    CHECK(q(1, 3) == 0.0);
    CHECK(result.scale[2] == kInfinity);
    CHECK(q(2, 3) == 0.0);
    CHECK(std::isnan(q(2, 7)));
    CHECK(std::isnan(result.scale[3]));
    CHECK(std::isnan(q(3, 3)));
    CHECK(q(4, 3) == 448.0);  // all are the largest
    CHECK(q(5, 3) == 448.0);
    CHECK(std::fabs(result.scale[5] / (3e38f / 448.0f) - 1.0f) <= 1e-6f);
  }
}

TEST_CASE("swiglu quantize: the scale applied after rounding loses what is small", "[exchange]") {
  require_device();
  // Activations of a hundredth. E4m3 has steps of 2^-9 there, and four digits only from 2^-6 on.
  std::vector<float> a(256, 1.0f), b;
  for (int i = 0; i < 256; ++i) b.push_back(1e-4f * static_cast<float>(i + 1));
  const Quantized before = run(a, b, 1, 256, RowPasses::fitting);
  double worst_before = 0.0, worst_after = 0.0;
  for (std::size_t i = 64; i < 256; ++i) {
    const double y = swiglu_reference(1.0, b[i]);
    const double after = to_double(from_double<E4m3>(y));
    worst_before =
        std::fmax(worst_before, std::fabs(to_double(before.q[i]) * before.scale[0] / y - 1.0));
    worst_after = std::fmax(worst_after, std::fabs(after / y - 1.0));
  }
  CHECK(worst_before <= 0x1p-4);
  CHECK(worst_after > 0.1);
}

TEST_CASE("swiglu quantize: refusals, and nothing is written", "[exchange]") {
  require_device();
  const GuardedBuffer<half> a(std::vector<half>(64, half(1.0f)));
  const GuardedBuffer<E4m3> q(64);
  const GuardedBuffer<float> scale(8);
  const auto call = [&](std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                        RowPasses passes, std::size_t offset = 0) {
    return swiglu_quantize(a.data() + offset, a.data(), q.data(), scale.data(), rows, columns,
                           pitch, passes, nullptr);
  };
  CHECK(call(1, -1, 8, RowPasses::fitting) == cudaErrorInvalidValue);
  CHECK(call(2, 8, 7, RowPasses::fitting) == cudaErrorInvalidValue);
  CHECK(call(std::int64_t{1} << 31, 8, 8, RowPasses::fitting) == cudaErrorInvalidValue);
  CHECK(call(1, 7, 8, RowPasses::one_pass) == cudaErrorInvalidValue);
  CHECK(call(1, 4 * 1024 * 8 + 8, 4 * 1024 * 8 + 8, RowPasses::one_pass) == cudaErrorInvalidValue);
  CHECK(call(1, 8, 8, RowPasses::one_pass, 1) == cudaErrorMisalignedAddress);
  CHECK(call(2, 8, 12, RowPasses::one_pass) == cudaErrorMisalignedAddress);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(q.untouched());
  CHECK(scale.untouched());
}
