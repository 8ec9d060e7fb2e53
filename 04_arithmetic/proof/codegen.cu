// The kernels whose machine code the README speaks of, each for one operation and type. The tests
// of the machine code compile this (codegen.json) and nothing else does: the library has every
// kernel for nine operations in six types, which would take those tests minutes.
#include "04_arithmetic/ladder_a_same_shape.cuh"
#include "04_arithmetic/ladder_b_broadcast.cuh"
#include "04_arithmetic/ladder_c_nhwc.cuh"
#include "04_arithmetic/ladder_d_int8.cuh"
#include "common/broadcast.cuh"
#include "common/strided.cuh"

namespace tutorial {

constexpr ArithmeticOp kAdd = ArithmeticOp::Add;
using Add = Arithmetic<kAdd, half>;
using AddFloat = Arithmetic<kAdd, float>;
using AddInt8 = ArithmeticInt8<kAdd>;
constexpr Along kVector = Along::vector, kSingle = Along::single;

template <class Kernel>
const void* address_of(Kernel* kernel) {
  return reinterpret_cast<const void*>(kernel);
}

/// Naming a kernel is enough to have it compiled.
extern const void* const kernels[] = {
    // Ladder A
    address_of(arithmetic_nobroadcast_kernel<half, Add>),
    address_of(arithmetic_half8_unaligned_kernel<Add>),
    address_of(arithmetic_fp16_kernel<Add>),
    address_of(arithmetic_half8_kernel<ArithmeticPair<kAdd, half2>>),
    address_of(arithmetic_pack_kernel<half, Add>),
    address_of(arithmetic_pack_kernel<float, AddFloat>),
    address_of(arithmetic_pack_kernel<float, Arithmetic<ArithmeticOp::Max, float>>),
    address_of(arithmetic_pack_kernel<float, Arithmetic<ArithmeticOp::Div, float>>),
    address_of(arithmetic_pack_kernel<half, Arithmetic<ArithmeticOp::Div, half>>),
    address_of(arithmetic_pack_kernel<float, Arithmetic<ArithmeticOp::Pow, float>>),
    address_of(arithmetic_pack_kernel<half, Arithmetic<ArithmeticOp::Pow, half>>),

    // Ladder B
    address_of(arithmetic_one_scalar_kernel<half, Add>),
    address_of(arithmetic_one_dimension_kernel<half, Add>),
    address_of(arithmetic_one_not_broadcast_kernel<half, Add>),
    address_of(arithmetic_one_broadcast_kernel<half, Add>),
    address_of(arithmetic_strided_kernel<half, Add>),
    address_of(arithmetic_strided_32_kernel<half, Add>),
    address_of(arithmetic_strided_fast_kernel<half, Add>),
    address_of(arithmetic_rows_kernel<half, Add>),
    address_of(broadcast_pack_kernel<8, kVector, kSingle, 3, half, half, Add>),
    address_of(broadcast_pack_kernel<8, kVector, kVector, 3, half, half, Add>),
    address_of(broadcast_steps_kernel<8, kSingle, kVector, half, half, Add>),
    address_of(broadcast_any_kernel<8, LongRows, half, half, Add>),

    // Any strides
    address_of(strided_pack_kernel<8, false, half, OnElements<half, Add>, half, half>),
    address_of(strided_pack_kernel<8, true, half, OnElements<half, Add>, half, half>),
    address_of(strided_flat_kernel<8, true, half, OnElements<half, Add>, half, half>),
    address_of(strided_flat_kernel<4, false, float, OnElements<float, AddFloat>, float, float>),
    address_of(strided_elements_kernel<half, OnElements<half, Add>, half, half>),
    address_of(strided_elements_kernel<float, OnElements<float, AddFloat>, float, float>),
    address_of(
        strided_tile_kernel<TileShape<8, 2, false>, half, OnElements<half, Add>, half, half>),
    address_of(strided_tile_kernel<TileShape<4, 4, true>, float, OnElements<float, AddFloat>, float,
                                   float>),

    // Ladder C
    address_of(arithmetic_limit_nhwc_kernel<half, Add>),
    address_of(arithmetic_nhwc_pack_kernel<half, Add>),

    // Ladder D
    address_of(arithmetic_nobroadcast_kernel<std::int8_t, AddInt8>),
    address_of(arithmetic_pack_kernel<std::int8_t, AddInt8>),
    address_of(arithmetic_int8x16_kernel<ArithmeticInt8Magic<kAdd>>),
    address_of(arithmetic_int8x16_kernel<ArithmeticInt8Fast<kAdd>>),
    address_of(arithmetic_int8x16_kernel<ArithmeticInt8Folded<kAdd>>),
};

}  // namespace tutorial
