// One of each kernel, for the tests of the machine code (codegen.json): all of the chapter's would
// take minutes to compile for five architectures.
#include "06_primitives/primitives_any_rows_kernels.cuh"
#include "common/broadcast.cuh"
#include "common/elementwise.cuh"

namespace tutorial {

using namespace primitives;

namespace primitives {

#define TUTORIAL_ADD(T, VecSize, Layout, tail)                                                 \
  template __global__ void ElementwiseAdd<VecSize, T, T, Layout, tail>(const T*, const T*, T*, \
                                                                       std::int64_t);
TUTORIAL_ADD(float, 2, Adjacent, Tail::everywhere)
TUTORIAL_ADD(float, 2, Adjacent, Tail::split)
TUTORIAL_ADD(float, 4, Adjacent, Tail::split)
TUTORIAL_ADD(float, 8, Interleaved<float>, Tail::split)
TUTORIAL_ADD(half, 2, Adjacent, Tail::everywhere)
TUTORIAL_ADD(half, 2, Adjacent, Tail::split)
TUTORIAL_ADD(half, 8, Adjacent, Tail::split)
TUTORIAL_ADD(half, 16, Interleaved<half>, Tail::split)
#undef TUTORIAL_ADD

#define TUTORIAL_ANY(T, VecSize, F, ...)                                            \
  template __global__ void Elementwise<VecSize, Interleaved<T>, T, F, __VA_ARGS__>( \
      T*, std::int64_t, F, TUTORIAL_POINTERS(__VA_ARGS__));
#define TUTORIAL_POINTERS(T) const T*
TUTORIAL_ANY(float, 4, EluFunctor, float)
TUTORIAL_ANY(float, 4, GeluFunctor, float)
TUTORIAL_ANY(float, 4, SwishFunctor, float)
TUTORIAL_ANY(half, 8, EluFunctor, half)
TUTORIAL_ANY(half, 8, GeluFunctor, half)
TUTORIAL_ANY(half, 8, SwishFunctor, half)
#undef TUTORIAL_ANY
#undef TUTORIAL_POINTERS
template __global__ void Elementwise<4, Interleaved<float>, float, AddFunctor<float>, float, float>(
    float*, std::int64_t, AddFunctor<float>, const float*, const float*);
template __global__ void Elementwise<8, Interleaved<half>, half, AddFunctor<half>, half, half>(
    half*, std::int64_t, AddFunctor<half>, const half*, const half*);
template __global__ void Elementwise<8, Interleaved<float, half>, float, AddFunctor<float>, half,
                                     half>(float*, std::int64_t, AddFunctor<float>, const half*,
                                           const half*);

template __global__ void BiasAddCycle<8, 4, Interleaved<half>, half>(const half*, const half*,
                                                                     half*, std::int64_t,
                                                                     std::int64_t, unsigned);
template __global__ void BiasAddBroadcast<8, Interleaved<half>, half>(const half*, const half*,
                                                                      half*, std::int64_t,
                                                                      IndexMap<2>);

template __global__ void ReduceInner<16, Interleaved<float>, float, float, float,
                                     AddFunctor<float>>(const float*, float*, std::int64_t,
                                                        std::int64_t, std::int64_t, unsigned,
                                                        AddFunctor<float>);
template __global__ void ReduceInner<32, Interleaved<half>, float, half, half, AddFunctor<float>>(
    const half*, half*, std::int64_t, std::int64_t, std::int64_t, unsigned, AddFunctor<float>);
template __global__ void ReduceLongRows<32, Interleaved<float>, float, float, AddFunctor<float>>(
    const float*, float*, std::int64_t, AddFunctor<float>);
template __global__ void ReduceLongRows<64, Interleaved<half>, float, half, AddFunctor<float>>(
    const half*, half*, std::int64_t, AddFunctor<float>);
template __global__ void ReduceOuter<4, 4, Interleaved<float>, float, float, float,
                                     AddFunctor<float>>(const float*, float*, std::int64_t,
                                                        std::int64_t, unsigned, AddFunctor<float>);
template __global__ void ReduceOuter<8, 8, Interleaved<half>, float, half, float,
                                     AddFunctor<float>>(const half*, float*, std::int64_t,
                                                        std::int64_t, unsigned, AddFunctor<float>);

#define TUTORIAL_ROWS(T, VecSize, lie)                                                  \
  template __global__ void ReduceAnyRows<VecSize, lie, float, T, T, AddFunctor<float>>( \
      const T*, T*, std::int64_t, std::int64_t, AnyReduction, AddFunctor<float>);
TUTORIAL_ROWS(float, 16, Lie::anywhere)
TUTORIAL_ROWS(half, 32, Lie::anywhere)
TUTORIAL_ROWS(half, 32, Lie::alike)
TUTORIAL_ROWS(float, 16, Lie::apart)
TUTORIAL_ROWS(half, 32, Lie::apart)
#undef TUTORIAL_ROWS
#define TUTORIAL_COLUMNS(T, ...)                                                          \
  template __global__ void ReduceAnyColumns<__VA_ARGS__, float, T, T, AddFunctor<float>>( \
      const T*, T*, AnyReduction, AnyColumns, AddFunctor<float>);
TUTORIAL_COLUMNS(float, 4, 4)
TUTORIAL_COLUMNS(half, 8, 4)
TUTORIAL_COLUMNS(float, 1, 8)
TUTORIAL_COLUMNS(half, 1, 8)
#undef TUTORIAL_COLUMNS
#define TUTORIAL_COLUMNS(T, NX)                                                    \
  template __global__ void ReduceShortColumns<NX, 8, float, T, AddFunctor<float>>( \
      const T*, T*, std::int64_t, std::int64_t, AddFunctor<float>);
TUTORIAL_COLUMNS(float, 4)
TUTORIAL_COLUMNS(half, 8)
#undef TUTORIAL_COLUMNS

#define TUTORIAL_ROWS(kernel, held, T)                                                        \
  template __global__ void kernel<held, false, Interleaved<T>, T>(const T*, T*, std::int64_t, \
                                                                  std::int64_t);
TUTORIAL_ROWS(SoftmaxTwoReductions, 8, float)
TUTORIAL_ROWS(SoftmaxOnline, 8, float)
TUTORIAL_ROWS(SoftmaxTwoReductions, 16, float)
TUTORIAL_ROWS(SoftmaxOnline, 16, float)
TUTORIAL_ROWS(SoftmaxTwoReductions, 32, half)
TUTORIAL_ROWS(SoftmaxOnline, 32, half)
#undef TUTORIAL_ROWS
// Rows of up to 1024 threads.
#define TUTORIAL_RAGGED_ROWS(kernel, T, ...) \
  template __global__ void kernel<__VA_ARGS__, T>(const T*, T*, std::int64_t, std::int64_t);
TUTORIAL_RAGGED_ROWS(SoftmaxTwoReductions, float, 16, true, Striped)
TUTORIAL_RAGGED_ROWS(SoftmaxTwoReductions, half, 16, true, Striped)
#undef TUTORIAL_RAGGED_ROWS
#define TUTORIAL_ANY_ROWS(kernel, T, ...)                                                   \
  template __global__ void kernel<__VA_ARGS__, T>(const T*, T*, std::int64_t, std::int64_t, \
                                                  RowPitch);
TUTORIAL_ANY_ROWS(SoftmaxAnyRows, float, 16, false)
TUTORIAL_ANY_ROWS(SoftmaxAnyRows, half, 32, false)
TUTORIAL_ANY_ROWS(SoftmaxAnyRows, half, 16, true)
TUTORIAL_ANY_ROWS(CumsumAnyRows, float, 32, true, float)
TUTORIAL_ANY_ROWS(CumsumAnyRows, half, 32, true, float)
TUTORIAL_ANY_ROWS(CumsumAnyRows, float, 32, false, float)
TUTORIAL_ANY_ROWS(CumsumAnyRows, half, 32, false, float)
#undef TUTORIAL_ANY_ROWS
template __global__ void SoftmaxOnline<16, false, Interleaved<half>, half>(const half*, half*,
                                                                           std::int64_t,
                                                                           std::int64_t);
template __global__ void SoftmaxLongRows<16, Interleaved<half>, half>(const half*, half*,
                                                                      std::int64_t);

template __global__ void CumsumRows<32, Interleaved<float>, float, float>(const float*, float*,
                                                                          std::int64_t,
                                                                          std::int64_t);
template __global__ void CumsumRows<32, Interleaved<half>, float, half>(const half*, half*,
                                                                        std::int64_t, std::int64_t);

template __global__ void SortRows<32, 32, 128, false, Interleaved<float>, float>(const float*,
                                                                                 float*,
                                                                                 std::int64_t,
                                                                                 std::int64_t);
template __global__ void SortRows<16, 512, 512, false, Interleaved<float>, float>(const float*,
                                                                                  float*,
                                                                                  std::int64_t,
                                                                                  std::int64_t);
template __global__ void SortRowsWithIndex<32, 32, 128, false, Interleaved<float>, float>(
    const float*, float*, std::int32_t*, std::int64_t, std::int64_t);
template __global__ void SortRowsWithIndex<16, 512, 512, false, Interleaved<float>, float>(
    const float*, float*, std::int32_t*, std::int64_t, std::int64_t);
#define TUTORIAL_ANY_SORT(T, ...)                                                                 \
  template __global__ void SortAnyRows<__VA_ARGS__, T>(const T*, T*, std::int32_t*, std::int64_t, \
                                                       std::int64_t, RowPitch);
TUTORIAL_ANY_SORT(float, 32, 32, 128, false)
TUTORIAL_ANY_SORT(half, 32, 32, 128, false)
TUTORIAL_ANY_SORT(float, 16, 512, 512, true)
#undef TUTORIAL_ANY_SORT

}  // namespace primitives

// What they are held against.
template __global__ void elementwise_pack_binary_kernel<4, float, float, AddFunctor<float>>(
    const float*, const float*, float*, std::int64_t, AddFunctor<float>);
template __global__ void elementwise_pack_binary_kernel<8, half, half, AddFunctor<half>>(
    const half*, const half*, half*, std::int64_t, AddFunctor<half>);
template __global__ void elementwise_pack_kernel<half, FloatInside<EluFunctor>>(
    const half*, half*, std::int64_t, FloatInside<EluFunctor>);

}  // namespace tutorial
