// What the checks have found, as sentences that begin with a line of the source.
#pragma once

#include <cstdint>
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

/// A text whose names of files begin at the root of the repository. A compiler cache may have made them
/// relative to the folder of the build.
std::string from_root(std::string text);

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

/// Line `number` of a file without the blanks before it; empty if there is none.
std::string source_line(const std::string& file, int number);

/// What a line makes of memory that it allocates: "x" of `int* x = new int[2]` and of `std::vector<int> x(2)`; or empty.
std::string allocated_as(const std::string& line);

/// The last declaration before the line `where` of a `__shared__` variable called `name`; with an
/// empty name: of DYNAMIC_SHARED.
Declaration declaration_of(const std::string& name, const Place& where);

/// A problem, or what is worth a word.
struct Finding {
  Place place;
  std::string sentence;
};

/// The problems of a program.
class Problems {
 public:
  /// Follows every sentence from now on: "n = 1027".
  void set_context(const std::string& context) { context_ = context; }

  const std::string& context() const { return context_; }

  /// Of a kind one is kept for each line: the first.
  void add(const std::string& kind, const Place& place, const std::string& sentence) {
    add_once(kind + " " + place.name(), place, sentence);
  }

  /// Of a key one is kept. `first`: it stands before all others, because these may follow from it.
  void add_once(const std::string& key, const Place& place, const std::string& sentence,
                bool first = false);

  /// What is worth a word, and no fault.
  void remark(const std::string& key, const Place& place, const std::string& sentence);
  /// An error that nobody has asked for yet, and now somebody has.
  void error_is_left(const Place& place, const std::string& sentence);
  void error_is_asked_for() { errors_.clear(); }

  bool is_new(const std::string& key) const { return known_.count(key) == 0; }
  bool empty() const { return problems_.empty(); }
  /// Writes the first few, and the remarks, to stderr, each with its line of the source.
  void print() const;

 private:
  static void print(const char* what, const std::vector<Finding>& findings);

  std::set<std::string> known_;
  std::vector<Finding> problems_, remarks_, errors_;
  std::string context_;
};

}  // namespace tutorial::check
