// What a program finds that includes the header of tensor cores: names, each use of which is refused at its line.
#pragma once

#include "common/executor/refused.h"

#define TUTORIAL_CPU_NO_TENSOR_CORES \
  TUTORIAL_CPU_REFUSED("the CPU executor has no tensor cores: wmma is not here")

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

template <class Use, int kM, int kN, int kK, class T, class Layout = void>
struct fragment {
  TUTORIAL_CPU_NO_TENSOR_CORES fragment();
  static constexpr int num_elements = 1;
  float x[num_elements];
};

template <class... A>
TUTORIAL_CPU_NO_TENSOR_CORES void load_matrix_sync(A&&...);
template <class... A>
TUTORIAL_CPU_NO_TENSOR_CORES void store_matrix_sync(A&&...);
template <class... A>
TUTORIAL_CPU_NO_TENSOR_CORES void fill_fragment(A&&...);
template <class... A>
TUTORIAL_CPU_NO_TENSOR_CORES void mma_sync(A&&...);

}  // namespace nvcuda::wmma
