// Lines of the source by addr2line.

#include "common/trace/symbols.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace tutorial::trace {

namespace {

bool is_of(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// What the system, the compiler and NVIDIA bring.
bool is_systems(const std::string& file) {
  return file.empty() || file[0] == '?' || file[0] == '<' || starts_with(file, "/usr/") ||
         is_of(file, "/nvidia/") || is_of(file, "/crt/");
}

/// As the reader would name it.
std::string from_here(const std::string& file) {
  std::error_code unknown;
  const std::filesystem::path here = std::filesystem::current_path(unknown);
  const std::string near = std::filesystem::path(file).lexically_relative(here).string();
  return near.empty() || near.size() > file.size() ? file : near;
}

}  // namespace

std::uintptr_t load_base() {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
        return 1;  // the first is the program itself
      },
      &base);
  return base;
}

bool is_of_executor(const std::string& file) {
  return starts_with(file, "common/executor/") || starts_with(file, "common/run/");
}

/// The file's name from the root of the repository, if it lies in there. A compiler cache that several
/// clones share may name another one: what counts is whether this one has the file.
void Symbols::shorten(Frame& frame) const {
  frame.file = std::filesystem::path(frame.file).lexically_normal().string();
  const std::string root = std::string(TUTORIAL_ROOT) + "/";
  std::size_t begin = starts_with(frame.file, root) ? root.size() : 0;
  if (is_program_ && begin == 0) {
    frame.ours = frame.line != 0 && !is_systems(frame.file);
    if (frame.ours) frame.file = from_here(frame.file);
    return;
  }
  frame.ours = begin != 0;
  while (!frame.ours && (begin = frame.file.find('/', begin)) != std::string::npos) {
    const std::string rest = frame.file.substr(++begin);
    frame.ours = rest.find('/') != std::string::npos && std::filesystem::exists(root + rest);
  }
  if (frame.ours) frame.file.erase(0, begin);
  if (is_of(frame.file, "/nvidia/")) frame.ours = false;  // headers that were fetched into .deps
}

Symbols& Symbols::instance() {
  static Symbols symbols;
  return symbols;
}

Symbols::Symbols() : base_(load_base()) {
  std::string program(4096, '\0');
  const ssize_t length = readlink("/proc/self/exe", program.data(), program.size());
  program.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe to addr2line could be made");
  }
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("addr2line could not be started");
  if (child == 0) {
    dup2(down[0], 0);
    dup2(up[1], 1);
    execlp("addr2line", "addr2line", "-a", "-f", "-i", "-C", "-e", program.c_str(), nullptr);
    std::fprintf(stderr, "addr2line is not here: it belongs to binutils, as the linker does\n");
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  to_ = down[1];
  from_ = up[0];
}

/// addr2line answers a request with its address, and then two lines for each frame. It does not say
/// where an answer ends; so each request is followed by one for address 0, whose answer is known.
std::vector<Frame> Symbols::ask(std::uintptr_t address) {
  char question[64];
  const int length = std::snprintf(question, sizeof question, "%#llx\n0x0\n",
                                   static_cast<unsigned long long>(address));
  if (write(to_, question, static_cast<std::size_t>(length)) != length) return {};
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = pending_.find('\n');
    if (end == std::string::npos) {
      char buffer[4096];
      const ssize_t count = read(from_, buffer, sizeof buffer);
      if (count <= 0) throw std::runtime_error("addr2line has ended: is binutils installed?");
      pending_.append(buffer, static_cast<std::size_t>(count));
      continue;
    }
    lines.push_back(pending_.substr(0, end));
    pending_.erase(0, end + 1);
    const std::size_t count = lines.size();
    const bool is_end = count >= 4 && lines[count - 3].compare(0, 2, "0x") == 0 &&
                        std::strtoull(lines[count - 3].c_str(), nullptr, 16) == 0;
    if (is_end) break;
  }
  std::vector<Frame> frames;
  for (std::size_t i = 1; i + 4 < lines.size(); i += 2) {
    Frame frame;
    frame.function = lines[i];
    const std::size_t colon = lines[i + 1].rfind(':');
    frame.file = lines[i + 1].substr(0, colon);
    frame.line = colon == std::string::npos ? 0 : std::atoi(lines[i + 1].c_str() + colon + 1);
    shorten(frame);
    frames.push_back(frame);
  }
  return frames;
}

const std::vector<Frame>& Symbols::frames(std::uintptr_t pc) {
  const auto [entry, is_new] = known_.try_emplace(pc);
  if (is_new) entry->second = ask(pc - 1 - base_);  // the call lies before where it returns to
  return entry->second;
}

std::string Symbols::function_at(const void* address) {
  const std::vector<Frame> frames = ask(reinterpret_cast<std::uintptr_t>(address) - base_);
  return frames.empty() ? "" : frames.back().function;
}

bool Symbols::copies_pair(std::uintptr_t pc) {
  const std::vector<Frame>& chain = frames(pc);
  return chain.size() >= 2 && !chain[0].ours &&
         (is_of(chain[0].file, "cuda_fp16.h") || is_of(chain[0].file, "cuda_bf16.h"));
}

}  // namespace tutorial::trace
