// The variables of the program: those that it declares `__device__` or `__constant__` are memory of the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace tutorial::check {

struct Variable {
  std::string name;  ///< "table", "Table::entries"
  const char* begin;
  std::size_t bytes;
};

/// As the program's symbol table has them: none in one that was stripped.
class Variables {
 public:
  static const Variables& instance();

  /// The variable that an address lies in; nullptr: none, or one of the executor's or the library's.
  const Variable* at(std::uintptr_t address) const;

  /// The variable that an access from this line to the address was meant for: one that the line names, which
  /// ends before or begins behind it, or, where the address is no variable's, the one before it; or nullptr.
  const Variable* meant(std::uintptr_t address, const std::string& line) const;

 private:
  Variables();
  const Variable* symbol_at(std::uintptr_t address) const;

  // And the tables of virtual functions, which have no name.
  std::map<std::uintptr_t, Variable> variables_;
};

}  // namespace tutorial::check
