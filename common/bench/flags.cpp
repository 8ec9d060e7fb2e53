// The flags of a benchmark program, read and checked.

#include "common/bench/flags.h"

#include "common/bench/shapes.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tutorial::bench {

namespace {

namespace fs = std::filesystem;

/// If the argument is `flag=VALUE`, sets `value` and returns true.
bool has_value(const std::string& argument, const std::string& flag, std::string& value) {
  if (argument.rfind(flag + "=", 0) != 0) return false;
  value = argument.substr(flag.size() + 1);
  return true;
}

void require_format(const std::string& flag, const std::string& format) {
  if (format == "console" || format == "json" || format == "csv") return;
  throw std::invalid_argument(flag + "=" + format + " is no format; write console, json or csv");
}

void require_writable(const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  const bool exists = fs::exists(path, ignored);
  const std::string place = exists ? path : folder.empty() ? "." : folder.string();
  if (fs::is_directory(path, ignored)) {
    throw std::invalid_argument("--benchmark_out=" + path + " is a folder; name a file inside it");
  }
  if (access(place.c_str(), W_OK) == 0) return;
  throw std::invalid_argument("--benchmark_out=" + path + " cannot be written (" +
                              std::strerror(errno) +
                              "); name a file in a folder that you can write to");
}

}  // namespace

Flags read_flags(int& argc, char** argv) {
  Flags flags;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    std::string value;
    if (has_value(argument, "--shapes", value)) {
      set_shapes(parse_shapes(value));
      flags.shapes_given = true;
      continue;
    }
    if (argument == "--shapes") {
      throw std::invalid_argument("--shapes needs its value after =, as in --shapes=1024x4096");
    }
    if (argument == "--help") {
      std::puts("--shapes=ROWSxCOLUMNS[,...]  time these shapes only, as in --shapes=4096x4096\n");
    }
    for (const char* flag : {"--benchmark_format", "--benchmark_out_format"}) {
      if (has_value(argument, flag, value)) require_format(flag, value);
    }
    if (has_value(argument, "--benchmark_out_format", value)) flags.out_json = value == "json";
    has_value(argument, "--benchmark_out", flags.out);
    has_value(argument, "--benchmark_filter", flags.filter);
    argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
  require_writable(flags.out);
  return flags;
}

void refuse_unknown_flags(int argc, char** argv) {
  if (argc < 2) return;
  throw std::invalid_argument(std::string(argv[1]) +
                              " is no flag of a benchmark, or has a wrong value; --help lists the "
                              "flags");
}

void require_whole_file(const Flags& flags) {
  std::error_code ignored;
  if (!flags.out_json || !fs::is_regular_file(flags.out, ignored)) return;
  std::ifstream file(flags.out, std::ios::ate);
  std::string end(2, ' ');
  file.seekg(-2, std::ios::end);
  file.read(end.data(), 2);
  if (file && end == "}\n") return;
  throw std::runtime_error(flags.out + " is incomplete: free some space on its disk, or name " +
                           "another file by --benchmark_out, and run again");
}

}  // namespace tutorial::bench
