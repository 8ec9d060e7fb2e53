// The tables of ladders A and D, and the operator for arrays of the same shape. A source for each family
// of types instantiates them, because nine operations in six types are too much for one compiler.
#pragma once

#include "04_arithmetic/int8/ladder_d_int8.cuh"
#include "04_arithmetic/launchers/broadcast.h"
#include "04_arithmetic/launchers/contiguous.h"
#include "04_arithmetic/launchers/functor.cuh"
#include "common/elementwise_binary.cuh"

namespace tutorial {
namespace launchers {

/// The kernel of sixteen bytes a thread: by registers of four where the functor takes four.
template <class T, class Op>
auto pack_kernel(Op) {
  return arithmetic_pack_kernel<T, Op>;
}
template <class T, class Conversion, class Values>
auto pack_kernel(OnInt8<Conversion, Values>) {
  return arithmetic_int8x16_kernel<OnInt8<Conversion, Values>>;
}

// Which functor a rung has: with(call, f) is f(functor).
inline constexpr auto as_defined = [](const auto& call, auto&& f) { return with_functor(call, f); };
inline constexpr auto fastest = [](const auto& call, auto&& f) {
  return with_fastest_functor(call, f);
};
inline constexpr auto in_pairs = [](const auto& call, auto&& f) {
  return with_functor(
      call, [&](auto functor) { return f(ArithmeticPair<decltype(functor)::kOp, half2>{}); });
};
inline constexpr auto by_magic = [](const auto& call, auto&& f) {
  if (!is_fast(call.scales)) return with_functor(call, f);
  return with_op(call.op, cudaErrorInvalidValue, [&](auto known) {
    return f(ArithmeticInt8Magic<decltype(known)::value>{{int8_constants(call.scales)}});
  });
};
inline constexpr auto folded = [](const auto& call, auto&& f) {
  return with_op(call.op, cudaErrorInvalidValue, [&](auto known) {
    constexpr ArithmeticOp kOp = decltype(known)::value;
    if constexpr (kHasFoldedForm<kOp>) {
      if (!is_foldable(call.scales)) {
        return refuse(cudaErrorInvalidValue, "products of the scales leave the normal floats");
      }
      return f(ArithmeticInt8Folded<kOp>{{int8_folded(call.scales)}});
    } else {
      return refuse(cudaErrorNotSupported,
                    std::string(name_of(kOp)) + " of int8 has no form with folded scales");
    }
  });
};

/// A row: name, elements a thread, alignment in bytes, functor, and kernel_of(functor).
template <class T, class With, class KernelOf>
ArithmeticRung<T> rung(std::string name, int per_thread, std::size_t alignment, With with,
                       KernelOf kernel_of) {
  const auto launch = [=](const ArithmeticCall<T>& call, std::int64_t n) {
    if (const cudaError_t error = check_op(call); error != cudaSuccess) return error;
    return with(call, [&](auto op) {
      return launch_binary(kernel_of(op), call.in0, call.in1, call.out, n, per_thread, alignment,
                           call.stream, {}, op);
    });
  };
  return {std::move(name), launch, per_thread, alignment};
}

}  // namespace launchers

template <class T>
const std::vector<ArithmeticRung<T>>& arithmetic_rungs() {
  using namespace launchers;
  static const std::vector<ArithmeticRung<T>> rungs = [] {
    constexpr int kPack = kPackWidth<T>;
    constexpr auto in_packs = [](auto op) { return pack_kernel<T>(op); };
    const std::string dtype = dtype_name<T>(), pack = dtype + "x" + std::to_string(kPack);
    std::vector<ArithmeticRung<T>> rows;
    const auto add = [&](auto... row) { rows.push_back(rung<T>(row...)); };
    add(dtype, 1, sizeof(T), as_defined,
        [](auto op) { return arithmetic_nobroadcast_kernel<T, decltype(op)>; });
    if constexpr (std::is_same_v<T, half>) {
      add("f16x8_unaligned", 8, 2, as_defined,
          [](auto op) { return arithmetic_half8_unaligned_kernel<decltype(op)>; });
      const auto shared = [](const ArithmeticCall<half>& call, std::int64_t n) {
        return arithmetic_fp16(call.op, call.in0, call.in1, call.out, n, call.stream);
      };
      rows.push_back({"f16x8_shared", shared, 8, 16});
      add("f16x8_h2", 8, 16, in_pairs,
          [](auto op) { return arithmetic_half8_kernel<decltype(op)>; });
    }
    add(pack + "_pack", kPack, 16, as_defined, in_packs);
    if constexpr (std::is_same_v<T, std::int8_t>) {
      add(pack + "_magic", kPack, 16, by_magic, in_packs);
      add(pack + "_fast", kPack, 16, fastest, in_packs);
      add(pack + "_folded", kPack, 16, folded, in_packs);
      rows.back().is_folded = true;
    }
    rows.push_back({pack + "_pdl", arithmetic_contiguous<T>, kPack, sizeof(T)});
    return rows;
  }();
  return rungs;
}

template <class T>
cudaError_t arithmetic_contiguous(const ArithmeticCall<T>& call, std::int64_t n) {
  if (const cudaError_t error = check_op(call); error != cudaSuccess) return error;
  if (!is_aligned(call.in0, 16) || !is_aligned(call.in1, 16) || !is_aligned(call.out, 16)) {
    return arithmetic_packed(call, broadcast_strides({n}, {n}));
  }
  // Operations of many instructions need the threads that larger blocks leave out.
  const bool is_long = std::is_same_v<T, std::int8_t> || call.op == ArithmeticOp::Div ||
                       call.op == ArithmeticOp::Mod || call.op == ArithmeticOp::Pow;
  const LaunchOptions options =
      is_long ? LaunchOptions{kThreads, Overlap::previous_kernel} : two_inputs(n, 3 * sizeof(T));
  return with_fastest_functor(call, [&](auto op) {
    return launch_binary(launchers::pack_kernel<T>(op), call.in0, call.in1, call.out, n,
                         kPackWidth<T>, 16, call.stream, options, op);
  });
}

}  // namespace tutorial

/// Instantiates them for one type.
#define TUTORIAL_ARITHMETIC_CONTIGUOUS(T)                                                       \
  template const std::vector<tutorial::ArithmeticRung<T>>& tutorial::arithmetic_rungs<T>();     \
  template cudaError_t tutorial::arithmetic_contiguous(const tutorial::ArithmeticCall<T>& call, \
                                                       std::int64_t n);
