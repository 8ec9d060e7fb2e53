// The accuracy of a rung and what it does wrong, as JSON.

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
    quoted += c == '\n' ? ' ' : c;
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

/// The number, whatever it is: of those that JSON does not know, the names that Python gives them.
std::string python_number(double value) {
  if (std::isfinite(value)) return json_number(value);
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

std::string failure_json(const std::string& rung, const Complaint& complaint) {
  std::string json = "{\"rung\": " + json_string(rung) +
                     ", \"kind\": " + json_string(complaint.kind) +
                     ", \"sentence\": " + json_string(complaint.sentence);
  for (const auto& [name, value] : complaint.numbers) {
    json += ", " + json_string(name) + ": " + python_number(value);
  }
  return json + "}";
}

/// Writes into a file of the directory that is for records, if there is one.
void write(const std::string& name, const std::string& text, std::ios::openmode mode) {
  const char* directory = std::getenv("TUTORIAL_RECORD_DIR");
  if (directory == nullptr || *directory == '\0') return;
  const std::string path = std::string(directory) + "/" + name;
  std::ofstream file(path, mode);
  file << text << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

void record(const AccuracyRecord& accuracy) {
  write("accuracy." + accuracy.chapter + "." + accuracy.rung + ".json",
        "{\"context\": " + json_context() + ",\n \"accuracy\": [" + accuracy_json(accuracy) + "]}",
        std::ios::trunc);
}

void record(const std::string& rung, const Complaint& complaint) {
  write("failures.jsonl", failure_json(rung, complaint), std::ios::app);
}

}  // namespace tutorial::test
