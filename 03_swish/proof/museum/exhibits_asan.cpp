// Runs one exhibit on buffers of exactly n elements, under AddressSanitizer. CPU executor only.
//
// This chapter's exhibits are wrong in what they compute, not in where they read and write: a
// sanitizer has nothing to say about them, and only a reference finds them.
// asan: f16_flushing: no memory error
// asan: f32_fdividef: no memory error
#include "03_swish/proof/museum/exhibits.cuh"
#include "common/proof/exhibit.h"

int main(int argc, char** argv) {
  using namespace tutorial::exhibits;
  using tutorial::test::run_exhibit;
  return tutorial::test::exhibit_main(argc, argv,
                                      {
                                          {"f16_flushing", [] { run_exhibit(swish_f16_flushing); }},
                                          {"f32_fdividef", [] { run_exhibit(swish_f32_fdividef); }},
                                      });
}
