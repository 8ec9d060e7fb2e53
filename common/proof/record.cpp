// The accuracy of a rung, as JSON.

#include "common/proof/record.h"

#include "common/proof/context.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tutorial::test {

namespace {

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// JSON knows neither infinities nor NaN: they become null.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

std::string context_json() {
  std::string json;
  for (const auto& [name, value] : run_context()) {
    json += (json.empty() ? "" : ", ") + quoted(name) + ": " + quoted(value);
  }
  return "{" + json + "}";
}

std::string accuracy_json(const AccuracyRecord& accuracy) {
  const WorstError& worst = accuracy.worst;
  return "{\"chapter\": " + quoted(accuracy.chapter) + ", \"rung\": " + quoted(accuracy.rung) +
         ", \"dtype\": " + quoted(accuracy.dtype) + ", \"inputs\": " + std::to_string(worst.count) +
         ", \"max_ulp\": " + number(worst.ulp) + ", \"at\": " + number(worst.at_input) +
         ", \"expected\": " + number(worst.expected) + ", \"actual\": " + number(worst.actual) +
         ", \"bound\": " + number(accuracy.bound) + "}";
}

}  // namespace

void record(const AccuracyRecord& accuracy) {
  const char* directory = std::getenv("TUTORIAL_RECORD_DIR");
  if (directory == nullptr || *directory == '\0') return;
  const std::string path =
      std::string(directory) + "/accuracy." + accuracy.chapter + "." + accuracy.rung + ".json";
  std::ofstream file(path);
  file << "{\"context\": " << context_json() << ",\n \"accuracy\": [" << accuracy_json(accuracy)
       << "]}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace tutorial::test
