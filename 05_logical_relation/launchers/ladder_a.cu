// The tables of ladder A: which kernel a rung is, how many elements its threads take, which alignment it
// needs. The kernels are in ladder_a_logical.cuh.
#include "05_logical_relation/ladders/ladder_a_logical.cuh"

#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"

namespace tutorial {
namespace {

/// The last rung, whose blocks depend on n.
cudaError_t launch_u8x16_pdl(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                             cudaStream_t stream) {
  return with_operation(op, a, b, [&](auto f, const Byte* left, const Byte* right) {
    return launch_answers(logical_u8x16_kernel<decltype(f)>, left, right, y, n, 16, 16, 16, f,
                          stream, two_inputs(n, 3));
  });
}

/// A row with one operand.
template <class Op>
LogicalRung not_rung(std::string name, void (*kernel)(const Byte*, Byte*, std::int64_t, Op),
                     int per_thread, std::size_t alignment, LaunchOptions options = {}) {
  const auto launch = [=](LogicalOp, const Byte* a, const Byte*, Byte* y, std::int64_t n,
                          cudaStream_t stream) {
    return launch_unary(kernel, a, y, n, per_thread, alignment, stream, options, Op{});
  };
  return {std::move(name), launch, per_thread, alignment, alignment, Answers::bytes, 1};
}

}  // namespace

const std::vector<LogicalRung>& logical_rungs() {
  constexpr auto on_bytes = [](auto f) { return OnBytes<decltype(f)>{f}; };
  constexpr auto on_words = [](auto f) { return f; };
  static const std::vector<LogicalRung> rungs = {
      rung<LogicalOp, Byte>("u8", 1, 1, 1, on_bytes,
                            [](auto f) { return logical_u8_kernel<decltype(f.op)>; }),
      rung<LogicalOp, Byte>("bool8", 8, 1, 1, on_bytes,
                            [](auto f) { return logical_bool8_kernel<decltype(f.op)>; }),
      rung<LogicalOp, Byte>("u8x16", 16, 16, 16, on_words,
                            [](auto f) { return logical_u8x16_kernel<decltype(f)>; }),
      {"u8x16_pdl", launch_u8x16_pdl, 16, 16, 16},
  };
  return rungs;
}

const std::vector<LogicalRung>& logical_not_rungs() {
  static const std::vector<LogicalRung> rungs = {
      not_rung("u8", logical_one_u8_kernel<Not>, 1, 1),
      not_rung("u8x16", logical_one_u8x16_kernel<Not>, 16, 16),
      not_rung("u8x16_pdl", logical_one_u8x16_kernel<Not>, 16, 16, kBestLaunch),
  };
  return rungs;
}

cudaError_t logical_u8(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                       cudaStream_t stream) {
  return logical_rungs().front().launch(op, a, b, y, n, stream);
}

}  // namespace tutorial
