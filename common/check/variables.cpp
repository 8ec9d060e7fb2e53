// The symbol table's variables.

#include "common/check/variables.h"

#include "common/trace/symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace tutorial::check {

namespace {

/// Empty for what no source of the program's declares.
std::string name_of(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = text != nullptr ? text : symbol;
  std::free(text);
  for (const char* const theirs :
       {"tutorial::", "std::", "__", "guard variable", "vtable", "typeinfo", "VTT", "boost::"}) {
    if (name.compare(0, std::string(theirs).size(), theirs) == 0) return "";
  }
  const std::string unnamed = "(anonymous namespace)::";
  if (const std::size_t at = name.find(unnamed); at != std::string::npos)
    name.erase(at, unnamed.size());
  const std::size_t local = name.rfind(")::");  // of a function
  return local == std::string::npos ? name : name.substr(local + 3);
}

/// Whether the line has the name as a word.
bool names(const std::string& line, const std::string& name) {
  const auto is_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end])))
      return true;
  }
  return false;
}

}  // namespace

const Variables& Variables::instance() {
  static const Variables variables;
  return variables;
}

Variables::Variables() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
  const std::uintptr_t base = trace::load_base();
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(image.data());
  if (image.size() < sizeof *header) return;
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(image.data() + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols =
        reinterpret_cast<const ElfW(Sym)*>(image.data() + sections[i].sh_offset);
    const char* const names = image.data() + sections[sections[i].sh_link].sh_offset;
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof(ElfW(Sym)); ++k) {
      const ElfW(Sym)& symbol = symbols[k];
      if ((symbol.st_info & 0xf) != STT_OBJECT || symbol.st_size == 0) continue;
      const std::string name = name_of(names + symbol.st_name);
      const bool is_of_class = std::strncmp(names + symbol.st_name, "_ZT", 3) == 0;
      if (name.empty() && !is_of_class) continue;
      const std::uintptr_t begin = base + symbol.st_value;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the address of a variable
      variables_[begin] = {name, reinterpret_cast<const char*>(begin), symbol.st_size};
    }
  }
}

const Variable* Variables::symbol_at(std::uintptr_t address) const {
  const auto above = variables_.upper_bound(address);
  if (above == variables_.begin()) return nullptr;
  const auto& [begin, variable] = *std::prev(above);
  return address - begin < variable.bytes ? &variable : nullptr;
}

const Variable* Variables::at(std::uintptr_t address) const {
  const Variable* const found = symbol_at(address);
  return found == nullptr || found->name.empty() ? nullptr : found;
}

const Variable* Variables::meant(std::uintptr_t address, const std::string& line) const {
  constexpr std::uintptr_t kNear = 1 << 16;
  const Variable* const found = symbol_at(address);
  if (found != nullptr && found->name.empty()) return nullptr;
  if (found != nullptr && names(line, found->name)) return found;
  const Variable* before = nullptr;
  for (auto entry = variables_.lower_bound(address - kNear);
       entry != variables_.end() && entry->first < address + kNear; ++entry) {
    const Variable& variable = entry->second;
    if (variable.name.empty()) continue;
    if (entry->first <= address) before = &variable;
    if (names(line, variable.name)) return &variable;
  }
  return found != nullptr ? found : before;
}

}  // namespace tutorial::check
