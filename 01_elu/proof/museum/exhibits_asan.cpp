// Runs one exhibit on buffers of exactly n elements, under AddressSanitizer and under the checks
// (common/check): the report is what the test expects. CPU executor only.
//
// Each line below names an exhibit and a part of the report that must appear.
// check: f32x4_overrun: writes y.1028. to y.1031., 3 past the end.*[|] FLOAT4.y.i.. = v
// check: f16x2_misindexed: past the end .y has 1029 elements.*[|] reinterpret_cast<half2
// check: f16x8_dropped_tail: reads x.1024. to x.1031., 3 past the end .x has 1029 elements.*[|] LDST128BITS
// asan: f32x4_overrun: heap-buffer-overflow
// asan: f16x2_misindexed: heap-buffer-overflow
// asan: f16x8_dropped_tail: heap-buffer-overflow
// asan: f32_cancelling: no memory error
#include "01_elu/proof/museum/exhibits.cuh"
#include "common/proof/exhibit.h"

int main(int argc, char** argv) {
  using namespace tutorial::exhibits;
  using tutorial::test::run_exhibit;
  return tutorial::test::exhibit_main(
      argc, argv,
      {
          {"f32x4_overrun", [] { run_exhibit(elu_f32x4_overrun); }},
          {"f16x2_misindexed", [] { run_exhibit(elu_f16x2_misindexed); }},
          {"f16x8_dropped_tail", [] { run_exhibit(elu_f16x8_dropped_tail); }},
          {"f32_cancelling",
           [] { run_exhibit(elu_f32_cancelling); }},  // wrong in its digits, not in its addresses
      });
}
