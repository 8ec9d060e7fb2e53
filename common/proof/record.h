// Results of tests: errors, kept for the README, and what failed, for ./tutorial test --yours.
#pragma once

#include "common/proof/complaint.h"
#include "common/proof/unary.h"

#include <string>

namespace tutorial::test {

/// The text as JSON writes it, in quotation marks.
std::string json_string(const std::string& text);

/// The number with all its digits; null for an infinity and a NaN, which JSON does not know.
std::string json_number(double value);

/// The names and values of run_context() (context.h).
std::string json_context();

/// One line of the accuracy table.
struct AccuracyRecord {
  std::string chapter;
  std::string rung;
  std::string dtype;
  double bound;
  WorstError worst;
};

/// Writes accuracy.<chapter>.<rung>.json into the directory that TUTORIAL_RECORD_DIR names; does
/// nothing without it. Throws std::runtime_error if the file cannot be written.
void record(const AccuracyRecord& accuracy);

/// Appends the complaint to failures.jsonl there, a JSON object in a line: its kind, sentence and
/// numbers, and the rung. NaN and the infinities are written as Python reads them.
void record(const std::string& rung, const Complaint& complaint);

}  // namespace tutorial::test
