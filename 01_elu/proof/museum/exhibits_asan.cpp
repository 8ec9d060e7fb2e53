// Runs one exhibit on buffers of exactly n elements, under AddressSanitizer and under the checks
// (common/check): the report is what the test expects. CPU executor only.
//
// Each line below names an exhibit and a part of the report that must appear.
// check: f16x2_misindexed: past the end .y has 1029 elements.*[|] reinterpret_cast<half2
// check: f16x8_dropped_tail: reads x.1024. to x.1031., 3 past the end .x has 1029 elements.*[|] LDST128BITS
// asan: f16x2_misindexed: heap-buffer-overflow
// asan: f16x8_dropped_tail: heap-buffer-overflow
#include "01_elu/proof/museum/exhibits.cuh"
#include "common/proof/exhibit.h"

int main(int argc, char** argv) {
  using namespace tutorial::exhibits;
  using tutorial::test::run_exhibit;
  return tutorial::test::exhibit_main(
      argc, argv,
      {
          {"f16x2_misindexed", [] { run_exhibit(elu_f16x2_misindexed); }},
          {"f16x8_dropped_tail", [] { run_exhibit(elu_f16x8_dropped_tail); }},
      });
}
