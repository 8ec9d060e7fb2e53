// What was recorded, as JSON: the tools in common/tools draw and compare it.
#pragma once

#include "common/bench/bench.h"
#include "common/trace/recorder.h"

#include <string>

namespace tutorial::trace {

/// Writes JSON, one thing after the other; commas are its business.
class Json {
 public:
  Json() : text_("{") {}

  void begin(const std::string& name, char bracket);  ///< name: empty within a list
  void end(char bracket);
  void text(const std::string& name, const std::string& value);
  void number(const std::string& name, std::uint64_t value);
  void signed_number(const std::string& name, std::int64_t value);
  void plain(const std::string& name, const std::string& value);

  std::string text() const { return text_ + "}"; }

 private:
  void separate(const std::string& name);

  std::string text_;
};

/// A rung's names, at which shapes it runs, what it claims.
void write_name(Json& json, const bench::Case& operation);

/// A list "launches": what each asked for.
void write_launches(Json& json, const Recorder& recorder);

/// A traced rung. `wrong`: what is wrong with its output, or empty.
void write_rung(Json& json, const bench::Case& operation, const bench::NamedShape& shape,
                const std::string& wrong, const Recorder& recorder);

}  // namespace tutorial::trace
