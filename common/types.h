// The types of elements: their names, and the one list of those that float.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>

namespace tutorial {

using Bf16 = __nv_bfloat16;

// Eight bits: e4m3 (4 bits of exponent, 3 of fraction) and e5m2 (5 and 2). e5m2 is a half without its
// last eight bits, infinities included. e4m3 gives them up: it ends at 448, and one code of either
// sign is NaN. Whatever is converted to either type saturates: beyond the largest number, and at
// infinity, it becomes that number. (CUDA calls this __NV_SATFINITE.)
using E4m3 = __nv_fp8_e4m3;
using E5m2 = __nv_fp8_e5m2;

/// The list, for what a source instantiates: M(T) for each type of an operator, and for each that a
/// rung may have.
#define TUTORIAL_FOR_FLOATS(M) M(float) M(__half) M(__nv_bfloat16)
#define TUTORIAL_FOR_ALL_FLOATS(M) TUTORIAL_FOR_FLOATS(M) M(__nv_fp8_e4m3) M(__nv_fp8_e5m2)

/// The same list, for what a test or a benchmark does with each: for_each_type(Floats{}, f) calls
/// f(T{}) of each T.
template <class... T>
struct Types {};
using Floats = Types<float, half, Bf16>;
using Fp8 = Types<E4m3, E5m2>;

template <class... T, class F>
void for_each_type(Types<T...>, F f) {
  (f(T{}), ...);
}

/// "f16": how rungs and recorded files call a type.
template <class T>
constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, half>) return "f16";
  if constexpr (std::is_same_v<T, Bf16>) return "bf16";
  if constexpr (std::is_same_v<T, E4m3>) return "e4m3";
  if constexpr (std::is_same_v<T, E5m2>) return "e5m2";
  if constexpr (std::is_same_v<T, std::int8_t>) return "i8";
  if constexpr (std::is_same_v<T, std::int32_t>) return "i32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "i64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
}

}  // namespace tutorial
