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

ArithmeticOp op_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const ArithmeticOp op : kArithmeticOps) names.emplace_back(name_of(op));
  return kArithmeticOps[choice(arguments, 0, names)];
}

/// The scales are the arguments from `first` on.
Int8Scales scales_of(const Arguments& arguments, std::size_t first) {
  return {static_cast<float>(arguments.number(first)),
          static_cast<float>(arguments.number(first + 1)),
          static_cast<float>(arguments.number(first + 2))};
}

template <class T>
T* data(const Outputs& out) {
  return static_cast<T*>(out[0].data_ptr());
}

// ---- Whole operators ----------------------------------------------------------------------------

/// arithmetic(op, a, b), or with `op` fixed NAME(a, b): then the tensors are arguments 0 and 1.
template <class Op>
Operator arithmetic_operator(const std::string& name, const std::string& arguments, std::size_t a,
                             Op op) {
  Operator result;
  result.name = name;
  result.ladder = "arithmetic";
  result.arguments = arguments;
  result.results = [a, op](const Arguments& x) {
    op(x);
    require_dtype(x, a, Numbers{});
    require_same_dtype(x, a, a + 1);
    return std::vector<Result>{{broadcast_sizes(x, a, a + 1), x.tensor(a).scalar_type()}};
  };
  result.run = [a, op](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(a), Numbers{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return arithmetic(op(x), x.view<T>(a), x.view<T>(a + 1), view_of<T>(out[0]), stream);
    });
  };
  result.any_strides = true;
  return result;
}

/// The operator with a number in the place of a tensor, the first if `number_first`.
Operator number_operator(ArithmeticOp op, bool number_first) {
  Operator result;
  result.name = name_of(op);
  result.overload = number_first ? "Scalar_first" : "Scalar";
  result.ladder = "arithmetic";
  result.arguments = number_first ? "Scalar a, Tensor b" : "Tensor a, Scalar b";
  const std::size_t tensor = number_first ? 1 : 0, number = 1 - tensor;
  result.results = [tensor](const Arguments& x) {
    require_dtype(x, tensor, Numbers{});
    return std::vector<Result>{{sizes_of(x.tensor(tensor)), x.tensor(tensor).scalar_type()}};
  };
  result.run = [=](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(tensor), Numbers{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      const auto value = x.number_as<NumberOf<T>>(number);
      return number_first ? arithmetic<T>(op, value, x.view<T>(1), view_of<T>(out[0]), stream)
                          : arithmetic<T>(op, x.view<T>(0), value, view_of<T>(out[0]), stream);
    });
  };
  result.any_strides = true;
  return result;
}

Operator int8_operator() {
  Operator result;
  result.name = "arithmetic_int8";
  result.ladder = "arithmetic_int8";
  result.dtype = "i8";
  result.arguments = std::string("str op, Tensor a, Tensor b") + kScales;
  result.results = [](const Arguments& x) {
    op_of(x);
    require_dtype(x, 1, Types<std::int8_t>{});
    require_same_dtype(x, 1, 2);
    return std::vector<Result>{{broadcast_sizes(x, 1, 2), at::kChar}};
  };
  result.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return arithmetic(op_of(x), x.view<std::int8_t>(1), x.view<std::int8_t>(2),
                      view_of<std::int8_t>(out[0]), scales_of(x, 3), stream);
  };
  result.any_strides = true;
  return result;
}

// ---- Ladders A and D ----------------------------------------------------------------------------

template <class T>
std::vector<Result> same_shape(const Arguments& x) {
  op_of(x);
  require_dtype(x, 1, Types<T>{});
  require_same_dtype(x, 1, 2);
  require_same_sizes(x, 1, 2);
  return {{sizes_of(x.tensor(1)), scalar_type<T>()}};
}

template <class T, class Launch>
Operator contiguous_rung(const std::string& ladder, const std::string& rung, std::size_t alignment,
                         Launch launch) {
  Operator result;
  result.name = "arithmetic_" + rung;
  result.ladder = ladder;
  result.rung = rung;
  result.dtype = dtype_name<T>();
  result.kind = OperatorKind::rung;
  result.arguments = "str op, Tensor a, Tensor b";
  result.results = same_shape<T>;
  result.run = [launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return launch(x, x.data<T>(1), x.data<T>(2), data<T>(out), x.tensor(1).numel(), stream);
  };
  result.in_alignment = result.out_alignment = alignment;
  return result;
}

template <class T>
void add_contiguous(std::vector<Operator>& list) {
  for (const ArithmeticRung<T>& rung : arithmetic_rungs<T>()) {
    list.push_back(
        contiguous_rung<T>("arithmetic", rung.name, rung.alignment,
                           [launch = rung.launch](const Arguments& x, const T* a, const T* b, T* y,
                                                  std::int64_t n, cudaStream_t stream) {
                             return launch({op_of(x), a, b, y, stream}, n);
                           }));
  }
}

void add_int8(std::vector<Operator>& list) {
  for (const Int8Rung& rung : arithmetic_rungs<std::int8_t>()) {
    list.push_back(contiguous_rung<std::int8_t>(
        "arithmetic_int8", rung.name, rung.alignment,
        [launch = rung.launch](const Arguments& x, const std::int8_t* a, const std::int8_t* b,
                               std::int8_t* y, std::int64_t n, cudaStream_t stream) {
          return launch({op_of(x), a, b, y, stream, scales_of(x, 3)}, n);
        }));
    list.back().arguments += kScales;
  }
}

// ---- Ladder B -----------------------------------------------------------------------------------

/// One rung for one type.
template <class T>
cudaError_t run_broadcast(const std::string& name, const ArithmeticCall<T>& call,
                          const Broadcast& broadcast) {
  for (const BroadcastRung<T>& rung : arithmetic_broadcast_rungs<T>()) {
    if (rung.name != name) continue;
    if (!rung.claims(broadcast)) {
      return refuse(cudaErrorInvalidValue, "these two shapes are not of the kind that it takes");
    }
    return rung.launch(call, broadcast);
  }
  return cudaErrorInvalidValue;
}

template <class T>
cudaError_t run_broadcast(const std::string& name, const Arguments& x, const Outputs& out,
                          Int8Scales scales, cudaStream_t stream) {
  if (out[0].numel() == 0) return cudaSuccess;
  const Broadcast broadcast = broadcast_strides(shape_of(x.tensor(1)), shape_of(x.tensor(2)));
  return run_broadcast<T>(
      name, {op_of(x), x.data<T>(1), x.data<T>(2), data<T>(out), stream, scales}, broadcast);
}

void add_broadcast(std::vector<Operator>& list) {
  for (const auto& rung : arithmetic_broadcast_rungs<float>()) {
    Operator op = arithmetic_operator("arithmetic_broadcast_" + rung.name,
                                      "str op, Tensor a, Tensor b", 1, op_of);
    op.ladder = "arithmetic_broadcast";
    op.rung = rung.name;
    op.kind = OperatorKind::rung;
    op.any_strides = false;
    op.run = [name = rung.name](const Arguments& x, const Outputs& out, cudaStream_t stream) {
      return with_type(x.tensor(1), Numbers{}, [&](auto* type) {
        return run_broadcast<std::remove_pointer_t<decltype(type)>>(name, x, out, {}, stream);
      });
    };
    list.push_back(std::move(op));
  }
  for (const auto& rung : arithmetic_broadcast_rungs<std::int8_t>()) {
    Operator op = int8_operator();
    op.name = "arithmetic_broadcast_" + rung.name + "_int8";
    op.ladder = "arithmetic_broadcast";
    op.rung = rung.name;
    op.kind = OperatorKind::rung;
    op.any_strides = false;
    op.run = [name = rung.name](const Arguments& x, const Outputs& out, cudaStream_t stream) {
      return run_broadcast<std::int8_t>(name, x, out, scales_of(x, 3), stream);
    };
    list.push_back(std::move(op));
  }
  // Rung 5 in units of eight halves, through shared memory: beside the ladder.
  Operator shared = arithmetic_operator("arithmetic_broadcast_f16x8_shared",
                                        "str op, Tensor a, Tensor b", 1, op_of);
  shared.ladder = "arithmetic_broadcast";
  shared.rung = "f16x8_shared";
  shared.dtype = "f16";
  shared.kind = OperatorKind::rung;
  shared.any_strides = false;
  shared.in_alignment = shared.out_alignment = 16;
  shared.results = [results = shared.results](const Arguments& x) {
    require_dtype(x, 1, Types<half>{});
    return results(x);
  };
  shared.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    if (out[0].numel() == 0) return cudaSuccess;
    const Broadcast broadcast = broadcast_strides(shape_of(x.tensor(1)), shape_of(x.tensor(2)));
    return arithmetic_fp16_strided(
        {op_of(x), x.data<half>(1), x.data<half>(2), data<half>(out), stream}, broadcast);
  };
  list.push_back(std::move(shared));

  const auto add = [](const Arguments&) { return ArithmeticOp::Add; };
  Operator yours = arithmetic_operator("your_arithmetic", "Tensor a, Tensor b", 0, add);
  yours.ladder = "arithmetic_broadcast";
  yours.rung = yours.name;
  yours.dtype = "f16";
  yours.kind = OperatorKind::yours;
  yours.in_alignment = yours.out_alignment = your_arithmetic_claims().alignment;
  yours.results = [results = yours.results](const Arguments& x) {
    require_dtype(x, 0, Types<half>{});
    return results(x);
  };
  yours.run = [](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    if (out[0].numel() == 0) return cudaSuccess;
    const Broadcast broadcast = broadcast_strides(shape_of(x.tensor(0)), shape_of(x.tensor(1)));
    const BroadcastRung<half> rung = your_arithmetic_rung();
    if (!rung.claims(broadcast)) {
      return refuse(cudaErrorInvalidValue,
                    "it takes a second tensor with a value for each channel");
    }
    return rung.launch(
        {ArithmeticOp::Add, x.data<half>(0), x.data<half>(1), data<half>(out), stream}, broadcast);
  };
  list.push_back(std::move(yours));
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

Operator nhwc_operator(const std::string& name, OperatorKind kind) {
  Operator op;
  op.name = name;
  op.ladder = "arithmetic_nhwc";
  op.rung = kind == OperatorKind::rung ? name.substr(sizeof("arithmetic_") - 1) : "";
  op.kind = kind;
  op.arguments = "str op, int[] sizes_a, Tensor a, int[] sizes_b, Tensor b";
  op.results = [](const Arguments& x) {
    op_of(x);
    require_dtype(x, 2, Numbers{});
    require_same_dtype(x, 2, 4);
    require_storage(x, 2);
    require_storage(x, 4);
    return std::vector<Result>{{{nhwc_result(x)}, x.tensor(2).scalar_type()}};
  };
  return op;
}

/// launch(call, shape0, shape1) for every type.
template <class Launch>
void add_nhwc(std::vector<Operator>& list, const std::string& name, OperatorKind kind,
              std::size_t alignment, Launch launch) {
  Operator op = nhwc_operator(name, kind);
  op.in_alignment = op.out_alignment = alignment;
  op.run = [launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return with_type(x.tensor(2), Numbers{}, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      return launch(
          ArithmeticCall<T>{op_of(x), x.data<T>(2), x.data<T>(4), data<T>(out), stream, {}},
          x.shape(1), x.shape(3));
    });
  };
  list.push_back(std::move(op));
}

using NhwcInt8 = cudaError_t (*)(const ArithmeticCall<std::int8_t>&, const TensorShape&,
                                 const TensorShape&);

void add_nhwc_int8(std::vector<Operator>& list, const std::string& name, OperatorKind kind,
                   std::size_t alignment, NhwcInt8 launch) {
  Operator op = nhwc_operator(name, kind);
  op.in_alignment = op.out_alignment = alignment;
  op.arguments += kScales;
  op.dtype = "i8";
  op.results = [](const Arguments& x) {
    op_of(x);
    require_dtype(x, 2, Types<std::int8_t>{});
    require_same_dtype(x, 2, 4);
    require_storage(x, 2);
    require_storage(x, 4);
    return std::vector<Result>{{{nhwc_result(x)}, at::kChar}};
  };
  op.run = [launch](const Arguments& x, const Outputs& out, cudaStream_t stream) {
    return launch({op_of(x), x.data<std::int8_t>(2), x.data<std::int8_t>(4), data<std::int8_t>(out),
                   stream, scales_of(x, 5)},
                  x.shape(1), x.shape(3));
  };
  list.push_back(std::move(op));
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
  add_contiguous<float>(list);
  add_contiguous<half>(list);
  add_contiguous<Bf16>(list);
  add_contiguous<std::int32_t>(list);
  add_contiguous<std::int64_t>(list);
  add_int8(list);
  add_broadcast(list);
  const auto limit = [](const auto&... arguments) { return arithmetic_limit_nhwc(arguments...); };
  const auto pack = [](const auto&... arguments) { return arithmetic_nhwc_pack(arguments...); };
  const auto nhwc = [](const auto&... arguments) { return arithmetic_nhwc(arguments...); };
  add_nhwc(list, "arithmetic_nhwc", OperatorKind::whole, 1, nhwc);
  add_nhwc_int8(list, "arithmetic_nhwc_int8", OperatorKind::whole, 1, arithmetic_nhwc<std::int8_t>);
  add_nhwc(list, "arithmetic_limit_nhwc", OperatorKind::rung, 1, limit);
  add_nhwc_int8(list, "arithmetic_limit_nhwc_int8", OperatorKind::rung, 1,
                arithmetic_limit_nhwc<std::int8_t>);
  add_nhwc(list, "arithmetic_nhwc_pack", OperatorKind::rung, 16, pack);
  add_nhwc_int8(list, "arithmetic_nhwc_pack_int8", OperatorKind::rung, 16,
                arithmetic_nhwc_pack<std::int8_t>);
  return list;
}

}  // namespace tutorial::bind
