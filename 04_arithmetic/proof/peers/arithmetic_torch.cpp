// The chapter as operators of PyTorch:
//   arithmetic(op, a, b), add(a, b), ... mod(a, b)                  any shapes that broadcast
//   arithmetic_int8(op, a, b, scale_a, scale_b, scale_out)          int8 with scales
//   arithmetic_RUNG(op, a, b)                                       ladder A: one shape
//   arithmetic_broadcast_RUNG(op, a, b)                             ladder B, of any type
//   arithmetic_nhwc..(op, sizes_a, a, sizes_b, b)                   ladder C: NHWC8 storage
//   arithmetic_i8..(op, a, b, scale_a, scale_b, scale_out)          ladder D
#include "04_arithmetic/arithmetic.h"
#include "common/torch/bind.h"

namespace tutorial::bind {
namespace {

using Numbers = Types<float, half, Bf16, std::int32_t, std::int64_t>;

constexpr const char* kScales = ", float scale_a, float scale_b, float scale_out";

ArithmeticOp op_of(const Arguments& arguments) { return choice_of(arguments, 0, kArithmeticOps); }

/// The scales are the arguments from `first` on.
Int8Scales scales_of(const Arguments& arguments, std::size_t first) {
  return {static_cast<float>(arguments.number(first)),
          static_cast<float>(arguments.number(first + 1)),
          static_cast<float>(arguments.number(first + 2))};
}

/// The call of an operation on tensors a and b; of int8, with the scales behind them.
template <class T>
ArithmeticCall<T> call_of(const Call<T>& call, ArithmeticOp op, std::size_t a, std::size_t b) {
  Int8Scales scales = {};
  if constexpr (std::is_same_v<T, std::int8_t>) scales = scales_of(call.x, b + 1);
  return {op, call.data(a), call.data(b), call.y(), call.stream, scales};
}

// ---- Whole operators ----------------------------------------------------------------------------

/// NAME(op, a, b), or with `op` fixed NAME(a, b): then the tensors are arguments 0 and 1. launch(Call<T>).
template <class... Ts, class Op, class Launch>
Operator broadcasting(const std::string& ladder, const std::string& name,
                      const std::string& arguments, std::size_t a, Types<Ts...> types, Op op,
                      Launch launch) {
  Operator result = named(ladder, name, arguments);
  result.results = [=](const Arguments& x) {
    op(x);
    return std::vector<Result>{{broadcast_pair(x, a, types), x.tensor(a).scalar_type()}};
  };
  result.run = by_type(a, types, launch);
  result.any_strides = true;
  return result;
}

template <class Op>
Operator arithmetic_operator(const std::string& name, const std::string& arguments, std::size_t a,
                             Op op) {
  return broadcasting("arithmetic", name, arguments, a, Numbers{}, op, [=](auto call) {
    return arithmetic(op(call.x), call.view(a), call.view(a + 1), call.y_view(), call.stream);
  });
}

/// The operator with a number in the place of a tensor, the first if `number_first`.
Operator number_operator(ArithmeticOp op, bool number_first) {
  Operator result =
      named("arithmetic", name_of(op), number_first ? "Scalar a, Tensor b" : "Tensor a, Scalar b");
  result.overload = number_first ? "Scalar_first" : "Scalar";
  const std::size_t tensor = number_first ? 1 : 0, number = 1 - tensor;
  result.results = alike(tensor, 1, Numbers{});
  result.run = by_type(tensor, Numbers{}, [=](auto call) {
    using T = typename decltype(call)::Element;
    const auto value = call.x.template number_as<NumberOf<T>>(number);
    return number_first ? arithmetic<T>(op, value, call.view(1), call.y_view(), call.stream)
                        : arithmetic<T>(op, call.view(0), value, call.y_view(), call.stream);
  });
  result.any_strides = true;
  return result;
}

Operator int8_operator() {
  Operator result = broadcasting(
      "arithmetic_int8", "arithmetic_int8", std::string("str op, Tensor a, Tensor b") + kScales, 1,
      Types<std::int8_t>{}, op_of, [](auto call) {
        return arithmetic(op_of(call.x), call.view(1), call.view(2), call.y_view(),
                          scales_of(call.x, 3), call.stream);
      });
  result.dtype = "i8";
  return result;
}

// ---- Ladders A and D ----------------------------------------------------------------------------

template <class T>
void add_contiguous(std::vector<Operator>& list) {
  constexpr bool kScaled = std::is_same_v<T, std::int8_t>;
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    Operator op = named(kScaled ? "arithmetic_int8" : "arithmetic", "arithmetic_" + rung.name,
                        std::string("str op, Tensor a, Tensor b") + (kScaled ? kScales : ""));
    op.dtype = dtype_name<T>();
    op.results = [](const Arguments& x) {
      op_of(x);
      return alike(1, 2, Types<T>{})(x);
    };
    op.run = by_type(1, Types<T>{}, [launch = rung.launch](auto call) {
      return launch(call_of(call, op_of(call.x), 1, 2), call.n);
    });
    list.push_back(as_rung(std::move(op), rung.name, rung.alignment, rung.alignment));
  }
}

// ---- Ladder B -----------------------------------------------------------------------------------

/// By a rung of ladder B, for tensors a and a + 1: launch(ArithmeticCall<T>, Broadcast).
template <class... Ts, class Op, class Launch>
auto by_broadcast(std::size_t a, Types<Ts...> types, Op op, Launch launch) {
  return by_type(a, types, [=](auto call) -> cudaError_t {
    if (call.out[0].numel() == 0) return cudaSuccess;
    return launch(call_of(call, op(call.x), a, a + 1), broadcast_of(call.x, a));
  });
}

/// The rung of that name, for each type.
template <class... Ts>
auto by_rung(const std::string& name, Types<Ts...> types) {
  const auto launch = [name](const auto& call, const Broadcast& broadcast) {
    using T = std::remove_pointer_t<decltype(call.out)>;
    for (const BroadcastRung<T>& rung : arithmetic_broadcast_rungs<T>()) {
      if (rung.name != name) continue;
      if (!rung.claims(broadcast)) {
        return refuse(cudaErrorInvalidValue, "these two shapes are not of the kind that it takes");
      }
      return rung.launch(call, broadcast);
    }
    return cudaErrorInvalidValue;
  };
  return by_broadcast(1, types, op_of, launch);
}

/// The operator as one of halves alone.
Operator of_halves(Operator op, std::size_t a) {
  op.dtype = "f16";
  op.results = [a, results = op.results](const Arguments& x) {
    require_dtype(x, a, Types<half>{});
    return results(x);
  };
  return op;
}

void add_broadcast(std::vector<Operator>& list) {
  const std::string ladder = "arithmetic_broadcast";
  const auto push = [&](Operator op, const std::string& rung, std::size_t alignment, auto run,
                        OperatorKind kind = OperatorKind::rung) {
    op.ladder = ladder;
    op.run = run;
    list.push_back(as_rung(std::move(op), rung, alignment, alignment, kind));
  };
  const auto of_any = [&](const std::string& rung) {
    return arithmetic_operator(ladder + "_" + rung, "str op, Tensor a, Tensor b", 1, op_of);
  };
  for (const auto& rung : arithmetic_broadcast_rungs<float>()) {
    push(of_any(rung.name), rung.name, 1, by_rung(rung.name, Numbers{}));
  }
  for (const auto& rung : arithmetic_broadcast_rungs<std::int8_t>()) {
    Operator op = int8_operator();
    op.name = ladder + "_" + rung.name + "_int8";
    push(std::move(op), rung.name, 1, by_rung(rung.name, Types<std::int8_t>{}));
  }
  // Rung 5 in units of eight halves, through shared memory: beside the ladder.
  push(of_halves(of_any("f16x8_shared"), 1), "f16x8_shared", 16,
       by_broadcast(1, Types<half>{}, op_of,
                    [](const auto&... a) { return arithmetic_fp16_strided(a...); }));

  const auto add = [](const Arguments&) { return ArithmeticOp::Add; };
  const auto yours = [](const ArithmeticCall<half>& call, const Broadcast& broadcast) {
    const BroadcastRung<half> rung = your_arithmetic_rung();
    if (rung.claims(broadcast)) return rung.launch(call, broadcast);
    return refuse(cudaErrorInvalidValue, "it takes a second tensor with a value for each channel");
  };
  push(of_halves(arithmetic_operator("your_arithmetic", "Tensor a, Tensor b", 0, add), 0),
       "your_arithmetic", your_arithmetic_claims().alignment,
       by_broadcast(0, Types<half>{}, add, yours), OperatorKind::yours);
}

// ---- Ladder C -----------------------------------------------------------------------------------
// A tensor stands for NHWC8 storage: one dimension, as many elements as nhwc8_elements() of its
// sizes in NCHW order. The result's padding is zero; limit_nhwc leaves there what was in memory.

/// Throws unless tensor i has the storage of sizes i - 1.
void require_storage(const Arguments& x, std::size_t i) {
  const TensorShape shape = x.shape(i - 1);
  TORCH_CHECK(shape.size() >= 2 && shape.size() <= kMaxDimensions, x.name(),
              ": takes sizes of 2 to 7 dimensions, not ", shape.size());
  for (const std::int64_t size : shape) {
    TORCH_CHECK(size >= 0, x.name(), ": a size is negative: ", size);
  }
  TORCH_CHECK(x.tensor(i).dim() == 1 && x.tensor(i).sym_size(0) == nhwc8_elements(shape), x.name(),
              ": a tensor of the sizes ", to_string(shape), " has ", nhwc8_elements(shape),
              " elements in NHWC8 storage, in one dimension; this one has the sizes ",
              x.tensor(i).sym_sizes());
}

/// The elements of the result's storage.
std::int64_t nhwc_result(const Arguments& x) {
  TensorShape shape;
  const cudaError_t error = broadcast_shape(x.shape(1), x.shape(3), &shape);
  TORCH_CHECK(error == cudaSuccess, x.name(), ": ", last_refusal());
  return nhwc8_elements(shape);
}

/// launch(ArithmeticCall<T>, shape0, shape1) for each T of Ts. Of int8, NAME_int8, with scales.
template <class... Ts, class Launch>
void add_nhwc(std::vector<Operator>& list, std::string name, OperatorKind kind,
              std::size_t alignment, Types<Ts...> types, Launch launch) {
  constexpr bool kScaled = std::is_same_v<Types<Ts...>, Types<std::int8_t>>;
  if (kScaled) name += "_int8";
  const std::string rung = kind == OperatorKind::rung ? name.substr(sizeof("arithmetic_") - 1) : "";
  Operator op = named("arithmetic_nhwc", name,
                      std::string("str op, int[] sizes_a, Tensor a, int[] sizes_b, Tensor b") +
                          (kScaled ? kScales : ""));
  if (kScaled) op.dtype = "i8";
  op.results = [types](const Arguments& x) {
    op_of(x);
    require_dtype(x, 2, types);
    require_same_dtype(x, 2, 4);
    require_storage(x, 2);
    require_storage(x, 4);
    return std::vector<Result>{{{nhwc_result(x)}, x.tensor(2).scalar_type()}};
  };
  op.run = by_type(2, types, [launch](auto call) {
    return launch(call_of(call, op_of(call.x), 2, 4), call.x.shape(1), call.x.shape(3));
  });
  list.push_back(as_rung(std::move(op), rung, alignment, alignment, kind));
}

/// Of the other numbers, and of int8.
template <class Launch>
void add_nhwc(std::vector<Operator>& list, const std::string& name, OperatorKind kind,
              std::size_t alignment, Launch launch) {
  add_nhwc(list, name, kind, alignment, Numbers{}, launch);
  add_nhwc(list, name, kind, alignment, Types<std::int8_t>{}, launch);
}

}  // namespace

std::vector<Operator> operators() {
  std::vector<Operator> list;
  list.push_back(arithmetic_operator("arithmetic", "str op, Tensor a, Tensor b", 1, op_of));
  for (const ArithmeticOp op : kArithmeticOps) {
    list.push_back(arithmetic_operator(name_of(op), "Tensor a, Tensor b", 0,
                                       [op](const Arguments&) { return op; }));
    list.push_back(number_operator(op, false));
    list.push_back(number_operator(op, true));
  }
  list.push_back(int8_operator());
  for_each_type(Numbers{}, [&](auto type) { add_contiguous<decltype(type)>(list); });
  add_contiguous<std::int8_t>(list);
  add_broadcast(list);
  add_nhwc(list, "arithmetic_nhwc", OperatorKind::whole, 1,
           [](const auto&... arguments) { return arithmetic_nhwc(arguments...); });
  add_nhwc(list, "arithmetic_limit_nhwc", OperatorKind::rung, 1,
           [](const auto&... arguments) { return arithmetic_limit_nhwc(arguments...); });
  add_nhwc(list, "arithmetic_nhwc_pack", OperatorKind::rung, 16,
           [](const auto&... arguments) { return arithmetic_nhwc_pack(arguments...); });
  return list;
}

}  // namespace tutorial::bind
