// Which kernel each function of logical_relation.h launches: launches.txt.
#include "05_logical_relation/logical_relation.h"
#include "common/proof/catch.h"
#include "common/proof/launches.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr std::int64_t kCount = 1'048'579;

template <class T>
void add_relation(LaunchTable& table, RelationOp op, const std::string& dtype,
                  const TensorShape& shape0, const TensorShape& shape1) {
  table.add(name_of(op) + (" " + dtype), to_string(shape0) + " " + to_string(shape1),
            {sizeof(T), sizeof(T), 1}, [&](const Addresses& at, cudaStream_t stream) {
              return relation(op, shape0, at.of<T>(0), shape1, at.of<T>(1), at.of<Byte>(2), stream);
            });
}

template <class T>
void add_relations(LaunchTable& table, const std::string& dtype) {
  add_relation<T>(table, RelationOp::Greater, dtype, {kCount}, {kCount});
  add_relation<T>(table, RelationOp::Greater, dtype, {64, 256, 56, 56}, {1, 256, 1, 1});
}

void add_logical(LaunchTable& table, LogicalOp op, const TensorShape& shape0,
                 const TensorShape& shape1) {
  table.add(name_of(op), to_string(shape0) + " " + to_string(shape1), {1, 1, 1},
            [&](const Addresses& at, cudaStream_t stream) {
              return logical(op, shape0, at.of<Byte>(0), shape1, at.of<Byte>(1), at.of<Byte>(2),
                             stream);
            });
}

/// Of numbers.
template <class T>
void add_logical(LaunchTable& table, const std::string& dtype) {
  const TensorLayout array = contiguous_layout({kCount});
  table.add("and " + dtype, LaunchTable::number(kCount), {sizeof(T), sizeof(T), 1},
            [&](const Addresses& at, cudaStream_t stream) {
              return logical(LogicalOp::And, TensorView<const T>{at.of<T>(0), array},
                             TensorView<const T>{at.of<T>(1), array},
                             TensorView<Byte>{at.of<Byte>(2), array}, stream);
            });
}

template <class T>
void add_where(LaunchTable& table, const std::string& dtype) {
  table.add("where " + dtype, LaunchTable::number(kCount), {1, sizeof(T), sizeof(T), sizeof(T)},
            [](const Addresses& at, cudaStream_t stream) {
              return where(at.of<Byte>(0), at.of<T>(1), at.of<T>(2), at.of<T>(3), kCount, stream);
            });
}

template <class In, class Operation>
void add_ladder(LaunchTable& table, const std::string& name, Operation op,
                const std::vector<AnswerRung<Operation, In>>& rungs) {
  for (const auto& rung : rungs) {
    table.add_rung(name + "_" + rung.name, kCount, rung.width,
                   {rung.in_alignment, rung.in_alignment, rung.out_alignment},
                   [&](const Addresses& at, cudaStream_t stream) {
                     return rung.launch(op, at.of<In>(0), at.of<In>(1), at.of<Byte>(2), kCount,
                                        stream);
                   });
  }
}

}  // namespace

TEST_CASE("logical_relation: which kernel runs, in how many blocks: rows that are no packs") {
  LaunchTable table;
  const RelationOp greater = RelationOp::Greater;
  // One row has its own kernel, of halves 16 elements a thread from 2^22 on. Where the other operand does
  // not suit packs: pieces from 2^20 elements in rows of 1,024 on; of floats and of bytes until 2^22.
  for (const std::int64_t rows : {73, 74, 292, 293}) {
    add_relation<half>(table, greater, "f16", {rows, 14335}, {14335});
    add_relation<float>(table, greater, "f32", {rows, 14335}, {14335});
    add_logical(table, LogicalOp::And, {rows, 14335}, {14335});
  }
  add_relation<float>(table, greater, "f32", {1026, 1023}, {1023});
  add_relation<float>(table, greater, "f32", {1024, 1025}, {1025});
  add_relation<float>(table, greater, "f32", {293, 14335}, {293, 1});
  add_relation<half>(table, greater, "f16", {14335}, {293, 14335});
  for (const std::int64_t rows : {2, 3}) {
    add_relation<half>(table, greater, "f16", {rows, 14335}, {14335});
  }
  for (const std::int64_t rows : {146, 147}) {  // a row of each image
    add_relation<float>(table, greater, "f32", {2, rows, 14335}, {2, 1, 14335});
  }
  for (const std::int64_t n : {2047, 2049}) {
    add_relation<half>(table, greater, "f16", {n, 1}, {n});
  }
  table.check("05_logical_relation/proof/launches_odd_rows.txt");
}

TEST_CASE("logical_relation: which kernel runs, in how many blocks") {
  LaunchTable table;
  // And, Or, Xor: in blocks of 256 threads while three arrays have 64 MiB, and of 704 beyond.
  constexpr std::int64_t most = (std::int64_t{64} << 20) / 3;
  for (const std::int64_t n : {most, most + 1}) {
    add_logical(table, LogicalOp::And, {n}, {n});
  }
  for (const LogicalOp op : kLogicalOps) {
    add_logical(table, op, {1000, 1024}, {1024});
  }
  add_logical(table, LogicalOp::And, {64, 256, 56, 56}, {1, 256, 1, 1});
  add_logical(table, LogicalOp::And, {1000, 1003}, {1003});
  add_logical<half>(table, "f16");
  add_logical<float>(table, "f32");
  table.add("not", LaunchTable::number(kCount), {1, 1},
            [](const Addresses& at, cudaStream_t stream) {
              return logical(LogicalOp::Not, {kCount}, at.of<Byte>(0), at.of<Byte>(1), stream);
            });
  for (const RelationOp op : kRelationOps) {
    add_relation<half>(table, op, "f16", {kCount}, {kCount});
    add_relation<half>(table, op, "f16", {1000, 1024}, {1000, 1});
  }
  add_relations<float>(table, "f32");
  add_relations<Bf16>(table, "bf16");
  add_relations<std::int8_t>(table, "i8");
  add_relations<std::int32_t>(table, "i32");
  add_relations<std::int64_t>(table, "i64");
  add_relation<std::int32_t>(table, RelationOp::GreaterOrEqual, "i32", {16384, 1}, {16384});
  for (const Equality policy : {Equality::exact(), Equality::ulp(4)}) {
    for (const TensorShape& shape1 : {TensorShape{1000, 1024}, TensorShape{1024}}) {
      const TensorShape shape0 = {1000, 1024};
      table.add(policy.kind == Equality::Kind::exact ? "equal exact" : "equal ulp",
                to_string(shape0) + " " + to_string(shape1), {4, 4, 1},
                [&](const Addresses& at, cudaStream_t stream) {
                  return equal(policy, shape0, at.of<float>(0), shape1, at.of<float>(1),
                               at.of<Byte>(2), stream);
                });
    }
  }
  add_where<float>(table, "f32");
  add_where<half>(table, "f16");
  add_where<Bf16>(table, "bf16");
  add_ladder(table, "and", LogicalOp::And, logical_rungs());
  add_ladder(table, "not", LogicalOp::Not, logical_not_rungs());
  add_ladder(table, "greater", RelationOp::Greater, relation_rungs<float>());
  add_ladder(table, "greater", RelationOp::Greater, relation_rungs<half>());
  add_ladder(table, "greater", RelationOp::Greater, relation_rungs<Bf16>());
  table.check("05_logical_relation/proof/launches.txt");
}

TEST_CASE("logical_relation: which kernel runs, in how many blocks: any strides") {
  LaunchTable table;
  table.add_views<Byte, half, half>("greater f16", [](auto stream, auto y, auto a, auto b) {
    return relation<half>(RelationOp::Greater, a, b, y, stream);
  });
  table.add_views<Byte, Byte, Byte>("and u8", [](auto stream, auto y, auto a, auto b) {
    return logical<Byte>(LogicalOp::And, a, b, y, stream);
  });
  table.add_views<half, Byte, half, half>(
      "where f16",
      [](auto stream, auto y, auto c, auto a, auto b) { return where<half>(c, a, b, y, stream); });
  table.check("05_logical_relation/proof/launches_views.txt");
}
