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

Byte* answers(const Outputs& out) { return static_cast<Byte*>(out[0].data_ptr()); }

RelationOp relation_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const RelationOp op : kRelationOps) names.emplace_back(name_of(op));
  return kRelationOps[choice(arguments, 0, names)];
}

LogicalOp logical_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const LogicalOp op : kLogicalOps) names.emplace_back(name_of(op));
  return kLogicalOps[choice(arguments, 0, names)];
}

void require_truth(const Arguments& arguments, std::size_t i) {
  require_dtype(arguments, i, {at::kBool, at::kByte});
}

/// What logical() takes: truth values, and numbers.
const std::vector<at::ScalarType> kTruth = {at::kBool,     at::kByte, at::kFloat, at::kHalf,
                                            at::kBFloat16, at::kChar, at::kInt,   at::kLong};

bool is_truth(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBool || tensor.scalar_type() == at::kByte;
}

/// with_type() for Byte and all Comparable.
template <class F>
cudaError_t with_truth(const at::Tensor& tensor, F&& f) {
  return is_truth(tensor) ? f(static_cast<Byte*>(nullptr)) : with_type(tensor, Comparable{}, f);
}

Operator named(const std::string& ladder, const std::string& name, const std::string& arguments) {
  Operator op;
  op.ladder = ladder;
  op.name = name;
  op.arguments = arguments;
  return op;
}

// ---- Whole operators: tensors are the arguments a and a + 1 -------------------------------------

template <class Op>
Operator relation_operator(const std::string& name, const std::string& arguments, std::size_t a,
                           Op op_of) {
  Operator op = named("relation", name, arguments);
  op.results = [a, op_of](const Arguments& x) {
    op_of(x);
    require_dtype(x, a, Comparable{});
    require_same_dtype(x, a, a + 1);
    return std::vector<Result>{{broadcast_sizes(x, a, a + 1), at::kBool}};
  };
  op.run = [a, op_of](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(a), Comparable{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return relation(op_of(x), x.view<T>(a), x.view<T>(a + 1), view_of<Byte>(out[0]), stream);
    });
  };
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
    return std::vector<Result>{{broadcast_sizes(x, a, a + 1), at::kBool}};
  };
  op.run = [a, op_of](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_truth(x.tensor(a), [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return logical(op_of(x), x.view<T>(a), x.view<T>(a + 1), view_of<Byte>(out[0]), stream);
    });
  };
  op.any_strides = true;
  return op;
}

Operator logical_not_operator() {
  Operator op = named("logical", "logical_not", "Tensor a");
  op.results = [](const Arguments& x) {
    require_dtype(x, 0, kTruth);
    return std::vector<Result>{{sizes_of(x.tensor(0)), at::kBool}};
  };
  op.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_truth(x.tensor(0), [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return logical(LogicalOp::Not, x.view<T>(0), view_of<Byte>(out[0]), stream);
    });
  };
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
    require_dtype(x, 0, Types<float>{});
    require_same_dtype(x, 0, 1);
    return std::vector<Result>{{broadcast_sizes(x, 0, 1), at::kBool}};
  };
  op.run = [policy](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return equal(policy(x), x.view<float>(0), x.view<float>(1), view_of<Byte>(out[0]), stream);
  };
  op.any_strides = true;
  return op;
}

/// launch(c, a, b, y, n, stream).
template <class Launch>
Operator where_operator(const std::string& name, Launch launch) {
  Operator op = named("where", name, "Tensor c, Tensor a, Tensor b");
  op.results = [](const Arguments& x) {
    require_truth(x, 0);
    require_dtype(x, 1, LadderTypes{});
    require_same_dtype(x, 1, 2);
    require_same_sizes(x, 0, 1);
    require_same_sizes(x, 1, 2);
    return std::vector<Result>{{sizes_of(x.tensor(1)), x.tensor(1).scalar_type()}};
  };
  op.run = [launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(1), LadderTypes{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return launch(x.data<Byte>(0), x.data<T>(1), x.data<T>(2), static_cast<T*>(out[0].data_ptr()),
                    x.tensor(1).numel(), stream);
    });
  };
  return op;
}

// ---- The ladders -------------------------------------------------------------------------------

template <class Rung>
void describe(Operator& op, const Rung& rung, OperatorKind kind) {
  op.any_strides = false;
  op.rung = rung.name;
  op.kind = kind;
  op.in_alignment = rung.in_alignment;
  op.out_alignment = rung.out_alignment;
}

void add_logical_rungs(std::vector<Operator>& list) {
  for (const LogicalRung& rung : logical_rungs()) {
    Operator op =
        logical_operator("logical_" + rung.name, "str op, Tensor a, Tensor b", 1, logical_of);
    describe(op, rung, OperatorKind::rung);
    op.dtype = "u8";
    op.results = [results = op.results](const Arguments& x) {
      require_truth(x, 1);
      require_truth(x, 2);
      require_same_sizes(x, 1, 2);
      return results(x);
    };
    op.run = [launch = rung.launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
      return launch(logical_of(x), x.data<Byte>(1), x.data<Byte>(2), answers(out),
                    x.tensor(1).numel(), stream);
    };
    list.push_back(std::move(op));
  }
  for (const LogicalRung& rung : logical_not_rungs()) {
    Operator op = logical_not_operator();
    op.name = "logical_not_" + rung.name;
    describe(op, rung, OperatorKind::rung);
    op.results = [results = op.results](const Arguments& x) {
      require_truth(x, 0);
      return results(x);
    };
    op.ladder = "logical_not";
    op.dtype = "u8";
    op.run = [launch = rung.launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
      return launch(LogicalOp::Not, x.data<Byte>(0), nullptr, answers(out), x.tensor(0).numel(),
                    stream);
    };
    list.push_back(std::move(op));
  }
}

template <class T>
Operator relation_rung(const RelationRung<T>& rung, OperatorKind kind) {
  Operator op = named("relation", kind == OperatorKind::yours ? rung.name : "relation_" + rung.name,
                      "str op, Tensor a, Tensor b");
  describe(op, rung, kind);
  op.dtype = dtype_name<T>();
  op.results = [bits = rung.answers == Answers::bits](const Arguments& x) -> std::vector<Result> {
    relation_of(x);
    require_dtype(x, 1, Types<T>{});
    require_same_dtype(x, 1, 2);
    require_same_sizes(x, 1, 2);
    if (!bits) return {{sizes_of(x.tensor(1)), at::kBool}};
    const c10::SymInt words = (x.tensor(1).sym_numel() + c10::SymInt(31)) / c10::SymInt(32);
    return {{{words}, at::kInt}};
  };
  op.run = [launch = rung.launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return launch(relation_of(x), x.data<T>(1), x.data<T>(2), answers(out), x.tensor(1).numel(),
                  stream);
  };
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
  Operator op = logical_operator("logical_strided", "str op, Tensor a, Tensor b", 1, logical_of);
  op.rung = "strided";
  op.kind = OperatorKind::rung;
  op.any_strides = false;
  op.dtype = "u8";
  op.results = [results = op.results](const Arguments& x) {
    require_truth(x, 1);
    require_truth(x, 2);
    return results(x);
  };
  op.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    if (out[0].numel() == 0) return cudaSuccess;
    return logical_strided(logical_of(x),
                           broadcast_strides(shape_of(x.tensor(1)), shape_of(x.tensor(2))),
                           x.data<Byte>(1), x.data<Byte>(2), answers(out), stream);
  };
  list.push_back(std::move(op));

  using Strided = Types<float, half, Bf16, std::int32_t>;
  op = relation_operator("relation_strided", "str op, Tensor a, Tensor b", 1, relation_of);
  op.rung = "strided";
  op.kind = OperatorKind::rung;
  op.any_strides = false;
  op.results = [results = op.results](const Arguments& x) {
    require_dtype(x, 1, Strided{});
    return results(x);
  };
  op.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    if (out[0].numel() == 0) return cudaSuccess;
    return with_type(x.tensor(1), Strided{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return relation_strided(relation_of(x),
                              broadcast_strides(shape_of(x.tensor(1)), shape_of(x.tensor(2))),
                              x.data<T>(1), x.data<T>(2), answers(out), stream);
    });
  };
  list.push_back(std::move(op));
}

void add_where(std::vector<Operator>& list) {
  list.push_back(where_operator("where", [](auto...) { return cudaSuccess; }));
  list.back().any_strides = true;
  list.back().results = [](const Arguments& x) {
    require_truth(x, 0);
    require_dtype(x, 1, LadderTypes{});
    require_same_dtype(x, 1, 2);
    return std::vector<Result>{
        {broadcast_sizes(x, {x.tensor(0), x.tensor(1), x.tensor(2)}), x.tensor(1).scalar_type()}};
  };
  list.back().run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(1), LadderTypes{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return where(x.view<Byte>(0), x.view<T>(1), x.view<T>(2), view_of<T>(out[0]), stream);
    });
  };
  list.push_back(
      where_operator("where_naive", [](auto... arguments) { return where_naive(arguments...); }));
  list.back().rung = "naive";
  list.back().kind = OperatorKind::rung;
  list.push_back(
      where_operator("where_pack", [](auto... arguments) { return where_pack(arguments...); }));
  list.back().rung = "pack";
  list.back().kind = OperatorKind::rung;
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
  add_relation_rungs<float>(list);
  add_relation_rungs<half>(list);
  add_relation_rungs<Bf16>(list);
  list.push_back(relation_rung<half>(your_relation_rung(), OperatorKind::yours));
  add_strided(list);
  add_where(list);
  return list;
}

}  // namespace tutorial::bind
