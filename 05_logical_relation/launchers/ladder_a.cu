// The launchers of ladder A: how many threads, how many elements each, which alignment.
#include "05_logical_relation/ladder_a_logical.cuh"
#include "05_logical_relation/launchers/launch.cuh"
#include "05_logical_relation/logical_relation.h"

namespace tutorial {

cudaError_t logical_u8(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                       cudaStream_t stream) {
  return with_logical(op, [&](auto f) {
    using Op = decltype(f);
    return launch_answers(logical_u8_kernel<Op>, a, b, y, n, 1, 1, 1, OnBytes<Op>{f}, stream);
  });
}

cudaError_t logical_bool8(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                          cudaStream_t stream) {
  return with_logical(op, [&](auto f) {
    using Op = decltype(f);
    return launch_answers(logical_bool8_kernel<Op>, a, b, y, n, 8, 1, 1, OnBytes<Op>{f}, stream);
  });
}

namespace {

cudaError_t logical_u8x16_with(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                               cudaStream_t stream, LaunchOptions options) {
  return with_logical(op, [&](auto f) {
    return launch_answers(logical_u8x16_kernel<decltype(f)>, a, b, y, n, 16, 16, 16, f, stream,
                          options);
  });
}

}  // namespace

cudaError_t logical_u8x16(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                          cudaStream_t stream) {
  return logical_u8x16_with(op, a, b, y, n, stream, {});
}

cudaError_t logical_u8x16_pdl(LogicalOp op, const Byte* a, const Byte* b, Byte* y, std::int64_t n,
                              cudaStream_t stream) {
  return logical_u8x16_with(op, a, b, y, n, stream, two_inputs(n, 3));
}

cudaError_t logical_not_u8(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(logical_one_u8_kernel<Not>, a, y, n, 1, 1, stream, {}, OnBytes<Not>{});
}

cudaError_t logical_not_u8x16(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(logical_one_u8x16_kernel<Not>, a, y, n, 16, 16, stream, {}, Not{});
}

cudaError_t logical_not_u8x16_pdl(const Byte* a, Byte* y, std::int64_t n, cudaStream_t stream) {
  return launch_unary(logical_one_u8x16_kernel<Not>, a, y, n, 16, 16, stream, kBestLaunch, Not{});
}

}  // namespace tutorial
