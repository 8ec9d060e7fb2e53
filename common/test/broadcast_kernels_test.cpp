// launch_broadcast(): every kernel of it, on small tensors, with the sizes at which it changes its
// method set so low that every method occurs.

#include "common/test/broadcast_kernels.h"
#include "common/launch.cuh"
#include "common/proof/catch.h"
#include "common/proof/launches.h"
#include "common/proof/promises.h"
#include "common/proof/support.h"
#include "common/test/broadcast_random.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace tutorial;        // NOLINT(google-build-using-namespace)
using namespace tutorial::test;  // NOLINT(google-build-using-namespace)

namespace {

/// out is in0, which has the result's shape: 7 in0 - in1, once for each element.
template <class T>
void check_in_place(const ShapePair& shapes, std::size_t offset) {
  INFO(to_string(shapes) << ", " << offset << " elements off alignment");
  const auto values0 = values_of<T>(shapes.shape0, [](std::int64_t i) { return value<T>(i, 37); });
  const auto values1 = values_of<T>(shapes.shape1, [](std::int64_t i) { return value<T>(i, 101); });
  const std::vector<T> expected =
      expected_of<T>(shapes, values0, values1, [](T a, T b) { return static_cast<T>(7 * a - b); });
  Broadcast broadcast;
  REQUIRE(make_broadcast(shapes.shape0, shapes.shape1, &broadcast) == cudaSuccess);
  const GuardedBuffer<T> in0(values0, offset), in1(values1);
  REQUIRE(mixed_up(broadcast, in0.data(), in1.data(), in0.data(), {}, nullptr) == cudaSuccess);
  const bool is_right = in0.download() == expected;
  CHECK(is_right);
  CHECK(in0.intact());
}

template <class In, class Out>
using Launch = cudaError_t (*)(const Broadcast&, const In*, const In*, Out*, LimitsToTry,
                               cudaStream_t);

/// Rows that are no packs: with a row, a row shorter than two packs, a column, channels, a plane each,
/// and where both operands are broadcast.
const std::vector<ShapePair> kOddRows = {
    {{7, 37}, {37}},         {{41, 11}, {11}},         {{7, 37}, {7, 1}},
    {{3, 5, 67}, {5, 1}},    {{3, 5, 67}, {3, 1, 67}}, {{1, 3, 29}, {4, 1, 29}},
    {{9, 1, 67}, {9, 5, 1}}, {{65, 1}, {67}},          {{2, 5, 3, 19}, {5, 1, 19}}};

/// What is wrong with one launch, or an empty string.
template <class In, class Out, class Op>
std::string wrong_with(const ShapePair& shapes, const Offsets& offsets, LimitsToTry limits,
                       const Op& op, Launch<In, Out> launch) {
  Broadcast broadcast;
  REQUIRE(make_broadcast(shapes.shape0, shapes.shape1, &broadcast) == cudaSuccess);
  const BroadcastTrial<In, Out> trial(
      shapes, [](std::int64_t i) { return value<In>(i, 37); },
      [](std::int64_t i) { return value<In>(i, 101); }, op, offsets);
  const std::string wrong = trial.violation([&](const In* in0, const In* in1, Out* out) {
    return launch(broadcast, in0, in1, out, limits, nullptr);
  });
  if (wrong.empty()) return "";
  return to_string(shapes) + ", " + std::to_string(offsets.in0) + ", " +
         std::to_string(offsets.in1) + " and " + std::to_string(offsets.out) +
         " elements off: " + wrong;
}

/// What is first wrong at rows that are no packs, each operand at every offset of a pack, by each way
/// that launch_broadcast() has.
template <class In, class Out, class Op>
std::string first_wrong_odd_rows(const Op& op, Launch<In, Out> launch) {
  for (const LimitsToTry limits : {LimitsToTry{}, {0, 0, 1, 1}, {0, 1}, {0, 1, 1, 1, 1}}) {
    for (const ShapePair& form : kOddRows) {
      for (const ShapePair& shapes : {form, ShapePair{form.shape1, form.shape0}}) {
        for (std::size_t k = 0; k < 8; ++k) {
          for (const Offsets& offsets : {Offsets{k, 0, 0}, Offsets{0, k, 0}, Offsets{k, k, 0}}) {
            const std::string wrong = wrong_with(shapes, offsets, limits, op, launch);
            if (!wrong.empty()) return wrong;
          }
        }
      }
    }
  }
  return "";
}

/// What is first wrong with one row: lengths around packs and pieces, the row first and second, at every
/// offset of a pack; a result that suits packs of 8 and of 16, and one that suits those of 8 only.
template <class In, class Out, class Op>
std::string first_wrong_row(const Op& op, Launch<In, Out> launch) {
  for (std::int64_t columns = 9; columns < 56; ++columns) {
    for (const std::int64_t rows : {3, 7}) {
      const TensorShape all{rows, columns}, row{columns};
      for (std::size_t k = 0; k < 8; ++k) {
        for (const std::size_t out : {std::size_t{0}, std::size_t{8}}) {
          for (const LimitsToTry limits : {LimitsToTry{}, {0, 0, 0, 0, 1}}) {
            const std::string wrong = wrong_with({all, row}, {0, k, out}, limits, op, launch) +
                                      wrong_with({row, all}, {k, 0, out}, limits, op, launch);
            if (!wrong.empty()) return wrong;
          }
        }
      }
    }
  }
  return "";
}

/// How a launch loads rows that are no packs: "pieces" by strided_pieces_kernel, "elements" by strided_flat_kernel,
/// "steps" by broadcast_any_kernel, "row 8" by broadcast_row_kernel of 8 elements a thread.
template <class In, class Out>
std::string way_of(Launch<In, Out> launch, const ShapePair& shapes, LimitsToTry limits,
                   std::size_t bytes1 = 16) {
  const Addresses at({16, bytes1, 16});
  const auto launches = launches_of([&](cudaStream_t stream) {
    return launch(broadcast_strides(shapes.shape0, shapes.shape1), at.of<In>(0), at.of<In>(1),
                  at.of<Out>(2), limits, stream);
  });
  REQUIRE(launches.size() == 1);
  const std::string& kernel = launches[0].kernel;
  if (kernel.rfind("broadcast_any_kernel", 0) == 0) return "steps";
  const std::string of_row = "broadcast_row_kernel<";
  if (kernel.rfind(of_row, 0) == 0) {
    return "row " + kernel.substr(of_row.size(), kernel.find(',') - of_row.size());
  }
  INFO(kernel);
  if (kernel.rfind("strided_pieces_kernel", 0) == 0) return "pieces";
  REQUIRE(kernel.rfind("strided_flat_kernel", 0) == 0);
  return "elements";
}

}  // namespace

TEST_CASE("launch_broadcast: random shapes, results as wide as the operands") {
  require_device();
  CHECK(first_wrong_as_wide() == "");
}

TEST_CASE("launch_broadcast: random shapes, results of a byte") {
  require_device();
  CHECK(first_wrong_of_a_byte() == "");
}

TEST_CASE("launch_broadcast: random shapes, results wider than the operands") {
  require_device();
  CHECK(first_wrong_wider() == "");
}

TEST_CASE("launch_broadcast: in place, where a block has more threads than there are packs") {
  require_device();
  for (const ShapePair& shapes : {ShapePair{{1}, {1}},
                                  {{5}, {}},
                                  {{519}, {519}},
                                  {{3, 5}, {5}},
                                  {{7, 9}, {7, 1}},
                                  {{19, 37}, {37}},
                                  {{2, 3, 130}, {3, 1}},
                                  {{4, 33, 3}, {33, 1}}}) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      check_in_place<std::int8_t>(shapes, offset);
      check_in_place<std::int32_t>(shapes, offset);
      check_in_place<std::int64_t>(shapes, offset);
    }
  }
}

TEST_CASE("launch_broadcast: refuses bad pointers, a sentence each, and writes nothing") {
  require_device();
  const GuardedBuffer<std::int32_t> in(64), out(64);
  Broadcast broadcast;
  REQUIRE(make_broadcast({8, 1}, {8}, &broadcast) == cudaSuccess);
  const auto odd = [](const std::int32_t* p) {
    return reinterpret_cast<const std::int32_t*>(reinterpret_cast<const char*>(p) + 2);
  };
  auto* const odd_out = const_cast<std::int32_t*>(odd(out.data()));

  CHECK(mixed_up(broadcast, nullptr, in.data(), out.data(), {}, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "in0 is a null pointer");
  CHECK(mixed_up(broadcast, in.data(), nullptr, out.data(), {}, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "in1 is a null pointer");
  CHECK(mixed_up(broadcast, in.data(), in.data(), nullptr, {}, nullptr) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "out is a null pointer");
  CHECK(mixed_up(broadcast, odd(in.data()), in.data(), out.data(), {}, nullptr) ==
        cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "in0 is not aligned to 4 bytes");
  CHECK(mixed_up(broadcast, in.data(), odd(in.data()), out.data(), {}, nullptr) ==
        cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "in1 is not aligned to 4 bytes");
  CHECK(mixed_up(broadcast, in.data(), in.data(), odd_out, {}, nullptr) ==
        cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "out is not aligned to 4 bytes");
  CHECK(out.untouched());

  Broadcast empty;
  REQUIRE(make_broadcast({8, 0}, {1}, &empty) == cudaSuccess);
  std::int32_t* const nothing = nullptr;
  CHECK(mixed_up(empty, nothing, nothing, nothing, {}, nullptr) == cudaSuccess);
}

// What 32 bits do not count must be cut also where nothing is broadcast but the pointers do not
// suit the contiguous kernel, the only one that counts in 64.
TEST_CASE("launch_broadcast: more than 2^31 elements at odd addresses", "[long]") {
  require_device();
  if (!on_gpu) SKIP("three times 2 GiB are for a GPU");
  constexpr std::int64_t n = (std::int64_t{1} << 31) + (1 << 20) + 1027;
  constexpr std::size_t bytes = static_cast<std::size_t>(n) + 1;
  std::size_t free_bytes = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess);
  if (free_bytes < 3 * bytes + (std::size_t{1} << 28)) SKIP("not enough memory on this GPU");

  std::vector<std::int8_t> tile0, tile1;  // of periods that share no factor
  for (std::int64_t i = 0; i < 65537; ++i) tile0.push_back(value<std::int8_t>(i, 37));
  for (std::int64_t i = 0; i < 65521; ++i) tile1.push_back(value<std::int8_t>(i, 101));
  const DeviceBytes in0(bytes), in1(bytes), out(bytes);
  fill_with_tile(in0.data(), bytes, tile0.data(), tile0.size());
  fill_with_tile(in1.data(), bytes, tile1.data(), tile1.size());
  REQUIRE(cudaMemset(out.data(), 0x55, bytes) == cudaSuccess);
  const auto odd = [](const DeviceBytes& memory) {
    return reinterpret_cast<std::int8_t*>(memory.data()) + 1;
  };
  Broadcast contiguous;
  REQUIRE(make_broadcast({n}, {n}, &contiguous) == cudaSuccess);
  REQUIRE(mixed_up(contiguous, odd(in0), odd(in1), odd(out), {}, nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  std::vector<std::int8_t> host(bytes);
  REQUIRE(cudaMemcpy(host.data(), out.data(), bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host[0] == 0x55);
  std::size_t first_wrong_element = 0, at0 = 1, at1 = 1;
  for (std::size_t i = 1; i < bytes && first_wrong_element == 0; ++i) {
    if (host[i] != static_cast<std::int8_t>(7 * tile0[at0] - tile1[at1])) first_wrong_element = i;
    if (++at0 == tile0.size()) at0 = 0;
    if (++at1 == tile1.size()) at1 = 0;
  }
  CHECK(first_wrong_element == 0);
}

// Two slabs of eight steps each would reach 2^33: a thread beyond the last pack must not come round
// to the first ones, which are operands, too.
TEST_CASE("launch_broadcast: in place, where the steps of a slab exceed 32 bits", "[long]") {
  require_device();
  if (!on_gpu) SKIP("1.6 GB take a CPU a quarter of a minute");
  constexpr std::int64_t columns = (std::int64_t{1} << 26) + 1, n = 3 * 8 * columns;
  constexpr auto bytes = static_cast<std::size_t>(n);
  std::size_t free_bytes = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess);
  if (free_bytes < bytes + (std::size_t{1} << 30)) SKIP("not enough memory on this device");

  std::vector<std::int8_t> tile, row;
  for (std::int64_t i = 0; i < 65537; ++i) tile.push_back(value<std::int8_t>(i, 37));
  for (std::int64_t i = 0; i < 8; ++i) row.push_back(value<std::int8_t>(i, 101));
  const DeviceBytes in0(bytes), in1(row.size());
  fill_with_tile(in0.data(), bytes, tile.data(), tile.size());
  REQUIRE(cudaMemcpy(in1.data(), row.data(), row.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  Broadcast broadcast;
  REQUIRE(make_broadcast({3, 8, columns}, {8, 1}, &broadcast) == cudaSuccess);
  auto* const x = reinterpret_cast<std::int8_t*>(in0.data());
  REQUIRE(mixed_up(broadcast, x, reinterpret_cast<const std::int8_t*>(in1.data()), x, {},
                   nullptr) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  std::vector<std::int8_t> host(bytes);
  REQUIRE(cudaMemcpy(host.data(), in0.data(), bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  std::size_t wrong = 0;
  for (std::size_t line = 0, i = 0, at = 0; line < 3 * 8; ++line) {
    for (std::int64_t column = 0; column < columns; ++column, ++i) {
      if (host[i] != static_cast<std::int8_t>(7 * tile[at] - row[line % 8])) ++wrong;
      if (++at == tile.size()) at = 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("launch_broadcast: blocks of 512 threads where they fill at most half of the GPU") {
  const auto threads_for = [](std::int64_t n) {
    const auto launches = launches_of([n](cudaStream_t stream) {
      const auto* const in = reinterpret_cast<const float*>(4096);
      const Broadcast column = broadcast_strides({2, n / 2}, {2, 1});
      return greater(column, in, in, reinterpret_cast<unsigned char*>(4096), {}, stream);
    });
    REQUIRE(launches.size() == 1);
    return launches[0].block.x;
  };
  const std::int64_t most = resident_threads() / 2;
  CHECK(threads_for(8 * most) == 512);
  CHECK(threads_for(8 * most + 16) == 256);
}

TEST_CASE(
    "launch_broadcast: rows that are no packs, each way, operands at every offset of a pack") {
  require_device();
  const auto mixed = [](auto a, auto b) {
    return static_cast<decltype(a)>(7 * static_cast<std::int64_t>(a) -
                                    static_cast<std::int64_t>(b));
  };
  const auto is_greater = [](auto a, auto b) {
    return static_cast<unsigned char>(static_cast<float>(a) > static_cast<float>(b) ? 1 : 0);
  };
  const auto wide = [](std::int8_t a, std::int8_t b) { return std::int32_t{a} * 1000 + b; };
  CHECK(first_wrong_odd_rows<std::int8_t, std::int8_t>(mixed, mixed_up) == "");
  CHECK(first_wrong_odd_rows<std::int16_t, std::int16_t>(mixed, mixed_up) == "");
  CHECK(first_wrong_odd_rows<std::int32_t, std::int32_t>(mixed, mixed_up) == "");
  CHECK(first_wrong_odd_rows<std::int64_t, std::int64_t>(mixed, mixed_up) == "");
  CHECK(first_wrong_odd_rows<half, unsigned char>(is_greater, greater) == "");
  CHECK(first_wrong_odd_rows<float, unsigned char>(is_greater, greater) == "");
  CHECK(first_wrong_odd_rows<std::int64_t, unsigned char>(is_greater, greater) == "");
  CHECK(first_wrong_odd_rows<std::int8_t, std::int32_t>(wide, widened) == "");
}

TEST_CASE("launch_broadcast: one row that is no packs") {
  require_device();
  const auto mixed = [](auto a, auto b) { return static_cast<decltype(a)>(7 * a - b); };
  const auto is_greater = [](auto a, auto b) {
    return static_cast<unsigned char>(static_cast<float>(a) > static_cast<float>(b) ? 1 : 0);
  };
  CHECK(first_wrong_row<std::int8_t, std::int8_t>(mixed, mixed_up) == "");
  CHECK(first_wrong_row<std::int16_t, std::int16_t>(mixed, mixed_up) == "");
  CHECK(first_wrong_row<half, unsigned char>(is_greater, greater) == "");
  CHECK(first_wrong_row<float, unsigned char>(is_greater, greater) == "");
}

// 9 x 37 are 333 elements: 42 packs of eight, 84 of four.
TEST_CASE("launch_broadcast: rows that are no packs, which way at which size") {
  const ShapePair row{{9, 37}, {37}}, column{{9, 37}, {9, 1}}, mask{{9, 1}, {37}};
  const ShapePair rows{{3, 3, 37}, {3, 1, 37}};  // of each of three images
  const LimitsToTry pieces{0, 0, 333, 37}, short_row{0, 0, 333, 38}, few{0, 0, 334, 37};
  const LimitsToTry two{0, 21, 333, 37}, one{0, 22, 333, 37};
  const LimitsToTry wide{0, 0, 0, 0, 333}, narrow{0, 0, 0, 0, 334};
  const Launch<std::int8_t, std::int8_t> i8 = mixed_up;
  const Launch<std::int16_t, std::int16_t> i16 = mixed_up;
  const Launch<std::int32_t, std::int32_t> i32 = mixed_up;
  const Launch<half, unsigned char> half_byte = greater;
  const Launch<float, unsigned char> float_byte = greater;

  // Pieces: from so many elements and so long a row on, of two bytes or with a narrower result.
  CHECK(way_of(i16, rows, pieces) == "pieces");
  CHECK(way_of(i16, rows, short_row) == "elements");
  CHECK(way_of(i16, rows, few) == "elements");
  CHECK(way_of(i16, column, pieces) == "elements");
  CHECK(way_of(i16, mask, pieces) == "pieces");
  CHECK(way_of(i8, rows, pieces) == "pieces");
  CHECK(way_of(half_byte, rows, pieces) == "pieces");
  CHECK(way_of(float_byte, rows, pieces) == "pieces");
  CHECK(way_of(float_byte, rows, few) == "elements");
  CHECK(way_of(i32, row, pieces) == "elements");

  // Steps, if a thread takes two packs: where both operands are broadcast ...
  CHECK(way_of(i16, mask, two) == "steps");
  CHECK(way_of(i16, mask, one) == "pieces");
  CHECK(way_of(float_byte, mask, two) == "steps");
  CHECK(way_of(i32, mask, {0, 42}) == "steps");
  CHECK(way_of(i32, mask, {0, 43}) == "elements");
  // ... and with rows, of one byte or of four with a result of one.
  CHECK(way_of(i8, rows, two) == "steps");
  CHECK(way_of(i8, rows, one) == "pieces");
  CHECK(way_of(i8, {rows.shape1, rows.shape0}, two) == "steps");
  CHECK(way_of(i8, column, two) == "elements");
  CHECK(way_of(float_byte, rows, two) == "steps");
  CHECK(way_of(float_byte, column, two) == "elements");
  CHECK(way_of(half_byte, rows, two) == "pieces");
  CHECK(way_of(i16, rows, two) == "pieces");
  CHECK(way_of(i32, row, {0, 1}) == "elements");

  // Rows of whole packs, of which an operand begins beside one.
  CHECK(way_of(i16, {{9, 40}, {40}}, pieces, 2) == "steps");

  // One row of two bytes, or a result of one: then 16 halves a thread in large launches. Not for two rows.
  for (const ShapePair& shapes : {row, ShapePair{row.shape1, row.shape0}}) {
    CHECK(way_of(i8, shapes, two) == "row 8");
    CHECK(way_of(i8, shapes, wide) == "row 8");
    CHECK(way_of(i16, shapes, wide) == "row 8");
    CHECK(way_of(half_byte, shapes, narrow) == "row 8");
    CHECK(way_of(half_byte, shapes, wide) == "row 16");
    CHECK(way_of(float_byte, shapes, pieces) == "row 8");
    CHECK(way_of(float_byte, shapes, wide) == "row 8");
  }
  CHECK(way_of(half_byte, {{3, 37}, {37}}, wide) == "row 8");
  CHECK(way_of(half_byte, {{2, 37}, {37}}, wide) == "elements");
  CHECK(way_of(half_byte, {{9, 40}, {40}}, wide, 2) == "steps");
}
