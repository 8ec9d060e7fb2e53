// An exhibit that must not compile. A CTest test requires that the compiler refuses it for the
// reason below; no target builds it.
// refused: read-only location|read-only variable|const-qualified|modifiable lvalue
#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"

namespace tutorial::exhibits {

//! [const_output]
template <class Op, class T1, class T2>
__global__ void logical_const_output_kernel(std::uint64_t num_elems, const T1* input0,
                                            const T1* input1, const T2* output, Op op) {
  const std::uint64_t index = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= num_elems) {
    return;
  }
  output[index] = op(input0[index], input1[index]);
}
//! [const_output]

// Without a call the template is never instantiated, and a compiler may say nothing about it.
template __global__ void logical_const_output_kernel(std::uint64_t, const Byte*, const Byte*,
                                                     const Byte*, OnBytes<And>);

}  // namespace tutorial::exhibits
