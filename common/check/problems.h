// What the checks have found, as sentences that begin with a line of the source.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tutorial::check {

/// A line of the source, as a problem names it.
struct Place {
  std::string file;  ///< from the root of the repository
  int line = 0;
  std::string
      inside;  ///< " (in ReadData, common/pack.cuh:31)" if a called function is meant; or empty

  std::string name() const { return file + ":" + std::to_string(line); }
};

/// The line that the hook which returns to `pc` was called for: that of the kernel. Empty file: none
/// of ours.
Place place_of(std::uintptr_t pc);

/// The names of a kernel's parameters as its source has them; fewer, or none, if that is not clear.
std::vector<std::string> parameter_names(const void* kernel);

/// What the source says of a shared array.
struct Declaration {
  std::string name;         ///< of dynamic shared memory: that of the pointer to it
  std::size_t element = 0;  ///< bytes; 0: not known, or an array of arrays
};

/// The last declaration before the line `where` of a `__shared__` variable called `name`; with an
/// empty name: of DYNAMIC_SHARED.
Declaration declaration_of(const std::string& name, const Place& where);

/// The problems of a program.
class Problems {
 public:
  /// Follows every sentence from now on: "n = 1027".
  void set_context(const std::string& context) { context_ = context; }

  /// Of a kind one is kept for each line: the first.
  void add(const std::string& kind, const Place& place, const std::string& sentence) {
    add_once(kind + " " + place.name(), place, sentence);
  }

  /// Of a key one is kept. `first`: it stands before all others, because these may follow from it.
  void add_once(const std::string& key, const Place& place, const std::string& sentence,
                bool first = false);

  /// What is legal and deserves a word: the first of a line.
  void add_note(const Place& place, const std::string& sentence);

  bool is_new(const std::string& key) const { return known_.count(key) == 0; }
  bool empty() const { return lines_.empty(); }
  /// Writes the first few, each with its line of the source, and the notes (see/said.h).
  void print() const;

 private:
  struct Line {
    Place place;
    std::string sentence;
  };
  std::set<std::string> known_;
  std::vector<Line> lines_;
  std::map<std::string, std::string> notes_;  // by place
  std::string context_;
};

}  // namespace tutorial::check
