// Runs one exhibit on buffers of exactly n elements under AddressSanitizer and
// UndefinedBehaviorSanitizer (CPU executor only). Each line below names an exhibit and a part of
// the report that must appear.
// asan: one_scalar_for_both_sided: heap-buffer-overflow
// asan: and_of_bools: load of value 2, which is not a valid value for type .(const )?bool
// asan: compiled_away: no memory error
#include <cstring>

#include "05_logical_relation/proof/museum/exhibits.cuh"
#include "common/proof/exhibit.h"

namespace {

using tutorial::Byte;

template <class T>
T* filled(std::size_t n, int byte) {
  T* memory = nullptr;
  cudaMalloc(&memory, n * sizeof(T));
  cudaMemset(memory, byte, n * sizeof(T));
  return memory;
}

void run_one_scalar() {
  float *a = filled<float>(2, 0), *b = filled<float>(3, 0);
  Byte* y = filled<Byte>(6, 0);
  tutorial::exhibits::one_scalar_for_both_sided(a, b, y, nullptr);
}

void run_and_of_bools() {
  Byte *a = filled<Byte>(64, 2), *b = filled<Byte>(64, 1), *y = filled<Byte>(64, 0);
  tutorial::exhibits::and_of_bools(a, b, y, 64, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tutorial::exhibits;
  using tutorial::test::run_exhibit;
  return tutorial::test::exhibit_main(argc, argv,
                                      {
                                          {"one_scalar_for_both_sided", run_one_scalar},
                                          {"and_of_bools", run_and_of_bools},
                                          {"compiled_away", [] { run_exhibit(compiled_away); }},
                                      });
}
