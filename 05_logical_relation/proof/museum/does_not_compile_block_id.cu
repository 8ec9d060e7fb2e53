// An exhibit that must not compile. A CTest test requires that the compiler refuses it for the
// reason below; no target builds it.
// refused: '?.?.?blockId.?.?.? was not declared|undeclared identifier 'blockId'|"blockId" is undefined
#include "05_logical_relation/logical_relation_math.cuh"
#include "common/launch.cuh"

namespace tutorial::exhibits {

//! [block_id]
__global__ void logical_block_id_kernel(std::uint64_t num_elems, const Byte* input0,
                                        const Byte* input1, Byte* output, OnBytes<And> op) {
  const std::uint64_t index = std::uint64_t{blockId.x} * blockDim.x + threadIdx.x;
  if (index >= num_elems) {
    return;
  }
  output[index] = op(input0[index], input1[index]);
}
//! [block_id]

}  // namespace tutorial::exhibits
