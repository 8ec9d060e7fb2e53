// The checks that end in Catch2's assertions. What they check stands in the other files, which do
// without Catch2 and can be tested themselves.

#include "common/proof/binary.h"
#include "common/proof/catch.h"
#include "common/proof/record.h"
#include "common/proof/support.h"

#include <cstdlib>
#include <regex>

namespace tutorial::test {

namespace {

bool gpu_required() {
  const char* required = std::getenv("TUTORIAL_REQUIRE_GPU");
  return required != nullptr && std::string(required) == "1";
}

/// Why no GPU can be used here, or an empty string.
std::string no_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(error);
  return count > 0 ? "" : "no GPU";
}

std::string lines(const std::vector<Complaint>& violations) {
  std::string text;
  for (const Complaint& violation : violations) text += "  " + violation.sentence + "\n";
  return text;
}

/// What exceeds the claim, for a tool.
Complaint complaint_of(const WorstError& worst, double allowed, const std::string& words) {
  if (worst.ulp <= allowed) return {};
  return {"error",
          words,
          {{"ulp", worst.ulp},
           {"at", worst.at_input},
           {"expected", worst.expected},
           {"actual", worst.actual},
           {"over", static_cast<double>(worst.over)},
           {"inputs", static_cast<double>(worst.count)}}};
}

}  // namespace

void require_device() {
  if constexpr (!on_gpu) return;
  const std::string reason = no_device();
  if (reason.empty()) return;
  if (gpu_required()) FAIL(reason << ", and TUTORIAL_REQUIRE_GPU=1");
  SKIP(reason);
}

void check_promises(const std::string& rung, const Promises& promises) {
  const std::vector<Complaint> violations = promise_violations(promises);
  for (const Complaint& violation : violations) record(rung, violation);
  INFO(rung << " breaks its promises:\n" << lines(violations));
  CHECK(violations.empty());  // and the accuracy is looked at all the same
}

void check_complaint(const std::string& rung, const Complaint& complaint) {
  if (!complaint.empty()) record(rung, complaint);
  INFO(complaint.sentence);
  CHECK(complaint.empty());
}

void check_width_in_name(const std::string& rung, int width) {
  std::smatch type;
  REQUIRE(std::regex_search(rung, type, std::regex("(?:b?f|e[45]m)[0-9]+(?:x([0-9]+))?")));
  INFO(rung << " takes " << width << " elements a thread");
  CHECK(width == (type[1].matched ? std::stoi(type[1]) : 1));
}

template <class T>
void check_accuracy(const std::vector<UnaryRung<T>>& rungs, Reference reference,
                    const std::string& chapter) {
  const std::vector<WorstError> worst = measure_accuracy(rungs, reference);
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    record({chapter, rungs[i].name, dtype_name<T>(), rungs[i].max_ulp, worst[i]});
    const double allowed = rungs[i].max_ulp;
    const std::string words = rungs[i].name + " is off by " + worst[i].description(allowed);
    check_complaint(rungs[i].name, complaint_of(worst[i], allowed, words));
  }
}

template <class T>
void check_accuracy(const UnaryRung<T>& rung, Reference reference, const std::string& chapter) {
  check_accuracy(std::vector<UnaryRung<T>>{rung}, reference, chapter);
}

template <class T>
void check_accuracy(const BinaryRung<T>& rung, BinaryReference reference, const std::vector<T>& a,
                    const std::vector<T>& b, const std::string& chapter) {
  const WorstError worst = worst_error_of_pairs(rung.launch, a, b, reference, rung.max_ulp);
  record({chapter, rung.name, dtype_name<T>(), rung.max_ulp, worst});
  const std::string words =
      rung.name + " is off by " + worst.description(rung.max_ulp, "a", "pairs");
  check_complaint(rung.name, complaint_of(worst, rung.max_ulp, words));
}

template <class T>
void check_past_2_31(const UnaryRung<T>& rung, Reference reference) {
  if constexpr (!on_gpu) SKIP("2^31 elements take a GPU");
  require_device();
  std::size_t free = 0, total = 0;
  require_success(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const auto fits = [free](std::int64_t n) {
    constexpr std::size_t reserve = std::size_t{1} << 28;
    return 2 * static_cast<std::size_t>(n) * sizeof(T) + reserve <= free;
  };
  if (!fits(past_2_31)) SKIP("2^31 elements take " << 4 * sizeof(T) << " GiB of GPU memory");
  const std::string violation =
      violation_past_2_31(rung, reference, fits(past_2_32) ? past_2_32 : past_2_31);
  INFO(rung.name << ": " << violation);
  REQUIRE(violation.empty());
}

#define TUTORIAL_INSTANTIATE(T)                                                                  \
  template void check_accuracy(const UnaryRung<T>&, Reference, const std::string&);              \
  template void check_accuracy(const std::vector<UnaryRung<T>>&, Reference, const std::string&); \
  template void check_past_2_31(const UnaryRung<T>&, Reference);
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

#define TUTORIAL_INSTANTIATE(T)                                                              \
  template void check_accuracy(const BinaryRung<T>&, BinaryReference, const std::vector<T>&, \
                               const std::vector<T>&, const std::string&);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test
