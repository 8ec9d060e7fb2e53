// The operator: it checks its arguments, merges dimensions, looks up the table and calls a
// launcher.
#include "04_arithmetic/arithmetic.h"

#include "04_arithmetic/launchers/int8_math.cuh"
#include "common/broadcast.cuh"

namespace tutorial {

const char* name_of(ArithmeticKernel kernel) {
  return kernel == ArithmeticKernel::contiguous ? "arithmetic_contiguous" : "arithmetic_packed";
}

//! [paths]
const std::vector<ArithmeticPath>& arithmetic_paths() {
  constexpr auto contiguous = ArithmeticKernel::contiguous, packed = ArithmeticKernel::packed;
  static const std::vector<ArithmeticPath> paths = {
      {"nobroadcast",
       "ppl_cukernel_arithmetic_nobroadcast",
       "arithmetic_nobroadcast",
       {64, 256, 56, 56},
       {64, 256, 56, 56},
       is_nobroadcast,
       contiguous},
      {"one_scalar",
       "ppl_cukernel_arithmetic_one_scalar",
       "arithmetic_one_scalar",
       {64, 256, 56, 56},
       {1},
       is_one_scalar,
       packed},
      {"one_dimension",
       "ppl_cukernel_arithmetic_one_dimension",
       "arithmetic_one_dimension",
       {64, 256, 56, 56},
       {56},
       is_one_dimension,
       packed},
      {"one_not_broadcast",
       "ppl_cukernel_arithmetic_one_not_broadcast",
       "arithmetic_one_not_broadcast",
       {64, 256, 56, 56},
       {1, 256, 1, 1},
       is_one_not_broadcast,
       packed},
      {"one_broadcast",
       "ppl_cukernel_arithmetic_one_broadcast",
       "arithmetic_one_broadcast",
       {64, 256, 56, 56},
       {64, 1, 56, 56},
       is_one_broadcast,
       packed},
      {"strided",
       "ppl_cukernel_arithmetic",
       "arithmetic_strided",
       {64, 1, 56, 1},
       {1, 256, 1, 56},
       [](const Broadcast&) { return true; },
       packed},
  };
  return paths;
}
//! [paths]

const ArithmeticPath& arithmetic_path(const Broadcast& broadcast) {
  const std::vector<ArithmeticPath>& paths = arithmetic_paths();
  std::size_t i = 0;
  while (i + 1 < paths.size() && !paths[i].claims(broadcast)) ++i;
  return paths[i];
}

namespace {

/// Checks, then calls contiguous(n) or packed(broadcast), as the table says.
//! [operate]
template <class T, class Contiguous, class Packed>
cudaError_t operate(ArithmeticOp op, const TensorShape& shape0, const T* in0,
                    const TensorShape& shape1, const T* in1, T* out, const Contiguous& contiguous,
                    const Packed& packed) {
  if (!is_known(op)) return refuse(cudaErrorInvalidValue, "the operation is none of the nine");
  Broadcast broadcast;
  cudaError_t error = make_broadcast(shape0, shape1, &broadcast);
  if (error == cudaSuccess) error = check_operands(broadcast.elements, in0, in1, out);
  if (error != cudaSuccess || broadcast.elements == 0) return error;
  return arithmetic_path(broadcast).kernel == ArithmeticKernel::contiguous
             ? contiguous(broadcast.elements)
             : packed(broadcast);
}
//! [operate]

}  // namespace

template <class T>
cudaError_t arithmetic(ArithmeticOp op, const TensorShape& shape0, const T* in0,
                       const TensorShape& shape1, const T* in1, T* out, cudaStream_t stream) {
  return operate(
      op, shape0, in0, shape1, in1, out,
      [&](std::int64_t n) { return arithmetic_contiguous(op, in0, in1, out, n, stream); },
      [&](const Broadcast& broadcast) {
        return arithmetic_packed<T>({op, in0, in1, out, stream}, broadcast);
      });
}

cudaError_t arithmetic(ArithmeticOp op, const TensorShape& shape0, const std::int8_t* in0,
                       const TensorShape& shape1, const std::int8_t* in1, std::int8_t* out,
                       Int8Scales scales, cudaStream_t stream) {
  if (const cudaError_t error = check_scales(scales); error != cudaSuccess) return error;
  return operate(
      op, shape0, in0, shape1, in1, out,
      [&](std::int64_t n) { return arithmetic_contiguous(op, in0, in1, out, n, scales, stream); },
      [&](const Broadcast& broadcast) {
        return arithmetic_packed<std::int8_t>({op, in0, in1, out, stream, scales}, broadcast);
      });
}

#define TUTORIAL_ARITHMETIC(T)                                                   \
  template cudaError_t arithmetic<T>(ArithmeticOp, const TensorShape&, const T*, \
                                     const TensorShape&, const T*, T*, cudaStream_t)
TUTORIAL_ARITHMETIC(float);
TUTORIAL_ARITHMETIC(half);
TUTORIAL_ARITHMETIC(__nv_bfloat16);
TUTORIAL_ARITHMETIC(std::int32_t);
TUTORIAL_ARITHMETIC(std::int64_t);

}  // namespace tutorial
