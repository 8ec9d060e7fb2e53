// What was recorded, as JSON: the tools in common/tools draw and compare it.
#pragma once

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
  template <class T>
  void number(const std::string& name, T value) {
    plain(name, std::to_string(value));
  }
  void plain(const std::string& name, const std::string& value);

  std::string text() const { return text_ + "}"; }

 private:
  void separate(const std::string& name);

  std::string text_;
};

/// A list "buffers": of each, how many bytes were touched once, and how many more often.
void write_buffers(Json& json, const Recorder& recorder);

/// What a launch asked for. with_buffers: the recorder has seen nothing else.
void write_launch(Json& json, const LaunchRecord& launch, const Recorder& recorder,
                  bool with_buffers = false);

/// A list "launches".
void write_launches(Json& json, const Recorder& recorder);

}  // namespace tutorial::trace
