// The accuracy of a rung, as JSON.

#include "common/proof/record.h"

#include "common/proof/context.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tutorial::test {

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

std::string json_context() {
  std::string json;
  for (const auto& [name, value] : run_context()) {
    json += (json.empty() ? "" : ", ") + json_string(name) + ": " + json_string(value);
  }
  return "{" + json + "}";
}

namespace {

std::string accuracy_json(const AccuracyRecord& accuracy) {
  const WorstError& worst = accuracy.worst;
  return "{\"chapter\": " + json_string(accuracy.chapter) +
         ", \"rung\": " + json_string(accuracy.rung) +
         ", \"dtype\": " + json_string(accuracy.dtype) +
         ", \"inputs\": " + std::to_string(worst.count) +
         ", \"max_ulp\": " + json_number(worst.ulp) + ", \"at\": " + json_number(worst.at_input) +
         ", \"expected\": " + json_number(worst.expected) +
         ", \"actual\": " + json_number(worst.actual) +
         ", \"bound\": " + json_number(accuracy.bound) +
         // Only where the test fails; a recorded run has none.
         (worst.over == 0 ? ""
                          : ", \"over\": " + std::to_string(worst.over) +
                                ", \"over_from\": " + json_number(worst.over_from) +
                                ", \"over_to\": " + json_number(worst.over_to)) +
         "}";
}

}  // namespace

void record(const AccuracyRecord& accuracy) {
  const char* directory = std::getenv("TUTORIAL_RECORD_DIR");
  if (directory == nullptr || *directory == '\0') return;
  const std::string path =
      std::string(directory) + "/accuracy." + accuracy.chapter + "." + accuracy.rung + ".json";
  std::ofstream file(path);
  file << "{\"context\": " << json_context() << ",\n \"accuracy\": [" << accuracy_json(accuracy)
       << "]}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace tutorial::test
