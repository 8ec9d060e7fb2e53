// The chapter as operators of PyTorch. Answers are bool tensors; rungs that answer in bits return a
// one-dimensional int32 tensor of ceil(n / 32) words.
//   relation(op, a, b), equal(a, b), ... less_equal(a, b)        any shapes that broadcast
//   equal_within(a, b, policy, tolerance)                        float32, shapes that broadcast
//   logical(op, a, b), logical_and/or/xor(a, b), logical_not(a)  numbers too: all but 0 is true
//   where(c, a, b)                                               any shapes that broadcast
//   logical_RUNG(op, a, b), logical_not_RUNG(a), relation_RUNG(op, a, b), where_RUNG(c, a, b)
//   logical_strided(op, a, b), relation_strided(op, a, b)        any shapes that broadcast
#include "05_logical_relation/logical_relation.h"
#include "common/torch/bind.h"

namespace tutorial::bind {
namespace {

using Comparable = Types<float, half, Bf16, std::int8_t, std::int32_t, std::int64_t>;
using LadderTypes = Types<float, half, Bf16>;

RelationOp relation_of(const Arguments& arguments) { return choice_of(arguments, 0, kRelationOps); }
LogicalOp logical_of(const Arguments& arguments) { return choice_of(arguments, 0, kLogicalOps); }

void require_truth(const Arguments& arguments, std::size_t i) {
  require_dtype(arguments, i, {at::kBool, at::kByte});
}

/// What logical() takes: truth values, and numbers.
const std::vector<at::ScalarType> kTruth = {at::kBool,     at::kByte, at::kFloat, at::kHalf,
                                            at::kBFloat16, at::kChar, at::kInt,   at::kLong};
using Truth = Types<Byte, float, half, Bf16, std::int8_t, std::int32_t, std::int64_t>;

bool is_truth(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBool || tensor.scalar_type() == at::kByte;
}

// ---- Whole operators: tensors are the arguments a and a + 1 -------------------------------------

template <class Op>
Operator relation_operator(const std::string& name, const std::string& arguments, std::size_t a,
                           Op op_of) {
  Operator op = named("relation", name, arguments);
  op.results = [a, op_of](const Arguments& x) {
    op_of(x);
    return std::vector<Result>{{broadcast_pair(x, a, Comparable{}), at::kBool}};
  };
  op.run = by_type(a, Comparable{}, [a, op_of](auto call) {
    return relation(op_of(call.x), call.view(a), call.view(a + 1), view_of<Byte>(call.out[0]),
                    call.stream);
  });
  op.any_strides = true;
  return op;
}

template <class Op>
Operator logical_operator(const std::string& name, const std::string& arguments, std::size_t a,
                          Op op_of) {
  Operator op = named("logical", name, arguments);
  op.results = [a, op_of](const Arguments& x) {
    op_of(x);
    require_dtype(x, a, kTruth);
    require_dtype(x, a + 1, kTruth);
    if (!is_truth(x.tensor(a)) || !is_truth(x.tensor(a + 1))) require_same_dtype(x, a, a + 1);
    return std::vector<Result>{{broadcast_sizes(x, {x.tensor(a), x.tensor(a + 1)}), at::kBool}};
  };
  op.run = by_type(a, Truth{}, [a, op_of](auto call) {
    return logical(op_of(call.x), call.view(a), call.view(a + 1), view_of<Byte>(call.out[0]),
                   call.stream);
  });
  op.any_strides = true;
  return op;
}

Operator logical_not_operator() {
  Operator op = named("logical", "logical_not", "Tensor a");
  op.results = [](const Arguments& x) {
    require_dtype(x, 0, kTruth);
    return std::vector<Result>{{sizes_of(x.tensor(0)), at::kBool}};
  };
  op.run = by_type(0, Truth{}, [](auto call) {
    return logical(LogicalOp::Not, call.view(0), view_of<Byte>(call.out[0]), call.stream);
  });
  op.any_strides = true;
  return op;
}

Operator equal_within() {
  const auto policy = [](const Arguments& x) {
    return Equality{
        static_cast<Equality::Kind>(choice(x, 2, {"exact", "absolute", "relative", "ulp"})),
        static_cast<float>(x.number(3))};
  };
  Operator op = named("relation", "equal_within",
                      "Tensor a, Tensor b, str policy='absolute', float tolerance=1e-06");
  op.results = [policy](const Arguments& x) {
    policy(x);
    return std::vector<Result>{{broadcast_pair(x, 0, Types<float>{}), at::kBool}};
  };
  op.run = [policy](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return equal(policy(x), x.view<float>(0), x.view<float>(1), view_of<Byte>(out[0]), stream);
  };
  op.any_strides = true;
  return op;
}

Operator where_operator() {
  Operator op = named("where", "where", "Tensor c, Tensor a, Tensor b");
  op.results = [](const Arguments& x) {
    require_truth(x, 0);
    require_dtype(x, 1, LadderTypes{});
    require_same_dtype(x, 1, 2);
    return std::vector<Result>{
        {broadcast_sizes(x, {x.tensor(0), x.tensor(1), x.tensor(2)}), x.tensor(1).scalar_type()}};
  };
  op.run = by_type(1, LadderTypes{}, [](auto call) {
    return where(view_of<const Byte>(call.x.tensor(0)), call.view(1), call.view(2), call.y_view(),
                 call.stream);
  });
  op.any_strides = true;
  return op;
}

// ---- The ladders -------------------------------------------------------------------------------

template <class Rung>
Operator rung_of(const Operator& op, const Rung& rung, OperatorKind kind = OperatorKind::rung) {
  return as_rung(op, rung.name, rung.in_alignment, rung.out_alignment, kind);
}

void add_logical_rungs(std::vector<Operator>& list) {
  for (const LogicalRung& rung : logical_rungs()) {
    Operator op = rung_of(
        logical_operator("logical_" + rung.name, "str op, Tensor a, Tensor b", 1, logical_of),
        rung);
    op.dtype = "u8";
    op.results = [results = op.results](const Arguments& x) {
      require_truth(x, 1);
      require_truth(x, 2);
      require_same_sizes(x, 1, 2);
      return results(x);
    };
    op.run = [launch = rung.launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
      return launch(logical_of(x), x.data<Byte>(1), x.data<Byte>(2), data<Byte>(out),
                    x.tensor(1).numel(), stream);
    };
    list.push_back(std::move(op));
  }
  for (const LogicalRung& rung : logical_not_rungs()) {
    Operator op = rung_of(logical_not_operator(), rung);
    op.name = "logical_not_" + rung.name;
    op.results = [results = op.results](const Arguments& x) {
      require_truth(x, 0);
      return results(x);
    };
    op.ladder = "logical_not";
    op.dtype = "u8";
    op.run = [launch = rung.launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
      return launch(LogicalOp::Not, x.data<Byte>(0), nullptr, data<Byte>(out), x.tensor(0).numel(),
                    stream);
    };
    list.push_back(std::move(op));
  }
}

template <class T>
Operator relation_rung(const RelationRung<T>& rung, OperatorKind kind) {
  const std::string name = kind == OperatorKind::yours ? rung.name : "relation_" + rung.name;
  Operator op = rung_of(named("relation", name, "str op, Tensor a, Tensor b"), rung, kind);
  op.dtype = dtype_name<T>();
  op.results = [bits = rung.answers == Answers::bits](const Arguments& x) -> std::vector<Result> {
    relation_of(x);
    const Result like = alike(1, 2, Types<T>{})(x).front();
    if (!bits) return {{like.sizes, at::kBool}};
    const c10::SymInt words = (x.tensor(1).sym_numel() + c10::SymInt(31)) / c10::SymInt(32);
    return {{{words}, at::kInt}};
  };
  op.run = by_type(1, Types<T>{}, [launch = rung.launch](auto call) {
    return launch(relation_of(call.x), call.data(1), call.data(2), data<Byte>(call.out), call.n,
                  call.stream);
  });
  return op;
}

template <class T>
void add_relation_rungs(std::vector<Operator>& list) {
  for (const RelationRung<T>& rung : relation_rungs<T>()) {
    list.push_back(relation_rung<T>(rung, OperatorKind::rung));
  }
}

/// The kernels of both ladders that divide to find each operand's place.
void add_strided(std::vector<Operator>& list) {
  Operator op = as_rung(
      logical_operator("logical_strided", "str op, Tensor a, Tensor b", 1, logical_of), "strided");
  op.dtype = "u8";
  op.results = [results = op.results](const Arguments& x) {
    require_truth(x, 1);
    require_truth(x, 2);
    return results(x);
  };
  op.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    if (out[0].numel() == 0) return cudaSuccess;
    return logical_strided(logical_of(x), broadcast_of(x, 1), x.data<Byte>(1), x.data<Byte>(2),
                           data<Byte>(out), stream);
  };
  list.push_back(std::move(op));

  using Strided = Types<float, half, Bf16, std::int32_t>;
  op = as_rung(relation_operator("relation_strided", "str op, Tensor a, Tensor b", 1, relation_of),
               "strided");
  op.results = [results = op.results](const Arguments& x) {
    require_dtype(x, 1, Strided{});
    return results(x);
  };
  op.run = by_type(1, Strided{}, [](auto call) {
    if (call.out[0].numel() == 0) return cudaSuccess;
    return relation_strided(relation_of(call.x), broadcast_of(call.x, 1), call.data(1),
                            call.data(2), data<Byte>(call.out), call.stream);
  });
  list.push_back(std::move(op));
}

/// launch(c, a, b, y, n, stream).
template <class Launch>
void add_where_rung(std::vector<Operator>& list, const std::string& rung, Launch launch) {
  Operator op = as_rung(where_operator(), rung);
  op.name = "where_" + rung;
  op.results = [](const Arguments& x) {
    require_truth(x, 0);
    require_same_sizes(x, 0, 1);
    return alike(1, 2, LadderTypes{})(x);
  };
  op.run = by_type(1, LadderTypes{}, [launch](auto call) {
    return launch(call.x.template data<Byte>(0), call.data(1), call.data(2), call.y(), call.n,
                  call.stream);
  });
  list.push_back(std::move(op));
}

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(relation_operator("relation", "str op, Tensor a, Tensor b", 1, relation_of));
  for (const RelationOp op : kRelationOps) {
    list.push_back(relation_operator(name_of(op), "Tensor a, Tensor b", 0,
                                     [op](const Arguments&) { return op; }));
  }
  list.push_back(equal_within());
  list.push_back(logical_operator("logical", "str op, Tensor a, Tensor b", 1, logical_of));
  for (const LogicalOp op : kLogicalOps) {
    list.push_back(logical_operator(std::string("logical_") + name_of(op), "Tensor a, Tensor b", 0,
                                    [op](const Arguments&) { return op; }));
  }
  list.push_back(logical_not_operator());
  add_logical_rungs(list);
  for_each_type(LadderTypes{}, [&](auto type) { add_relation_rungs<decltype(type)>(list); });
  list.push_back(relation_rung<half>(your_relation_rung(), OperatorKind::yours));
  add_strided(list);
  list.push_back(where_operator());
  add_where_rung(list, "naive", [](auto... arguments) { return where_naive(arguments...); });
  add_where_rung(list, "pack", [](auto... arguments) { return where_pack(arguments...); });
  return list;
}

}  // namespace tutorial::bind
