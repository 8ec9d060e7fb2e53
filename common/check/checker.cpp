// The rules.

#include "common/check/checker.h"

#include "common/executor/device_memory.h"
#include "common/executor/shared_variables.h"
#include "common/executor/worker.h"
#include "common/see/said.h"
#include "common/trace/extent.h"
#include "common/trace/symbols.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tutorial::check {

using trace::Extent;
using trace::Operation;
using trace::Seen;

namespace {

constexpr unsigned kLanes = 32;

/// Addresses around a shared array that belong to nobody.
constexpr std::size_t kSharedReach = 32768;

/// The program's code and constants, and those of its libraries.
std::vector<Extent> images() {
  std::vector<Extent> all;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          static_cast<std::vector<Extent>*>(result)->push_back({begin, begin + part.p_memsz});
        }
        return 0;
      },
      &all);
  return all;
}

Extent stack_of_this_thread() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return trace::extent_of(begin, bytes);
}

/// How long one block may take, in seconds of the processor. A launch has an end if its blocks have, and takes
/// as long as it is large.
long limit_seconds() {
  const char* const value = std::getenv("TUTORIAL_CHECK_SECONDS");
  const long seconds = value == nullptr ? 10 : std::strtol(value, nullptr, 10);
  return std::max(seconds, 1L);
}

void set_timer(long seconds, long microseconds = 0) {
  itimerval timer{};
  timer.it_value = {seconds, microseconds};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);  // not what the system spends on new memory
}

std::uintptr_t interrupted_at([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

void on_timer(int, siginfo_t*, void* context) {
  Checker::instance().time_is_over(interrupted_at(context) + 1);
}

void on_crash(int signal) { Checker::instance().crash(strsignal(signal)); }

void handle_signals() {
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.sa_sigaction = on_timer;
  sigaction(SIGVTALRM, &action, nullptr);
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  action.sa_handler = on_crash;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

/// A text whose names of files begin at the root of the repository. A compiler cache may have made them
/// relative to the folder of the build.
std::string from_root(std::string text) {
  for (const std::string& start : {std::string(TUTORIAL_ROOT) + "/", std::string("../")}) {
    for (std::size_t at; (at = text.find(start)) != std::string::npos;) {
      text.erase(at, start.size());
    }
  }
  return text;
}

std::string plural(std::int64_t count, const std::string& one, const std::string& many = "") {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

/// Whether the access is made by a function of the executor that a kernel's source compiles: such as
/// the reductions of a warp; or, where `or_inlined`, one that is inlined into a kernel, but for those
/// that access what the kernel names.
bool is_executors(std::uintptr_t pc, bool or_inlined) {
  const auto is_of = [](const trace::Frame& frame, const char* folder) {
    return frame.file.compare(0, std::strlen(folder), folder) == 0;
  };
  const std::vector<trace::Frame>& frames = trace::Symbols::instance().frames(pc);
  if (frames.empty() || !frames.back().ours) return true;
  if (is_of(frames.back(), "common/executor/")) return true;
  return or_inlined && is_of(frames.front(), "common/executor/") &&
         !is_of(frames.front(), "common/executor/memory_functions.h") &&
         !is_of(frames.front(), "common/executor/atomic_functions.h");
}

const char* verb(Operation operation) {
  switch (operation) {
    case Operation::load:
      return "reads";
    case Operation::store:
      return "writes";
    case Operation::atomic:
      break;
  }
  return "updates";
}

}  // namespace

Checker& Checker::instance() {
  static Checker& checker = *new Checker;  // its hooks outlive the end of main()
  return checker;
}

void Checker::start() {
  setenv("TUTORIAL_CPU_REPORT", "none", 0);  // block_fails() hears of it
  cpu::set_worker_count(1);
  cpu::set_launch_observer([](const cpu::Launch& launch, bool begins) {
    if (begins) {
      instance().launch_begins(launch);
    } else {
      instance().launch_ends();
    }
    return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  });
  cpu::DeviceMemory::instance().keep_apart(reach_);
  cpu::watcher = this;
  trace::on_access = [](const Seen& seen) { instance().access(seen); };
  trace::on_fence = [] { instance().fence(); };
  for (const cpu::SharedVariable& variable : cpu::shared_variables()) {
    add_region(Region::Kind::shared_array, variable.begin, variable.bytes, variable.name);
  }
  handle_signals();
}

void Checker::look_far() {
  // The first half of what 32 bits count, in elements of up to four bytes, is before the beginning.
  reach_ = std::size_t{9} << 30;
  cpu::DeviceMemory::instance().keep_apart(reach_);
  cpu::run_ends(8);
  is_far_ = true;
}

int Checker::finish() const {
  problems_.print();
  if (!problems_.empty()) return 1;
  std::fprintf(see::said(), "Nothing was found in %s.\n",
               plural(launches_, "launch", "launches").c_str());
  std::fflush(see::said());
  return 0;
}

void Checker::stop(int code) const {
  problems_.print();
  _exit(code);
}

// ---- Launches and blocks ------------------------------------------------------------------------

void Checker::launch_begins(const cpu::Launch& launch) {
  launch_ = &launch;
  ++launches_;
  launch_serial_ = ++serial_;
  any_waited_ = accessed_too_early_ = failed_ = false;
  passed_on_.clear();
  find_regions();
  name_regions(launch);
  in_launch_ = true;
}

void Checker::launch_ends() {
  set_timer(0);
  in_launch_ = false;
  report_unwritten();
  if (launch_->overlaps && !any_waited_ && !accessed_too_early_ && !failed_) {
    const Place place = place_of(reinterpret_cast<std::uintptr_t>(launch_->kernel) + 1);
    problems_.add("no wait", place,
                  "the launch asked for Overlap::previous_kernel and no thread calls "
                  "wait_for_previous_grid(): the kernel after this one may begin before the one "
                  "before it has ended");
  }
}

void Checker::block_begins() {
  is_over_ = false;
  set_timer(is_far_ ? 1 : limit_seconds());
  report_unwritten();
  const unsigned count = blockDim.x * blockDim.y * blockDim.z;
  block_ = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  block_serial_ = ++serial_;
  waited_.assign(count, 0);
  known_blocks_.clear();
  fenced_ = false;
  if (clocks_moved_ || clocks_.size() < count) {
    clocks_.assign(std::max<std::size_t>(count, clocks_.size()), {});
    for (unsigned thread = 0; thread < clocks_.size(); ++thread)
      clocks_[thread][thread % kLanes] = 1;
    clocks_moved_ = false;
  }
  const void* const memory = cpu::Worker::of_this_thread().dynamic_shared();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (begin != dynamic_shared_ && dynamic_shared_ != 0) regions_.erase(dynamic_shared_);
  dynamic_shared_ = begin;
  last_region_ = nullptr;
  if (begin != 0) {
    add_region(Region::Kind::dynamic_shared, memory, launch_->shared_bytes,
               "the dynamic shared memory");
  }
}

/// "block (0,0,0): divergent barrier: thread (0,0,0) waits at __syncthreads() in FILE:LINE, ..."
void Checker::block_fails(const std::string& report) {
  failed_ = true;
  unwritten_.clear();  // the threads that would have written were stopped
  const std::string text = from_root(report);
  Place place = place_of(last_pc_);
  if (const std::size_t in = text.find(" in "); in != std::string::npos) {
    const std::size_t colon = text.find(':', in);
    place = {text.substr(in + 4, colon - in - 4), std::atoi(text.c_str() + colon + 1), ""};
  }
  problems_.add_once("fault", place, text, true);
}

void Checker::barrier_completes(unsigned returned) {
  ++serial_;
  if (returned > 0) {
    problems_.add_note(
        {from_root(last_wait_.file), last_wait_.line, ""},
        plural(returned, "thread") + " of block " + std::to_string(block_) +
            (returned == 1 ? " has" : " have") +
            " returned before this barrier. The others go on without them, on a GPU since Volta "
            "too; clearer is a barrier that every thread comes to");
  }
  if (std::find(waited_.begin(), waited_.end(), 1) != waited_.end()) {
    std::fill(waited_.begin(), waited_.end(), std::uint8_t{1});
  }
}

void Checker::warp_meets(unsigned warp, std::uint32_t lanes, bool orders_memory) {
  if (!orders_memory) return;
  clocks_moved_ = true;
  std::array<std::uint32_t, kLanes> joined{};
  std::uint8_t waited = 0;
  const auto for_lanes = [&](auto visit) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1U) != 0) visit(lane, warp * kLanes + lane);
    }
  };
  for_lanes([&](unsigned, unsigned thread) {
    for (unsigned i = 0; i < kLanes; ++i) joined[i] = std::max(joined[i], clocks_[thread][i]);
    waited = static_cast<std::uint8_t>(waited | waited_[thread]);
  });
  for_lanes([&](unsigned lane, unsigned thread) {
    clocks_[thread] = joined;
    ++clocks_[thread][lane];
    waited_[thread] = waited;
  });
}

void Checker::waits_for_previous_grid() {
  if (!in_launch_) return;
  any_waited_ = true;
  waited_[running_thread()] = 1;
}

void Checker::lets_next_grid_begin(std::uintptr_t pc) {
  if (!in_launch_ || !launch_->overlaps || waited_[running_thread()] != 0) return;
  problems_.add(
      "early trigger", place_of(pc),
      thread_name() +
          " calls let_next_grid_begin() before wait_for_previous_grid(): the kernel after "
          "this one may begin before the one before it has ended");
}

void Checker::thread_waits(cpu::Where where) {
  last_wait_ = where;
  if (!is_over_) return;
  report_endless({from_root(where.file), where.line, ""});
}

// ---- Time and signals ---------------------------------------------------------------------------

void Checker::time_is_over(std::uintptr_t pc) {
  if (!in_launch_) return;
  if (is_far_)
    stop(problems_.empty() ? 0
                           : 1);  // of a thread that goes through all elements nothing is learned
  if (!is_over_) {                // a loop that accesses memory, or waits, is stopped there
    is_over_ = true;
    set_timer(0, 200000);
    return;
  }
  Place place = place_of(pc);
  if (place.file.empty()) place = place_of(last_pc_);
  report_endless(place);
}

void Checker::report_endless(const Place& place) {
  in_launch_ = false;
  problems_.add("endless", place,
                thread_name() + " is still at work after " + plural(limit_seconds(), "second") +
                    ": a loop without end");
  stop(3);
}

void Checker::crash(const char* signal) {
  if (in_launch_ && problems_.empty()) {
    problems_.add("crash", place_of(last_pc_), thread_name() + " ended the program: " + signal);
  } else if (problems_.empty()) {
    std::fprintf(see::said(), "check: the program ended outside of a kernel: %s\n", signal);
    std::fflush(see::said());
  }
  stop(1);
}

// ---- Regions ------------------------------------------------------------------------------------

void Checker::add_region(Region::Kind kind, const void* begin, std::size_t bytes,
                         const std::string& name) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  std::unique_ptr<Region>& region = regions_[address];
  if (region != nullptr && region->bytes == bytes && region->kind == kind) return;
  region.reset(new Region{kind, address, bytes, name, name});
  region->base = address;
}

/// The buffers that there are now.
void Checker::find_regions() {
  const auto ranges = cpu::DeviceMemory::instance().ranges();
  std::set<std::uintptr_t> now;
  for (const auto& [begin, bytes] : ranges) now.insert(reinterpret_cast<std::uintptr_t>(begin));
  for (auto entry = regions_.begin(); entry != regions_.end();) {
    const bool is_gone =
        entry->second->kind == Region::Kind::buffer && now.count(entry->first) == 0;
    entry = is_gone ? regions_.erase(entry) : std::next(entry);
  }
  for (const auto& [begin, bytes] : ranges) add_region(Region::Kind::buffer, begin, bytes, "");
  last_region_ = nullptr;
}

/// A buffer is called as the first of the kernel's parameters that points to it, and for stores as
/// the last, which in place is the output.
void Checker::name_regions(const cpu::Launch& launch) {
  for (auto& [begin, region] : regions_) {
    if (region->kind != Region::Kind::buffer) continue;
    region->name = region->name_to_store = "";
    region->element = 0;
    region->base = begin;
  }
  const std::vector<std::string> names = parameter_names(launch.kernel);
  for (std::size_t i = 0; i < launch.argument_count; ++i) {
    const cpu::Argument& argument = launch.arguments[i];
    if (argument.pointee == 0) continue;
    std::uintptr_t pointer = 0;
    std::memcpy(&pointer, argument.value, sizeof pointer);
    Region* const region = region_at(pointer);
    if (region == nullptr) continue;
    const std::string name = i < names.size() ? names[i] : "argument " + std::to_string(i + 1);
    region->name_to_store = name;
    if (!region->name.empty()) continue;
    region->name = name;
    region->base = pointer;
    region->element = argument.pointee;
  }
}

/// The region that the address lies in, or nullptr.
Region* Checker::region_at(std::uintptr_t address) {
  if (last_region_ != nullptr && address - last_region_->begin < last_region_->bytes) {
    return last_region_;
  }
  auto above = regions_.upper_bound(address);
  if (above == regions_.begin()) return nullptr;
  Region* const region = std::prev(above)->second.get();
  if (address - region->begin >= region->bytes) return nullptr;
  last_region_ = region;
  return region;
}

/// The region that an address outside of all of them probably was meant for, or nullptr.
Region* Checker::nearest_region(std::uintptr_t address) {
  Region* nearest = nullptr;
  std::uintptr_t least = 0;
  for (const auto& [begin, region] : regions_) {
    const std::uintptr_t end = begin + region->bytes;
    std::uintptr_t distance = 0;
    if (address < begin) distance = begin - address;
    if (address > end) distance = address - end;
    const std::size_t reach = region->kind == Region::Kind::shared_array ? kSharedReach : reach_;
    if (distance >= reach || (nearest != nullptr && distance >= least)) continue;
    nearest = region.get();
    least = distance;
  }
  return nearest;
}

/// Whether an address outside of all regions is the compiler's or the executor's: what a GPU keeps
/// in registers, in the constant bank or in its own hardware.
bool Checker::is_our_own(const Seen& seen) {
  static const Extent locals = trace::thread_locals(), stack = stack_of_this_thread();
  static const std::vector<Extent> parts = images();
  static const cpu::Worker& worker = cpu::Worker::of_this_thread();
  const std::uintptr_t address = seen.address;
  if (worker.running_fiber()->holds(address) || stack.holds(address)) return true;
  const bool is_local = locals.holds(address);
  if (trace::is_position(address) && seen.operation == Operation::load) return true;
  if (is_local && cpu::is_guard(address)) return true;
  if (std::any_of(parts.begin(), parts.end(), [&](const Extent& e) { return e.holds(address); })) {
    return true;
  }
  if (our_own_.count(seen.pc) != 0) return true;
  if (!is_executors(seen.pc, is_local)) return false;
  our_own_.insert(seen.pc);
  return true;
}

// ---- Accesses -----------------------------------------------------------------------------------

void Checker::access(const Seen& seen) {
  if (!in_launch_ || cpu::running_block == nullptr) return;
  last_pc_ = seen.pc;
  if (is_over_ && !is_executors(seen.pc, false)) report_endless(place_of(seen.pc));
  Region* const region = region_at(seen.address);
  if (region == nullptr) {
    if (!is_our_own(seen)) outside(seen);
    return;
  }
  if (seen.bytes > region->bytes - (seen.address - region->begin)) {
    outside(seen);
    return;
  }
  if (!seen.is_range && seen.address % seen.bytes != 0) {
    const std::string bytes = plural(static_cast<std::int64_t>(seen.bytes), "byte");
    problems_.add("misaligned", place_of(seen.pc),
                  thread_name() + " " + verb(seen.operation) + " " + element_name(*region, seen) +
                      " in one access of " + bytes + ", at an address that is no multiple of " +
                      bytes + ": a GPU ends the kernel there");
  }
  if (launch_->overlaps && !region->is_shared() && waited_[running_thread()] == 0) {
    accessed_too_early_ = true;
    problems_.add("wait", place_of(seen.pc),
                  thread_name() + " " + verb(seen.operation) + " " + element_name(*region, seen) +
                      " before it has called wait_for_previous_grid(): the launch asked for "
                      "Overlap::previous_kernel, so the kernel before it may still be at work");
  }
  remember(*region, seen);
}

/// An access that is not, or not all, inside a region.
void Checker::outside(const Seen& seen) {
  const Place place = place_of(seen.pc);
  Region* const region = nearest_region(seen.address);
  const std::string who = thread_name() + " " + verb(seen.operation) + " ";
  if (region == nullptr) {
    char address[32];
    std::snprintf(address, sizeof address, "%#zx", static_cast<std::size_t>(seen.address));
    problems_.add("outside", place,
                  who + plural(static_cast<std::int64_t>(seen.bytes), "byte") + " at the address " +
                      address + ", which is neither a buffer's nor a shared array's");
    stop(1);
  }
  look_up(*region, place);
  const std::size_t unit = region->element != 0 ? region->element : seen.bytes;
  const auto size = static_cast<std::int64_t>(unit);
  const auto from = static_cast<std::int64_t>(seen.address - region->base);
  const auto bytes = static_cast<std::int64_t>(seen.bytes);
  const auto end = static_cast<std::int64_t>(region->begin + region->bytes - region->base);
  const auto begin = static_cast<std::int64_t>(region->begin - region->base);
  const std::int64_t last = (from + bytes - 1 - begin) / size, count = (end - begin) / size;
  const std::string distance =
      from < begin ? std::to_string((begin - from + size - 1) / size) + " before the beginning"
                   : (last == count ? "one" : std::to_string(last - count + 1)) + " past the end";
  const std::string what = region->name.empty() ? "it" : region->name;
  problems_.add("outside", place,
                who + element_name(*region, seen) + ", " + distance + " (" + what + " has " +
                    plural(count, "element") + ")");
  if (region->kind == Region::Kind::shared_array) {
    if (seen.operation != Operation::load) stop(1);  // it may be the executor's own memory
    return;
  }
  // Let it find memory.
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t page = seen.address & ~(kPage - 1);
  const std::size_t pages = ((seen.address + seen.bytes - 1) & ~(kPage - 1)) + kPage - page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of an address that the kernel computed
  if (mprotect(reinterpret_cast<void*>(page), pages, PROT_READ | PROT_WRITE) != 0) stop(1);
}

/// Looks for the declaration of a shared array above the line that accesses it.
void Checker::look_up(Region& region, const Place& where) {
  if (!region.is_shared() || region.is_declared) return;
  region.is_declared = true;
  const bool is_dynamic = region.kind == Region::Kind::dynamic_shared;
  const Declaration found = declaration_of(is_dynamic ? "" : region.name, where);
  region.element = found.element;
  if (!found.name.empty()) region.name = region.name_to_store = found.name;
}

/// Judges an access by those before it, and remembers it.
void Checker::remember(Region& region, const Seen& seen) {
  constexpr std::size_t most = std::size_t{1} << 28;
  if (region.cells.empty() && region.bytes <= most) region.cells.resize(region.bytes);
  const unsigned thread = running_thread();
  Stamp now;
  now.serial = serial_;
  now.clock = clocks_[thread][thread % kLanes];
  now.block = block_;
  now.thread = static_cast<std::uint16_t>(thread);
  now.place = place_number(seen.pc) & 0x7FFF;
  const bool is_atomic = seen.operation == Operation::atomic;
  now.atomic = is_atomic ? 1 : 0;
  if (is_atomic && !region.is_shared()) {
    // What this block did before a fence is seen by those that find the atomic after it.
    std::set<std::uint32_t>& passed_on = passed_on_[seen.address];
    known_blocks_.insert(passed_on.begin(), passed_on.end());
    if (fenced_) {
      passed_on = known_blocks_;
      passed_on.insert(block_);
    }
  }
  const std::size_t offset = seen.address - region.begin;
  bool is_told = false;
  for (std::size_t i = offset; i < offset + seen.bytes; ++i) {
    Cell& cell = region.cells.empty() ? region.far_cells[i] : region.cells[i];
    const auto races = [&](const Stamp& earlier) {
      return !(is_atomic && earlier.atomic != 0) && !comes_before(region, earlier);
    };
    if (!is_told && races(cell.write)) {
      report_race(region, seen, i, cell.write, true);
      is_told = true;
    }
    const bool is_written = !region.is_shared() || cell.write.serial >= block_serial_;
    if (seen.operation != Operation::store && !is_written && !is_told &&
        unwritten_.count(now.place) == 0) {
      look_up(region, place_of(seen.pc));
      unwritten_.emplace(
          static_cast<std::uint16_t>(now.place),
          Unwritten{place_of(seen.pc), thread_name() + " " + verb(seen.operation) + " " +
                                           element_name(region, seen) +
                                           ", which no thread of the block has set before"});
    }
    if (seen.operation == Operation::load) {
      Stamp& first = cell.reads[0];
      const bool is_free = comes_before(region, first);
      (is_free ? first : cell.reads[1]) = now;
      continue;
    }
    for (const Stamp& read : cell.reads) {
      if (is_told || !races(read)) continue;
      report_race(region, seen, i, read, false);
      is_told = true;
    }
    cell.write = now;
  }
}

/// Whether the running thread can rely on what was done then.
bool Checker::comes_before(const Region& region, const Stamp& earlier) const {
  if (earlier.serial < launch_serial_) return true;
  if (earlier.serial < block_serial_) {
    return region.is_shared() || known_blocks_.count(earlier.block) != 0;
  }
  const unsigned thread = running_thread();
  if (earlier.thread == thread || earlier.serial < serial_) return true;
  return earlier.thread / kLanes == thread / kLanes &&
         clocks_[thread][earlier.thread % kLanes] >= earlier.clock;
}

void Checker::report_race(Region& region, const Seen& seen, std::size_t offset,
                          const Stamp& earlier, bool earlier_writes) {
  const Place here = place_of(seen.pc), there = place_of(places_[earlier.place]);
  if (!earlier_writes) unwritten_.erase(earlier.place);  // this says it better
  const std::string key =
      "race " + std::min(here.name(), there.name()) + " " + std::max(here.name(), there.name());
  if (!problems_.is_new(key)) return;
  look_up(region, here);
  Seen byte = seen;
  byte.address = region.begin + offset;
  const bool same_line = here.name() == there.name(), same_place = here.inside == there.inside;
  const bool same_block = earlier.block == block_;
  const char* const did = earlier_writes ? (earlier.atomic != 0 ? "updates" : "writes") : "reads";
  std::string reason = same_block ? "with no barrier between them" : "and nothing orders blocks";
  if (same_line && same_place) reason += ": an update can be lost";
  problems_.add_once(key, here,
                     thread_name() + " " + verb(seen.operation) + " " + element_name(region, byte) +
                         ", which " + name_of(earlier.thread, earlier.block) + " " + did + " in " +
                         (same_line ? "the same line" : there.name()) +
                         (same_place ? "" : there.inside) + ", " + reason);
}

/// What has been read unwritten by the block that has ended.
void Checker::report_unwritten() {
  for (const auto& [place, unwritten] : unwritten_) {
    problems_.add("unwritten", unwritten.place, unwritten.sentence);
  }
  unwritten_.clear();
}

// ---- Names --------------------------------------------------------------------------------------

unsigned Checker::running_thread() const {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

std::string Checker::name_of(unsigned thread, std::uint32_t block) const {
  const auto index = [](std::uint32_t i, dim3 shape) {
    if (shape.y == 1 && shape.z == 1) return std::to_string(i);
    return "(" + std::to_string(i % shape.x) + "," + std::to_string(i / shape.x % shape.y) + "," +
           std::to_string(i / shape.x / shape.y) + ")";
  };
  return "thread " + index(thread, launch_->block) + " of block " + index(block, launch_->grid);
}

/// "x[5]", or "x[8] to x[15]".
std::string Checker::element_name(const Region& region, const Seen& seen) const {
  const std::size_t unit = region.element != 0 ? region.element : seen.bytes;
  const std::string& name = seen.operation == Operation::load ? region.name : region.name_to_store;
  const auto from = static_cast<std::int64_t>(seen.address - region.base);
  const auto size = static_cast<std::int64_t>(unit);
  const std::int64_t first = from >= 0 ? from / size : -((-from + size - 1) / size);
  const std::int64_t more = std::max<std::int64_t>(static_cast<std::int64_t>(seen.bytes) / size, 1);
  if (region.is_shared() && region.bytes == region.element) return name;
  const bool is_array = region.element != 0 && !name.empty();
  if (!is_array) {
    const std::string of =
        name.empty() ? "a buffer of " + plural(static_cast<std::int64_t>(region.bytes), "byte")
                     : name;
    return "element " + std::to_string(first) + " (of " + plural(size, "byte") + ") of " + of;
  }
  const std::string one = name + "[" + std::to_string(first) + "]";
  return more == 1 ? one : one + " to " + name + "[" + std::to_string(first + more - 1) + "]";
}

std::uint16_t Checker::place_number(std::uintptr_t pc) {
  const auto [entry, is_new] =
      place_numbers_.try_emplace(pc, static_cast<std::uint16_t>(places_.size()));
  if (is_new) places_.push_back(pc);
  return entry->second;
}

}  // namespace tutorial::check
