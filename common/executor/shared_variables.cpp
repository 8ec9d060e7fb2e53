// Where the linker puts `__shared__` variables, and the poison that every block finds in them.

#include "common/executor/shared_variables.h"

#include "common/executor/block.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutorial::cpu {
namespace {

using std::string_view;

/// How qualifiers.h names marks, and tags variables, in their mangled names.
constexpr string_view kMark = "tutorial_shared_mark_";
constexpr string_view kTag = "B15tutorial_shared";

/// A file in memory; empty if it cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* const memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) data_ = static_cast<const char*>(memory);
    }
    if (file >= 0) close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  }

  /// `count` objects at `offset`; nullptr if the file does not hold them.
  template <class T>
  const T* at(std::size_t offset, std::size_t count = 1) const {
    if (data_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Calls visit(name, offset in the thread-local block, size) for each thread-local symbol.
template <class Visit>
void visit_thread_locals(const char* path, const Visit& visit) {
  const MappedFile file(path);
  const auto* header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto* sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
    const std::size_t count = sections[i].sh_size / sizeof(ElfW(Sym));
    const auto* symbols = file.at<ElfW(Sym)>(sections[i].sh_offset, count);
    const ElfW(Shdr)& text = sections[sections[i].sh_link];
    const char* const names = file.at<char>(text.sh_offset, text.sh_size);
    if (symbols == nullptr || names == nullptr) return;
    for (std::size_t k = 0; k < count; ++k) {
      if ((symbols[k].st_info & 0xf) != STT_TLS || symbols[k].st_name >= text.sh_size) continue;
      visit(string_view(names + symbols[k].st_name), symbols[k].st_value, symbols[k].st_size);
    }
  }
}

/// The file that this code was loaded from: the program, or a library that was built with it.
std::string path_of_this_module() {
  struct Search {
    std::uintptr_t address;
    std::string path;
  } search{reinterpret_cast<std::uintptr_t>(&poison_shared_variables), "/proc/self/exe"};
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (int i = 0; i < module->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = module->dlpi_phdr[i];
          const std::uintptr_t offset = wanted.address - (module->dlpi_addr + part.p_vaddr);
          if (part.p_type != PT_LOAD || offset >= part.p_memsz) continue;
          if (module->dlpi_name[0] != '\0') wanted.path = module->dlpi_name;
          return 1;
        }
        return 0;
      },
      &search);
  return search.path;
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// The identifier in a mangled name whose length stands at `at`, if it ends at `end`.
string_view identifier_at(string_view name, std::size_t at, std::size_t end) {
  std::size_t length = 0;
  const char* const begin = std::from_chars(name.data() + at, name.data() + end, length).ptr;
  return begin + length == name.data() + end ? string_view(begin, length) : string_view();
}

/// A local variable.
struct Local {
  string_view function, name;
};

/// Those in the mangled name _ZZ <function> E <length> <variable> ... of a local variable, whose
/// identifier ends at `end`. Empty if it is none.
Local local_of(string_view name, std::size_t end) {
  if (name.substr(0, 3) != "_ZZ") return {};
  for (std::size_t i = end; i-- > 3;) {
    const string_view variable = identifier_at(name, i, end);
    if (name[i - 1] == 'E' && !variable.empty()) return {name.substr(0, i), variable};
  }
  return {};
}

/// The identifier that ends at `end` in a mangled name, behind its length.
string_view identifier_before(string_view name, std::size_t end) {
  for (std::size_t i = 0; i < end; ++i) {
    if (i > 0 && is_digit(name[i - 1])) continue;
    const string_view variable = identifier_at(name, i, end);
    if (!variable.empty()) return variable;
  }
  return name.substr(0, end);
}

/// A variable in the block of this module's thread-local variables, which each thread has.
struct Range {
  std::size_t offset;
  std::size_t bytes;
  std::string name;
};

/// Whether the offset lies in one of them.
bool any_holds(const std::vector<Range>& ranges, std::size_t offset) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [offset](const Range& range) { return offset - range.offset < range.bytes; });
}

/// Whether a mark was passed outside of kernels.
std::atomic<bool> may_be_of_files{false};

/// The functions with `__shared__` variables, by number; made once.
class Functions {
 public:
  static const Functions& instance() {
    static const Functions functions;
    return functions;
  }

  /// Where this thread's block begins.
  char* block_of_this_thread() const {
    return reinterpret_cast<char*>(&threadIdx) - offset_of_thread_index_;
  }

  /// Of an address in this thread's block; larger than all that is in it for any other.
  std::size_t offset_of(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) -
           reinterpret_cast<std::uintptr_t>(block_of_this_thread());
  }

  std::size_t count() const { return variables_.size(); }
  const std::vector<std::vector<Range>>& variables() const { return variables_; }

  /// The function with a variable at that offset; count() for one that is declared outside of functions, more for none.
  std::size_t function_with(std::size_t offset) const {
    const auto found =
        std::find_if(variables_.begin(), variables_.end(),
                     [&](const auto& of_function) { return any_holds(of_function, offset); });
    return static_cast<std::size_t>(found - variables_.begin()) +
           (found == variables_.end() && !any_holds(of_files_, offset) ? 1 : 0);
  }

  void poison(SharedOfThread& of_thread, std::size_t function) const {
    if (std::exchange(of_thread.poisoned[function], *of_thread.block) == *of_thread.block) return;
    for (const Range& variable : variables_[function]) {
      std::memset(of_thread.thread_locals + variable.offset, 0xFF, variable.bytes);
    }
  }

  /// Those that are declared outside of functions.
  const std::vector<Range>& of_files() const { return of_files_; }

  /// The notes of variables that have been constructed.
  const std::vector<Range>& guards() const { return guards_; }

  /// The function of the mark at an offset in the block; count() if it is not known.
  std::size_t function_of_mark(std::size_t offset) const {
    const auto entry = marks_.find(offset);
    return entry != marks_.end() ? entry->second : count();
  }

 private:
  Functions() {
    std::unordered_map<std::string, std::size_t> numbers;
    const auto number_of = [&](string_view function) {
      const auto entry = numbers.try_emplace(std::string(function), numbers.size()).first;
      variables_.resize(numbers.size());
      return entry->second;
    };
    const std::string path = path_of_this_module();
    visit_thread_locals(path.c_str(), [&](string_view name, std::size_t offset, std::size_t bytes) {
      if (name == "threadIdx") offset_of_thread_index_ = offset;
      const std::size_t tag = name.rfind(kTag), mark = name.rfind(kMark);
      if (name.substr(0, 4) == "_ZGV") {
        guards_.push_back({offset, bytes, ""});
        return;
      }
      if (tag != string_view::npos) {
        const auto [function, variable] = local_of(name, tag);
        if (function.empty()) {
          of_files_.push_back({offset, bytes, std::string(identifier_before(name, tag))});
        } else {
          variables_[number_of(function)].push_back({offset, bytes, std::string(variable)});
        }
      } else if (mark != string_view::npos) {
        std::size_t end = mark + kMark.size();
        while (end < name.size() && is_digit(name[end])) ++end;
        const string_view function = local_of(name, end).function;
        if (!function.empty()) marks_[offset] = number_of(function);
      }
    });
  }

  std::size_t offset_of_thread_index_ = 0;
  std::vector<std::vector<Range>> variables_;
  std::vector<Range> of_files_;
  std::vector<Range> guards_;
  std::unordered_map<std::size_t, std::size_t> marks_;
};

}  // namespace

std::vector<SharedVariable> shared_variables() {
  const Functions& functions = Functions::instance();
  std::vector<SharedVariable> all;
  const auto add = [&](const std::vector<Range>& variables) {
    for (const Range& variable : variables) {
      all.push_back(
          {variable.name, functions.block_of_this_thread() + variable.offset, variable.bytes});
    }
  };
  for (const auto& of_function : functions.variables()) add(of_function);
  add(functions.of_files());
  return all;
}

SharedOfThread& shared_of_this_thread() {
  const Functions& functions = Functions::instance();
  thread_local SharedOfThread mine{functions.block_of_this_thread(), &block_number,
                                   std::vector<std::uint64_t>(functions.count())};
  return mine;
}

bool is_shared_variable(const void* address) {
  const Functions& functions = Functions::instance();
  return functions.function_with(functions.offset_of(address)) <= functions.count();
}

char* place_on(SharedOfThread& other, const void* address) {
  const Functions& functions = Functions::instance();
  const std::size_t offset = functions.offset_of(address),
                    function = functions.function_with(offset);
  if (function > functions.count()) return nullptr;
  if (function < functions.count()) functions.poison(other, function);
  return other.thread_locals + offset;
}

bool is_guard(std::uintptr_t address) {
  const Functions& functions = Functions::instance();
  return any_holds(functions.guards(),
                   address - reinterpret_cast<std::uintptr_t>(functions.block_of_this_thread()));
}

void poison_shared_variables_of_files() {
  if (!may_be_of_files) return;
  const Functions& functions = Functions::instance();
  char* const block = functions.block_of_this_thread();
  for (const Range& variable : functions.of_files()) {
    std::memset(block + variable.offset, 0xFF, variable.bytes);
  }
}

void poison_shared_variables(SharedMark& mark) {
  mark.block = block_number;
  if (running_block == nullptr) {  // at the program's start, for one of a file
    may_be_of_files = true;
    return;
  }
  const Functions& functions = Functions::instance();
  const std::size_t function = functions.function_of_mark(functions.offset_of(&mark));
  if (function != functions.count()) functions.poison(shared_of_this_thread(), function);
}

}  // namespace tutorial::cpu
