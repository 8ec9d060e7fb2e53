// One launch with the controls that a page, or a test, sets: its accesses as `./tutorial trace` counts them, its
// sums, and which thread met another's shared slot too early.

#include "common/live/live.h"

#include "common/executor/device_memory.h"
#include "common/executor/executor.h"
#include "common/executor/shared_variables.h"
#include "common/executor/watcher.h"
#include "common/refusal.h"
#include "common/trace/json.h"
#include "common/trace/recorder.h"
#include "common/trace/symbols.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

namespace tutorial::live {

std::vector<Kernel>& kernels() {
  static std::vector<Kernel> all;
  return all;
}

namespace {

using trace::Json;
using trace::Recorder;

/// The first access to a shared slot that came too early or too late: another warp's, one of both a store, with no
/// barrier between them.
class Slots : public cpu::Watcher {
 public:
  void block_begins() override {
    touched_.clear();
    for (const cpu::SharedVariable& one : cpu::shared_variables())
      std::memset(one.begin, 0xFF,
                  one.bytes);  // NaN, as the executor leaves it where nobody traces
  }
  void barrier_completes(unsigned, bool) override { touched_.clear(); }

  void access(const trace::Seen& seen) {
    if (cpu::running_block == nullptr || !said_.empty()) return;
    if (!cpu::is_shared_variable(reinterpret_cast<const void*>(seen.address))) return;
    const Touch now{threadIdx.x, seen.operation == trace::Operation::store, seen.pc};
    for (const Touch& other : touched_[seen.address]) {
      if (other.thread / 32 == now.thread / 32 || (!other.stores && !now.stores)) continue;
      said_ = sentence(other, now, seen.address);
      return;
    }
    touched_[seen.address].push_back(now);
  }

  const std::string& said() const { return said_; }

 private:
  struct Touch {
    unsigned thread;
    bool stores;
    std::uintptr_t pc;
  };

  static std::string line_of(const Touch& touch) {
    for (const trace::Frame& frame : trace::Symbols::instance().frames(touch.pc)) {
      if (frame.ours) return " (line " + std::to_string(frame.line) + ")";
    }
    return "";
  }

  static std::string sentence(const Touch& first, const Touch& second, std::uintptr_t address) {
    std::size_t slot = 0;
    for (const cpu::SharedVariable& one : cpu::shared_variables()) {
      const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(one.begin);
      if (offset < one.bytes) slot = offset / sizeof(float);
    }
    return "Thread " + std::to_string(first.thread) + (first.stores ? " overwrites" : " reads") +
           " slot " + std::to_string(slot) + line_of(first) + " before thread " +
           std::to_string(second.thread) + " has " + (second.stores ? "written" : "read") + " it" +
           line_of(second) + ".";
  }

  std::map<std::uintptr_t, std::vector<Touch>> touched_;  // since the last barrier
  std::string said_;
};

Slots* slots = nullptr;

/// "01_elu f16x8 n=1000 x=2": two words, and numbers by their names.
struct Order {
  std::string chapter, rung;
  std::map<std::string, std::int64_t> numbers;

  explicit Order(const std::string& text) {
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = std::min(text.find(' ', begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      const std::size_t equals = word.find('=');
      if (equals != std::string::npos)
        numbers[word.substr(0, equals)] = std::atoll(&word[equals + 1]);
      else
        (chapter.empty() ? chapter : rung) = word;
    }
  }

  std::int64_t number(const char* name, std::int64_t otherwise) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? otherwise : found->second;
  }

  Controls controls() const {
    const auto small = [&](const char* name, int otherwise) {
      return static_cast<int>(number(name, otherwise));
    };
    return {number("n", 1000),
            small("threads", 128),
            small("width", 16),
            {small("first", 1) != 0, small("second", 1) != 0}};
  }
};

/// Of float and half: 1 in each, so that a sum of them is known.
void fill(char* memory, std::size_t bytes, std::size_t element) {
  const unsigned one = element == 4 ? 0x3F800000U : 0x3C00U;
  for (std::size_t i = 0; i + element <= bytes; i += element)
    std::memcpy(memory + i, &one, element);
}

void write_sums(Json& json, const Kernel& kernel, const Pointers& at, std::int64_t count) {
  std::string sums = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = static_cast<const float*>(at[kernel.arrays.size() - 1])[i];
    sums += (i > 0 ? "," : "") +
            (std::isnan(value) ? std::string("null") : std::to_string(std::lround(value)));
  }
  json.plain("sums", sums + "]");
}

void run(const Kernel& kernel, const Order& order, Json& json) {
  const Controls set = order.controls();
  auto& memory = cpu::DeviceMemory::instance();
  Pointers at{};
  std::vector<trace::Buffer> buffers;
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    const Array& array = kernel.arrays[i];
    const bool is_output = i + 1 == kernel.arrays.size();
    const std::int64_t elements = array.elements > 0 ? array.elements : set.n;
    const std::size_t bytes = static_cast<std::size_t>(elements) * array.element;
    at[i] = memory.allocate(bytes, static_cast<std::size_t>(order.number(array.name.c_str(), 0)));
    if (at[i] == nullptr) throw std::bad_alloc();
    if (!is_output) fill(static_cast<char*>(at[i]), bytes, array.element);
    buffers.push_back({array.name, reinterpret_cast<std::uintptr_t>(at[i]), bytes, array.element,
                       std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes)});
  }
  Slots watched;
  slots = &watched;
  const bool has_barriers = kernel.controls == std::vector<std::string>{"barriers"};
  cpu::watcher = has_barriers ? &watched : nullptr;
  Recorder::watch();
  cpu::set_thread_order(order.number("reverse", 0) != 0 ? cpu::Order::reverse
                                                        : cpu::Order::forward);
  Recorder& recorder = Recorder::instance();
  recorder.start(std::move(buffers), order.number("warp", -1));
  static void (*const record)(const trace::Seen&) = trace::on_access;
  trace::on_access = [](const trace::Seen& seen) {
    record(seen);
    if (cpu::watcher != nullptr) slots->access(seen);
  };
  refuse(cudaSuccess, "");
  const cudaError_t error = kernel.launch(at, set);
  recorder.stop();
  cpu::watcher = nullptr;
  json.text("rung", kernel.rung);
  json.number("elements", set.n);
  if (error != cudaSuccess) {
    json.text("refused", std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error) +
                             (last_refusal().empty() ? "" : "; " + last_refusal()));
  }
  trace::write_launches(json, recorder);
  if (has_barriers) {
    write_sums(json, kernel, at, kernel.arrays.back().elements);
    if (!watched.said().empty()) json.text("conflict", watched.said());
  }
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) memory.release(at[i]);
}

std::string list() {
  Json json;
  json.begin("rungs", '[');
  for (const Kernel& kernel : kernels()) {
    json.begin("", '{');
    json.text("chapter", kernel.chapter);
    json.text("rung", kernel.rung);
    json.begin("arrays", '[');
    for (const Array& array : kernel.arrays) json.text("", array.name);
    json.end(']');
    json.begin("controls", '[');
    for (const std::string& control : kernel.controls) json.text("", control);
    json.end(']');
    json.end('}');
  }
  json.end(']');
  return json.text();
}

std::string answer;

}  // namespace

/// "list", or "01_elu f16x8 n=1000 x=2 warp=0"; in a browser the answer is complete when the call has returned
/// for good.
void ask(const std::string& text) {
  answer.clear();
  if (text == "list") {
    answer = list();
    return;
  }
  const Order order(text);
  for (const Kernel& kernel : kernels()) {
    if (kernel.chapter != order.chapter || kernel.rung != order.rung) continue;
    Json json;
    run(kernel, order, json);
    answer = json.text();
  }
}

}  // namespace tutorial::live

extern "C" {

void tutorial_ask(const char* text) { tutorial::live::ask(text); }
const char* tutorial_answer() { return tutorial::live::answer.c_str(); }

}  // extern "C"

#if !defined(__EMSCRIPTEN__)
#include <iostream>

/// Outside of browsers: a question a line, an answer a line.
int main() {
  for (std::string line; std::getline(std::cin, line);) {
    tutorial_ask(line.c_str());
    std::cout << tutorial_answer() << "\n";
  }
}
#endif
