// The main program of a fuzz target: random inputs. They are tried in a child process, so that a crash,
// whatever kind it is, leaves a parent that knows which input it was.

#include "common/proof/context.h"
#include "common/proof/fuzz/input.h"
#include "common/proof/fuzz/tally.h"
#include "common/proof/fuzz/values.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace tutorial::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kSecondsPerInput = 120;  // one that takes longer hangs
constexpr int kOneSided = 3;                // the exit code of a run that has tried too little

struct Options {
  std::string program;
  std::uint64_t runs = 0, seed = 1, first = 0, max_total_time = 0;
};

/// Where the child is, for the parent.
struct Progress {
  std::uint64_t index;
  bool is_finished;
};

void try_input(std::uint64_t seed, std::uint64_t index) {
  Sequence sequence(seed ^ index * 0x2545f4914f6cdd1d);
  std::vector<std::uint8_t> bytes(16 + sequence.next() % 96);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(sequence.next() >> 32);
  FuzzInput input(bytes.data(), bytes.size());
  try {
    fuzz::try_input(input);
  } catch (const Violation& violation) {
    std::fprintf(stderr, "\nbroken promise: %s\n", violation.what.c_str());
    std::abort();
  }
}

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

/// The exit code of `body` in a process of its own: what it returns, or -1 if it does not.
template <class Body>
int in_child(const Body& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(2);
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // who stops the parent stops the child
    std::exit(body());                 // by exit(): LeakSanitizer looks then
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// ---- What was tried -----------------------------------------------------------------------------

/// Prints the tally; kOneSided if some operation was never refused, or always.
int summarise() {
  int code = 0;
  for (const auto& [operation, counts] : tally().counts()) {
    std::printf("  %-28s %9llu succeeded %9llu refused\n", operation.c_str(),
                static_cast<unsigned long long>(counts.succeeded),
                static_cast<unsigned long long>(counts.refused));
    if (counts.succeeded == 0 || counts.refused == 0) code = kOneSided;
  }
  return code;
}

/// In the short form of recorded files, as runs.py writes it.
void record(const Options& options, std::uint64_t inputs, double seconds) {
  const char* folder = std::getenv("TUTORIAL_RECORD_DIR");
  if (folder == nullptr) return;
  std::ofstream file(std::string(folder) + "/fuzz." + options.program + ".json");
  file << "{\n  \"context\": {";
  const char* comma = "";
  for (const auto& [name, value] : test::run_context()) {
    if (name.rfind("gpu", 0) == 0 || name == "driver") continue;
    file << comma << '"' << name << "\": \"" << value << '"';
    comma = ", ";
  }
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  file << ", \"date\": \"" << date << "\", \"sanitizers\": "
#if defined(__SANITIZE_ADDRESS__)
       << "\"address, undefined\"";
#else
       << "\"none\"";
#endif
  file << "},\n  \"fuzz\": {\n    \"seed\": " << options.seed << ",\n    \"inputs\": " << inputs
       << ",\n    \"seconds\": " << static_cast<std::uint64_t>(seconds)
       << ",\n    \"operations\": [";
  comma = "";
  for (const auto& [operation, counts] : tally().counts()) {
    file << comma << "\n      {\"operation\": \"" << operation
         << "\", \"succeeded\": " << counts.succeeded << ", \"refused\": " << counts.refused << "}";
    comma = ",";
  }
  file << "\n    ]\n  }\n}\n";
}

/// Inputs until the runs or the time are over. The child's part.
int try_all(const Options& options, Progress* progress) {
  const Clock::time_point began = Clock::now();
  std::uint64_t index = options.first;
  const auto is_over = [&] {
    if (options.runs > 0 && index - options.first >= options.runs) return true;
    return options.max_total_time > 0 &&
           seconds_since(began) >= static_cast<double>(options.max_total_time);
  };
  for (; !is_over(); ++index) {
    progress->index = index;
    alarm(kSecondsPerInput);
    try_input(options.seed, index);
  }
  alarm(0);
  progress->is_finished = true;
  const double seconds = seconds_since(began);
  const std::uint64_t inputs = index - options.first;
  std::printf("%s: %llu inputs, seed %llu, %.1f s\n", options.program.c_str(),
              static_cast<unsigned long long>(inputs),
              static_cast<unsigned long long>(options.seed), seconds);
  const int code = options.first == 0 ? summarise() : 0;
  if (code != 0) std::puts("an operation was never refused, or always: more inputs, or a bad mix");
  record(options, inputs, seconds);
  return code;
}

// ---- The command line ---------------------------------------------------------------------------

[[noreturn]] void usage(const std::string& program) {
  std::fprintf(stderr,
               "usage: %s [-runs=N] [-seed=N] [-first=N] [-max_total_time=SECONDS]: tries random "
               "inputs, from the first on\n",
               program.c_str());
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  const std::string path = argv[0];
  options.program = path.substr(path.find_last_of('/') + 1);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&](const std::string& name, std::uint64_t* value) {
      if (word.rfind(name, 0) != 0) return false;
      char* end = nullptr;
      *value = std::strtoull(word.c_str() + name.size(), &end, 10);
      if (*end != '\0' || end == word.c_str() + name.size()) usage(options.program);
      return true;
    };
    if (!number("-runs=", &options.runs) && !number("-seed=", &options.seed) &&
        !number("-first=", &options.first) &&
        !number("-max_total_time=", &options.max_total_time)) {
      usage(options.program);
    }
  }
  if (options.runs == 0 && options.max_total_time == 0) options.runs = 10000;
  return options;
}

int fuzz(const Options& options) {
  void* const shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  auto* const progress = static_cast<Progress*>(shared);
  const int code = in_child([&] { return try_all(options, progress); });
  if (code == 0) return 0;
  if (!progress->is_finished) {
    const auto seed = static_cast<unsigned long long>(options.seed);
    const auto index = static_cast<unsigned long long>(progress->index);
    std::printf("%s: input %llu fails; to see it again: %s -seed=%llu -first=%llu -runs=1\n",
                options.program.c_str(), index, options.program.c_str(), seed, index);
  }
  return 1;
}

}  // namespace
}  // namespace tutorial::fuzz

int main(int argc, char** argv) { return tutorial::fuzz::fuzz(tutorial::fuzz::parse(argc, argv)); }
