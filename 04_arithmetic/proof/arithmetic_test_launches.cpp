// Which kernel each function of arithmetic.h launches: launches.txt.
#include "04_arithmetic/arithmetic.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr Int8Scales kScales{0.5f, 0.25f, 0.75f};

template <class T>
cudaError_t call_operator(ArithmeticOp op, const TensorShape& shape0, const TensorShape& shape1,
                          const Addresses& at, cudaStream_t stream) {
  const T *const in0 = at.of<T>(0), *const in1 = at.of<T>(1);
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return arithmetic(op, shape0, in0, shape1, in1, at.of<T>(2), kScales, stream);
  } else {
    return arithmetic(op, shape0, in0, shape1, in1, at.of<T>(2), stream);
  }
}

template <class T>
void add_operator(LaunchTable& table, ArithmeticOp op, const std::string& dtype,
                  const TensorShape& shape0, const TensorShape& shape1) {
  table.add(name_of(op) + (" " + dtype), to_string(shape0) + " " + to_string(shape1),
            std::vector<std::size_t>(3, sizeof(T)), [&](const Addresses& at, cudaStream_t stream) {
              return call_operator<T>(op, shape0, shape1, at, stream);
            });
}

/// In blocks of 256 threads while three arrays have 64 MiB, and of 704 beyond.
template <class T>
void add_same_shape(LaunchTable& table, const std::string& dtype) {
  const std::int64_t most = (std::int64_t{64} << 20) / (3 * static_cast<std::int64_t>(sizeof(T)));
  for (const std::int64_t n : {most, most + 1}) {
    add_operator<T>(table, ArithmeticOp::Add, dtype, {n}, {n});
  }
}

/// Pairs that take different kernels: along the innermost dimension neither, the second or the first
/// operand is broadcast; whole packs a row, or not; short rows; many dimensions.
const std::vector<std::pair<TensorShape, TensorShape>> kShapes = {
    {{1000, 1024}, {1024}},
    {{64, 256, 56, 56}, {56}},
    {{64, 256, 56, 56}, {1, 256, 1, 1}},
    {{1, 256, 1, 1}, {64, 256, 56, 56}},
    {{64, 256, 56, 56}, {64, 1, 56, 56}},
    {{64, 1, 56, 1}, {1, 256, 1, 56}},
    {{1000, 1003}, {1003}},
    {{1000, 1003}, {1000, 1}},
    {{100000, 3}, {3}},
    {{9, 1, 8, 1, 7, 1, 32}, {1, 5, 1, 6, 1, 4, 32}},
};

template <class T>
void add_broadcast_rungs(LaunchTable& table, const std::string& dtype) {
  for (const BroadcastRung<T>& rung : arithmetic_broadcast_rungs<T>()) {
    for (const auto& [shape0, shape1] : kShapes) {
      const Broadcast broadcast = broadcast_strides(shape0, shape1);
      if (!rung.claims(broadcast)) continue;
      table.add(
          rung.name + " " + dtype, to_string(shape0) + " " + to_string(shape1),
          std::vector<std::size_t>(3, sizeof(T)), [&](const Addresses& at, cudaStream_t stream) {
            return rung.launch({ArithmeticOp::Add, at.of<T>(0), at.of<T>(1), at.of<T>(2), stream},
                               broadcast);
          });
      break;  // the first shape that it takes
    }
  }
}

void add_nhwc(LaunchTable& table, const NhwcRung<half>& rung, const TensorShape& shape0,
              const TensorShape& shape1) {
  table.add(rung.name + " f16", to_string(shape0) + " " + to_string(shape1),
            std::vector<std::size_t>(3, std::size_t{16}),
            [&](const Addresses& at, cudaStream_t stream) {
              return rung.launch(
                  {ArithmeticOp::Add, at.of<half>(0), at.of<half>(1), at.of<half>(2), stream},
                  shape0, shape1);
            });
}

}  // namespace

TEST_CASE("arithmetic: which kernel runs, in how many blocks: the operator") {
  LaunchTable table;
  add_same_shape<float>(table, "f32");
  add_same_shape<half>(table, "f16");
  add_same_shape<Bf16>(table, "bf16");
  add_same_shape<std::int32_t>(table, "i32");
  add_same_shape<std::int64_t>(table, "i64");
  add_same_shape<std::int8_t>(table, "i8");
  for (const ArithmeticOp op : kArithmeticOps) {
    if (op != ArithmeticOp::Add) add_operator<half>(table, op, "f16", {1 << 20}, {1 << 20});
  }
  for (const auto& [shape0, shape1] : kShapes) {
    add_operator<half>(table, ArithmeticOp::Add, "f16", shape0, shape1);
  }
  const auto& [image, channel] = kShapes[2];
  add_operator<float>(table, ArithmeticOp::Add, "f32", image, channel);
  add_operator<Bf16>(table, ArithmeticOp::Add, "bf16", image, channel);
  add_operator<std::int32_t>(table, ArithmeticOp::Add, "i32", image, channel);
  add_operator<std::int64_t>(table, ArithmeticOp::Add, "i64", image, channel);
  add_operator<std::int8_t>(table, ArithmeticOp::Add, "i8", image, channel);
  table.check("04_arithmetic/proof/launches.txt");
}

TEST_CASE("arithmetic: which kernel runs, in how many blocks: rows that are no packs") {
  LaunchTable table;
  const auto add_row = [&](auto number, const std::string& dtype, std::int64_t rows,
                           std::int64_t columns) {
    add_operator<decltype(number)>(table, ArithmeticOp::Add, dtype, {rows, columns}, {columns});
  };
  // Pieces from 2^20 elements in rows of 1,024 on.
  for (const std::int64_t rows : {73, 74}) add_row(Bf16{}, "bf16", rows, 14335);
  add_row(Bf16{}, "bf16", 1026, 1023);
  add_row(Bf16{}, "bf16", 1024, 1025);
  add_row(0.0f, "f32", 1024, 14335);
  // Bytes with one row have a kernel of their own; if the other operand does not suit its packs, several
  // packs a thread from 2^22 elements on, as where both operands are broadcast.
  for (const std::int64_t rows : {292, 293}) add_row(std::int8_t{}, "i8", rows, 14335);
  add_row(Bf16{}, "bf16", 1024, 14335);
  add_operator<std::int8_t>(table, ArithmeticOp::Add, "i8", {293, 14335}, {293, 1});
  for (const std::int64_t n : {2047, 2049}) {
    add_operator<Bf16>(table, ArithmeticOp::Add, "bf16", {n, 1}, {n});
  }
  table.check("04_arithmetic/proof/launches_odd_rows.txt");
}

TEST_CASE("arithmetic: which kernel runs, in how many blocks: the ladders") {
  LaunchTable table;
  constexpr std::int64_t n = 1'048'579;
  const auto add_ladder = [&](auto rungs) {
    rungs.pop_back();  // the operator
    for (const auto& rung : rungs) {
      table.add_rungs(std::vector{binary_rung(rung, ArithmeticOp::Add, kScales)}, n);
    }
  };
  add_ladder(arithmetic_rungs<float>());
  add_ladder(arithmetic_rungs<half>());
  add_ladder(arithmetic_rungs<Bf16>());
  add_ladder(arithmetic_rungs<std::int32_t>());
  add_ladder(arithmetic_rungs<std::int64_t>());
  add_ladder(arithmetic_rungs<std::int8_t>());
  add_broadcast_rungs<half>(table, "f16");
  const TensorShape image = {64, 256, 56, 56}, channel = {1, 256, 1, 1};
  const std::vector<NhwcRung<half>>& nhwc = arithmetic_nhwc_rungs<half>();
  for (const NhwcRung<half>& rung : nhwc) add_nhwc(table, rung, image, image);
  add_nhwc(table, nhwc[2], image, channel);
  table.check("04_arithmetic/proof/launches_ladders.txt");
}

namespace {

/// The sum of two transposed matrices: of whole tiles, and not.
template <class T>
void add_of_transposed(LaunchTable& table, const std::string& function) {
  for (const std::int64_t rows : {1024, 1000}) {
    const TensorLayout dense = contiguous_layout({rows, 1024}), turned = {dense.shape, {1, rows}};
    table.add(function, "both transposed " + to_string(dense.shape),
              {sizeof(T), sizeof(T), sizeof(T)}, [&](const Addresses& at, cudaStream_t stream) {
                return arithmetic<T>(ArithmeticOp::Add, {at.of<T>(0), turned},
                                     {at.of<T>(1), turned}, {at.of<T>(2), dense}, stream);
              });
  }
}

}  // namespace

TEST_CASE("arithmetic: which kernel runs, in how many blocks: any strides") {
  LaunchTable table;
  table.add_views<half, half, half>("add f16", [](auto stream, auto y, auto a, auto b) {
    return arithmetic<half>(ArithmeticOp::Add, a, b, y, stream);
  });
  table.add_views<std::int8_t, std::int8_t, std::int8_t>(
      "add i8", [](auto stream, auto y, auto a, auto b) {
        return arithmetic(ArithmeticOp::Add, a, b, y, kScales, stream);
      });
  add_of_transposed<half>(table, "add f16");
  add_of_transposed<float>(table, "add f32");
  table.check("04_arithmetic/proof/launches_views.txt");
}
