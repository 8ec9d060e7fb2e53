// The rules.

#include "common/check/checker.h"

#include "common/executor/device_memory.h"
#include "common/executor/shared_variables.h"
#include "common/executor/worker.h"
#include "common/trace/extent.h"
#include "common/trace/symbols.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tutorial::check {

using trace::Extent;
using trace::Operation;
using trace::Seen;

namespace {

/// The program's code and data, and those of its libraries: what may be accessed as `flags` say.
std::vector<Extent> images(unsigned flags = 0) {
  std::pair<unsigned, std::vector<Extent>> all{flags, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [wanted, extents] = *static_cast<std::pair<unsigned, std::vector<Extent>>*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & wanted) != wanted) continue;
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          extents.push_back({begin, begin + part.p_memsz});
        }
        return 0;
      },
      &all);
  return all.second;
}

bool any_holds(const std::vector<Extent>& extents, std::uintptr_t address) {
  return std::any_of(extents.begin(), extents.end(),
                     [&](const Extent& extent) { return extent.holds(address); });
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

void on_crash(int signal) { Checker::instance().crash(signal); }

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
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

/// Whether the line is one of what watches, which the clock may find at work too.
bool is_watchers(const Place& place) {
  for (const char* const folder : {"common/check/", "common/trace/", "common/executor/"}) {
    if (place.file.compare(0, std::strlen(folder), folder) == 0) return true;
  }
  return false;
}

/// Whether the access is made by a function of the executor that a kernel's source compiles: such as
/// the reductions of a warp; or, where `or_inlined`, one that is inlined into a kernel, but for those
/// that access what the kernel names.
bool is_executors(std::uintptr_t pc, bool or_inlined) {
  const std::vector<trace::Frame>& frames = trace::Symbols::instance().frames(pc);
  if (frames.empty() || !frames.back().ours) return true;
  if (trace::is_of_executor(frames.back().file)) return true;
  const std::string& inner = frames.front().file;
  return or_inlined && trace::is_of_executor(inner) &&
         inner != "common/executor/memory_functions.h" &&
         inner != "common/executor/atomic_functions.h";
}

/// Whether there is memory at the address.
bool is_mapped(std::uintptr_t address) {
  constexpr std::uintptr_t kPage = 4096;
  unsigned char known = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of an address that the kernel computed
  return mincore(reinterpret_cast<void*>(address & ~(kPage - 1)), 1, &known) == 0;
}

std::string hexadecimal(std::uintptr_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(address));
  return text;
}

std::string bytes_of(std::uint64_t count) { return plural(count, "byte"); }

/// "kernel (file.cu:12)".
std::string launch_name(const cpu::Launch& launch) {
  if (launch.name == nullptr) return "a kernel";
  return std::string(launch.name) + " (" + from_root(launch.where.file) + ":" +
         std::to_string(launch.where.line) + ")";
}

std::uintptr_t pointer_of(const cpu::Argument& argument) {
  std::uintptr_t pointer = 0;
  if (argument.pointee != 0) std::memcpy(&pointer, argument.value, sizeof pointer);
  return pointer;
}

/// "FILE:LINE" from there on.
Place place_at(const std::string& text, std::size_t begin) {
  const std::size_t colon = text.find(':', begin);
  return {text.substr(begin, colon - begin), std::atoi(text.c_str() + colon + 1), ""};
}

/// "5", or "(5,0,1)" in a shape of more dimensions.
std::string index_text(std::uint32_t i, dim3 shape) {
  if (shape.y == 1 && shape.z == 1) return std::to_string(i);
  return "(" + std::to_string(i % shape.x) + "," + std::to_string(i / shape.x % shape.y) + "," +
         std::to_string(i / shape.x / shape.y) + ")";
}

/// A region's first and last byte that is not known to be accessed grows with it.
void grow(Extent& extent, std::uintptr_t address, std::size_t bytes) {
  if (extent.begin == extent.end) extent = {address, address};
  extent = {std::min(extent.begin, address), std::max<std::uintptr_t>(extent.end, address + bytes)};
}

}  // namespace

std::string plural(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

std::vector<std::string> parameters_of(const cpu::Launch& launch) {
  if (launch.parameters == nullptr || *launch.parameters == '\0') {
    return launch.kernel == nullptr ? std::vector<std::string>{} : parameter_names(launch.kernel);
  }
  std::vector<std::string> names(1);
  for (const char* at = launch.parameters; *at != '\0'; ++at) {
    if (*at == ',') {
      names.emplace_back();
    } else if (*at != ' ') {
      names.back() += *at;
    }
  }
  return names;
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
  regions_.keep_apart(kReach);
  host_stack_ = stack_of_this_thread();
  cpu::watcher = this;
  trace::on_access = [](const Seen& seen) { instance().access(seen); };
  trace::on_atomic_load = [](const Seen& seen) {
    if (cpu::running_block == nullptr && instance().host_ != nullptr) instance().host_(seen);
  };
  trace::on_fence = [] { instance().fence(); };
  for (const cpu::SharedVariable& variable : cpu::shared_variables()) {
    regions_.add(Region::Kind::shared_array, variable.begin, variable.bytes, variable.name);
  }
  handle_signals();
}

void Checker::start_program(void (*host)(const Seen& seen)) {
  is_program_ = true;
  host_ = host;
  trace::Symbols::instance().look_at_program();
  start();
}

void Checker::look_far() {
  regions_.keep_apart(kFarReach);
  cpu::run_ends(8);
  is_far_ = true;
}

bool Checker::finish() {
  settle();
  problems_.print();
  if (!problems_.empty()) return false;
  const std::string launches = plural(launches_, "launch", "launches");
  if (!is_program_) {
    std::fprintf(stderr, "Nothing was found in %s.\n", launches.c_str());
    return true;
  }
  std::fprintf(stderr, "check: Nothing was found in %s of %s: %s were watched\n", launches.c_str(),
               plural(blocks_, "block").c_str(), plural(accesses_, "access", "accesses").c_str());
  return true;
}

void Checker::stop(int code) {
  settle();
  problems_.print();
  std::fflush(nullptr);
  leave(is_program_ ? 3 : code);
}

/// Past what a program may want to do at its end.
void Checker::leave(int code) {
  syscall(SYS_exit_group, code);
  std::abort();
}

// ---- Launches and blocks ------------------------------------------------------------------------

void Checker::launch_begins(const cpu::Launch& launch) {
  const Busy busy;
  launch_ = &launch;
  ++launches_;
  accesses_before_ = accesses_;
  cluster_size_ = std::max(launch.cluster, 1U);
  cluster_ = ~0U;  // none yet
  order_.launch_begins(cluster_size_);
  waited_.resize(cluster_size_);
  any_waited_ = accessed_too_early_ = failed_ = launches_more_ = false;
  find_regions();
  if (!order_.is_child()) grids_.clear();
  grids_[order_.running_grid()] = {launch.name == nullptr ? "a kernel" : launch.name, launch.block,
                                   launch.grid};
  regions_.for_all([&](Region& region) {
    if (!order_.is_child()) region.cells.clear();
    region.stored_before = std::exchange(region.stored, {});
  });
  name_regions(launch);
  in_launch_ = true;
}

void Checker::launch_ends() {
  const Busy busy;
  set_timer(0);
  cluster_ends();
  in_launch_ = false;
  if (launch_->overlaps && !any_waited_ && !accessed_too_early_ && !failed_) {
    const Place place = place_of(reinterpret_cast<std::uintptr_t>(launch_->kernel) + 1);
    problems_.add("no wait", place,
                  "the launch asked for Overlap::previous_kernel and no thread calls "
                  "wait_for_previous_grid(): the kernel after this one may begin before the one "
                  "before it has ended");
  }
  if (accesses_ == accesses_before_ && !failed_ && !launches_more_ && is_program_ &&
      launch_->name != nullptr) {
    problems_.remark(
        "unseen " + launch_name(*launch_),
        {from_root(launch_->where.file), launch_->where.line, ""},
        std::string(launch_->name) + " accessed no memory that is watched: nothing is said of it");
  }
  if (launch_ended) launch_ended(*launch_);
}

/// The kernel has not run: whoever does not ask learns of it by its results.
void Checker::launch_is_refused(const cpu::Launch& launch, cudaError_t error) {
  const Busy busy;
  if (!is_program_ || launch.name == nullptr) return;
  const Place place{from_root(launch.where.file), launch.where.line, ""};
  problems_.error_is_left(
      place, std::string(launch.name) + " was not launched: " + cudaGetErrorName(error));
}

void Checker::block_begins() {
  const Busy busy;
  settle();
  is_over_ = false;
  cells_made_ = Cells::made;
  set_timer(is_far_ ? 1 : limit_seconds());
  ++blocks_;
  take_turn();
  if (const std::uint32_t cluster = block_ / cluster_size_; cluster != cluster_) {
    cluster_ends();
    cluster_ = cluster;
    order_.cluster_begins();
  }
  const unsigned count = blockDim.x * blockDim.y * blockDim.z;
  order_.block_begins(rank_, block_, count);
  waited().assign(count, Waited::no);
  find_shared_memory();
}

/// What is told from now on is told of the block that runs on this thread.
void Checker::take_turn() {
  block_ = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  rank_ = block_ % cluster_size_;
  order_.goes_on(rank_);
}

/// That of the block that begins on this thread.
void Checker::find_shared_memory() {
  thread_local std::uintptr_t dynamic_shared = 0;
  const void* const memory = cpu::Worker::of_this_thread().dynamic_shared();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (begin != dynamic_shared && dynamic_shared != 0) regions_.remove(dynamic_shared);
  dynamic_shared = begin;
  if (begin != 0) {
    regions_
        .add(Region::Kind::dynamic_shared, memory, launch_->shared_bytes,
             "the dynamic shared memory")
        .rank = rank_;
  }
  if (!in_clusters()) return;
  for (const cpu::SharedVariable& variable : cpu::shared_variables()) {
    regions_.add(Region::Kind::shared_array, variable.begin, variable.bytes, variable.name).rank =
        rank_;
  }
}

/// A block's shared memory is there until it ends: what another one accesses there is in time if a barrier of the
/// cluster comes between.
void Checker::cluster_ends() {
  settle();
  report_unwritten();
  for (const auto& [region, reach] : reached_) {
    if (failed_ || order_.has_met_since(region->rank, reach.serial)) continue;
    problems_.add("left", reach.place, reach.sentence);
  }
  reached_.clear();
}

/// "block (0,0,0): divergent barrier: thread (0,0,0) waits at __syncthreads() in FILE:LINE, ..."
void Checker::block_fails(const std::string& report) {
  const Busy busy;
  settle();
  take_turn();
  if (std::exchange(failed_, true)) return;  // another block of the cluster has said why
  unwritten_.clear();                        // the threads that would have written were stopped
  const std::string text = from_root(report);
  Place place = place_of(last_pc_);
  std::size_t begin = 0;
  if (const std::size_t thread = text.find(": block: ["); thread != std::string::npos) {
    place =
        place_at(text, 0);  // a failed assertion: "FILE:LINE: void kernel(): block: [0,0,0], ..."
    begin = thread + 2;
  } else if (const std::size_t in = text.find(" in "); in != std::string::npos) {
    place = place_at(text, in + 4);
  }
  problems_.add_once("fault", place, text.substr(begin), true);
}

void Checker::barrier_completes(unsigned returned, bool of_cluster) {
  const Busy busy;
  settle();
  take_turn();
  if (returned > 0) {
    const Place place{from_root(last_wait_.file), last_wait_.line, ""};
    problems_.remark("returned " + place.name(), place,
                     plural(returned, "thread") + " of block " + std::to_string(block_) +
                         (returned == 1 ? " has" : " have") +
                         " returned before this barrier. The others go on without them, on a GPU "
                         "since Volta too; "
                         "clearer is a barrier that every thread comes to");
  }
  order_.barrier_completes(of_cluster);
  const Waited most = *std::max_element(waited().begin(), waited().end());
  std::fill(waited().begin(), waited().end(), most);
}

void Checker::arrives_at_cluster() {
  const Busy busy;
  settle();
  order_.arrives_at_cluster(running_thread());
}

void Checker::has_waited_for_cluster() {
  const Busy busy;
  settle();
  order_.has_waited_for_cluster(running_thread());
}

void Checker::warp_meets(unsigned warp, std::uint32_t lanes, bool orders_memory) {
  const Busy busy;
  if (!orders_memory) return;
  order_.warp_meets(warp, lanes);
  Waited most = Waited::no;
  const auto for_threads = [&](auto visit) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1U) != 0) visit(waited()[warp * kLanes + lane]);
    }
  };
  for_threads([&](Waited of_thread) { most = std::max(most, of_thread); });
  for_threads([&](Waited& of_thread) { of_thread = most; });
}

void Checker::waits_for_previous_grid() {
  if (!in_launch_) return;
  any_waited_ = true;
  waited()[running_thread()] = Waited::fully;
}

void Checker::reads_what_previous_grid_reads() {
  if (!in_launch_) return;
  Waited& mine = waited()[running_thread()];
  mine = std::max(mine, Waited::to_read);
}

void Checker::lets_next_grid_begin(std::uintptr_t pc) {
  const Busy busy;
  if (!in_launch_ || !launch_->overlaps || waited(running_thread()) == Waited::fully) return;
  problems_.add(
      "early trigger", place_of(pc),
      thread_name() +
          " calls let_next_grid_begin() before wait_for_previous_grid(): the kernel after "
          "this one may begin before the one before it has ended");
}

unsigned Checker::launches(cudaStream_t stream) {
  const Busy busy;
  settle();
  take_turn();
  launches_more_ = true;
  return order_.launches(running_thread(), stream);
}

void Checker::child_begins(unsigned child) { order_.child_begins(child); }

void Checker::child_ends() { order_.child_ends(); }

void Checker::thread_waits(cpu::Where where) {
  const Busy busy;
  last_wait_ = where;
  settle();
  if (!is_over_) return;
  report_endless({from_root(where.file), where.line, ""});
}

// ---- Time and signals ---------------------------------------------------------------------------

/// A loop that comes to memory which it had not accessed before is given as long again.
void Checker::time_is_over(std::uintptr_t pc) {
  if (!in_launch_) return;
  if (is_far_)
    stop(problems_.empty() ? 0 : 1);  // a thread that goes through all elements: nothing is learned
  if (!is_over_ && is_program_ && Cells::made != cells_made_) {
    cells_made_ = Cells::made;
    set_timer(limit_seconds());
    return;
  }
  if (!is_over_) {  // a loop that accesses memory, or waits, is stopped there
    is_over_ = true;
    set_timer(0, 200000);
    return;
  }
  const std::uintptr_t last = last_pc_;
  const Busy busy;  // looking up a line is none of the program's work
  Place place = place_of(pc);
  if (place.file.empty() || is_watchers(place)) place = place_of(last);
  report_endless(place);
}

void Checker::report_endless(const Place& place) {
  in_launch_ = false;
  problems_.add("endless", place,
                thread_name() + " is still at work after " +
                    plural(static_cast<std::uint64_t>(limit_seconds()), "second") +
                    ": a loop without end");
  stop(3);
}

/// What a program does to itself outside of its kernels is its own: it ends as it would have.
void Checker::crash(int signal) {
  const Busy busy;  // the sentence's own accesses are none of the program's
  if (in_launch_ && problems_.empty()) {
    const std::string trap =  // of -fsanitize=bounds,object-size (flags.cmake)
        signal == SIGILL ? ", which in an exercise's file is an index past the end of an array of "
                           "its own or its block's"
                         : "";
    problems_.add("crash", place_of(last_pc_),
                  thread_name() + " ended the program: " + strsignal(signal) + trap);
  } else if (problems_.empty() && signal != SIGABRT) {
    std::fprintf(stderr, "check: the program ended outside of a kernel: %s\n", strsignal(signal));
  }
  if (!is_program_ || !problems_.empty()) stop(1);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

// ---- Regions ------------------------------------------------------------------------------------

namespace {

Region::Kind kind_of(cpu::MemoryKind kind) {
  switch (kind) {
    case cpu::MemoryKind::managed:
      return Region::Kind::managed;
    case cpu::MemoryKind::pinned:
    case cpu::MemoryKind::registered:
      return Region::Kind::pinned;
    case cpu::MemoryKind::symbol:
      return Region::Kind::variable;
    case cpu::MemoryKind::device:
      break;
  }
  return Region::Kind::buffer;
}

/// Whether a function of the runtime has allocated it.
bool is_of_runtime(const Region& region) {
  return region.kind != Region::Kind::variable && region.kind != Region::Kind::heap;
}

}  // namespace

void Checker::find_regions(const std::function<void(Region&)>& is_new) {
  const auto ranges = cpu::DeviceMemory::instance().all();
  std::map<std::uintptr_t, const cpu::MemoryRange*> now, before;
  for (const auto& range : ranges) now[reinterpret_cast<std::uintptr_t>(range.begin)] = &range;
  std::vector<std::uintptr_t> gone;
  regions_.for_all([&](Region& region) {
    if (region.is_shared() || !is_of_runtime(region)) return;
    const auto entry = now.find(region.begin);
    if (entry != now.end() && entry->second->bytes == region.bytes) {
      now.erase(entry);
    } else {
      gone.push_back(region.begin);
    }
  });
  for (const std::uintptr_t begin : gone) regions_.remove(begin);
  for (const auto& [begin, range] : now) {
    if (range->kind == cpu::MemoryKind::symbol) {
      if (regions_.at(begin) == nullptr) regions_.variable_at(begin, "");
      continue;
    }
    Region& region = regions_.add(kind_of(range->kind), range->begin, range->bytes, "");
    if (is_program_ && range->kind != cpu::MemoryKind::registered)
      region.written.resize(region.bytes);
    if (is_new) is_new(region);
  }
}

/// As the runtime's buffers: full of what is no number, so that a read of what nobody has written shows.
void Checker::kernel_allocates(void* pointer, std::size_t bytes, std::uintptr_t pc) {
  const Place place = place_of(pc);
  regions_.is_reused(trace::extent_of(pointer, bytes));
  Region& region = regions_.add(Region::Kind::heap, pointer, bytes, "");
  region.written.assign(bytes, false);
  region.called = allocated_as(source_line(place.file, place.line));
  region.name = region.name_to_store = region.called;
  std::memset(pointer, 0xFF, bytes);
}

void Checker::kernel_frees(const Extent& bytes, std::uintptr_t pc) {
  settle();
  const Region* const region = regions_.at(bytes.begin);
  if (region == nullptr) return;
  regions_.note_freed({bytes, region->called, "which " + place_of(pc).name() + " has freed"});
  regions_.remove(bytes.begin);
}

/// A buffer is called as the first of the kernel's parameters that points to it, and for stores as
/// the last, which in place is the output.
void Checker::name_regions(const cpu::Launch& launch) {
  regions_.for_all([](Region& region) {
    if (region.is_shared() || region.kind == Region::Kind::variable) return;
    region.name = region.name_to_store = "";
    region.element = 0;
    region.base = region.begin;
  });
  const std::vector<std::string> names = parameters_of(launch);
  for (std::size_t i = 0; i < launch.argument_count; ++i) {
    const cpu::Argument& argument = launch.arguments[i];
    const std::uintptr_t pointer = pointer_of(argument);
    Region* const region = pointer == 0 ? nullptr : regions_.at(pointer);
    if (region == nullptr) continue;
    const std::string name = i < names.size() ? names[i] : "argument " + std::to_string(i + 1);
    region->name_to_store = name;
    if (!region->name.empty()) continue;
    region->name = name;
    region->base = pointer;
    region->element = argument.pointee;
  }
  regions_.for_all([](Region& region) {  // what a struct or another buffer points to
    if (region.name.empty()) region.name = region.name_to_store = region.called;
  });
}

/// The region of an access, or nullptr: one of the kernel's own, or none. That of a variable may be missed by a
/// little, and another one's found: what the line names is what is meant.
Region* Checker::region_of(const Seen& seen) {
  static const std::vector<Extent> data = images(PF_W);
  Region* const region = regions_.at(seen.address);
  if (!is_program_ || (region != nullptr && region->kind != Region::Kind::variable)) return region;
  if (region == nullptr && !any_holds(data, seen.address)) return nullptr;
  if (our_own_.count(seen.pc) != 0 || meant_.count({seen.pc, region}) != 0) return region;
  if (is_executors(seen.pc, true)) return nullptr;
  const Place place = place_of(seen.pc);
  Region* const meant = regions_.variable_at(seen.address, source_line(place.file, place.line));
  if (meant != nullptr && meant->holds(seen.address)) meant_.insert({seen.pc, meant});
  return meant;
}

/// Whether an access outside of all regions is the compiler's or the executor's: what a GPU keeps
/// in registers, in the constant bank or in its own hardware.
bool Checker::is_our_own(const Seen& seen) {
  static const std::vector<Extent> parts = images();
  thread_local const Extent locals = trace::thread_locals();
  thread_local const cpu::Worker& worker = cpu::Worker::of_this_thread();
  const std::uintptr_t address = seen.address;
  if (worker.running_fiber()->holds(address)) return true;
  if (host_stack_.holds(address)) return !is_program_ || is_of_launch(seen);
  const bool is_local = locals.holds(address);
  if (trace::is_position(address) && seen.operation == Operation::load) return true;
  if (is_local && cpu::is_guard(address)) return true;
  if (any_holds(parts, address)) return true;
  if (our_own_.count(seen.pc) != 0) return true;
  if (!is_executors(seen.pc, is_local)) return false;
  our_own_.insert(seen.pc);
  return true;
}

bool Checker::is_programs(std::uintptr_t pc) {
  const auto [entry, is_new] = programs_.try_emplace(pc);
  if (is_new) entry->second = !is_executors(pc, false);
  return entry->second;
}

/// Whether an access to the host's stack is that of a launch, which hands its arguments over from there.
bool Checker::is_of_launch(const Seen& seen) const {
  if (is_executors(seen.pc, true)) return true;
  const Place place = place_of(seen.pc);
  return launch_->name != nullptr && place.line == launch_->where.line &&
         place.file == from_root(launch_->where.file);
}

// ---- Accesses -----------------------------------------------------------------------------------

void Checker::access(const Seen& seen) {
  if (cpu::running_block == nullptr) {
    if (host_ != nullptr) host_(seen);
    return;
  }
  if (!in_launch_) return;
  const Busy busy;
  settle();
  last_pc_ = seen.pc;
  if (is_over_ && !is_executors(seen.pc, false)) report_endless(place_of(seen.pc));
  Region* const region = region_of(seen);
  if (region == nullptr) {
    if (!is_our_own(seen)) outside(seen);
    return;
  }
  ++accesses_;
  if (!region->holds(seen.address) || seen.bytes > region->end() - seen.address) {
    past_the_end(*region, seen);
    return;
  }
  if (!seen.is_range && seen.address % seen.bytes != 0) {
    const std::string bytes = bytes_of(seen.bytes);
    problems_.add("misaligned", place_of(seen.pc),
                  thread_name() + " " + verb(seen.operation) + " " + element_name(*region, seen) +
                      " in one access of " + bytes + ", at an address that is no multiple of " +
                      bytes + ": a GPU ends the kernel there");
  }
  if (launch_->overlaps && !region->is_shared() && is_too_early(*region, seen)) {
    accessed_too_early_ = true;
    problems_.add("wait", place_of(seen.pc),
                  thread_name() + " " + verb(seen.operation) + " " + element_name(*region, seen) +
                      (may_read_early(seen) ? ", which the kernel before it has written," : "") +
                      " before it has called wait_for_previous_grid(): the launch asked for "
                      "Overlap::previous_kernel, so the kernel before it may still be at work");
  }
  remember(*region, seen);
}

/// Whether it is a read before the wait, which is right of what the kernel before only reads.
bool Checker::may_read_early(const Seen& seen) const {
  return waited(running_thread()) == Waited::to_read && seen.operation == Operation::load;
}

/// Whether the kernel before may still write there, or read what is written now.
bool Checker::is_too_early(const Region& region, const Seen& seen) const {
  if (waited(running_thread()) == Waited::fully) return false;
  const Extent& stored = region.stored_before;
  return !may_read_early(seen) ||
         (seen.address < stored.end && seen.address + seen.bytes > stored.begin);
}

/// An access that begins in no region.
void Checker::outside(const Seen& seen) {
  ++accesses_;
  const std::string who = thread_name() + " " + verb(seen.operation) + " ";
  if (const Regions::Freed* const freed = regions_.freed_at(seen.address)) {
    Region region = {Region::Kind::buffer, freed->bytes.begin, 0, freed->name, freed->name};
    region.base = region.begin;
    region.element = seen.bytes;
    problems_.add("freed", place_of(seen.pc), who + element_name(region, seen) + ", " + freed->how);
    stop(1);
  }
  Region* const region = regions_.nearest(seen.address);
  if (region != nullptr) {
    past_the_end(*region, seen);
    return;
  }
  if (is_program_ && is_hosts(seen)) return;
  problems_.add(
      "outside", place_of(seen.pc),
      thread_name() + " " + verb(seen.operation) + " " + bytes_of(seen.bytes) +
          (seen.address < 4096 ? " through a null pointer, at the address " : " at the address ") +
          hexadecimal(seen.address) + ", which is neither a buffer's nor a shared array's");
  stop(1);
}

/// Whether a kernel accesses what only host code may. It is told, and goes on where there is memory.
bool Checker::is_hosts(const Seen& seen) {
  if (!is_mapped(seen.address)) return false;
  std::string through;
  std::uintptr_t nearest = 0;
  const std::vector<std::string> names = parameters_of(*launch_);
  for (std::size_t i = 0; i < launch_->argument_count && i < names.size(); ++i) {
    const std::uintptr_t pointer = pointer_of(launch_->arguments[i]);
    if (pointer == 0 || pointer > seen.address || pointer < nearest ||
        seen.address - pointer > kReach)
      continue;
    nearest = pointer;
    through = names[i] + "[" +
              std::to_string((seen.address - pointer) / launch_->arguments[i].pointee) + "]";
  }
  problems_.add(
      "host memory", place_of(seen.pc),
      thread_name() + " " + verb(seen.operation) + " " +
          (through.empty() ? bytes_of(seen.bytes) + " at " + hexadecimal(seen.address) : through) +
          ", which is memory of the host: a kernel needs a pointer that cudaMalloc gave");
  return true;
}

/// An access that is not, or not all, inside the region that it was meant for.
void Checker::past_the_end(Region& region, const Seen& seen) {
  const Place place = place_of(seen.pc);
  look_up(region, place);
  const std::size_t unit = region.element != 0 ? region.element : seen.bytes;
  const auto size = static_cast<std::int64_t>(unit);
  const auto from = static_cast<std::int64_t>(seen.address - region.base);
  const auto bytes = static_cast<std::int64_t>(seen.bytes);
  const auto end = static_cast<std::int64_t>(region.end() - region.base);
  const auto begin = static_cast<std::int64_t>(region.begin - region.base);
  const std::int64_t last = (from + bytes - 1 - begin) / size, count = (end - begin) / size;
  const std::string distance =
      from < begin ? std::to_string((begin - from + size - 1) / size) + " before the beginning"
                   : (last == count ? "one" : std::to_string(last - count + 1)) + " past the end";
  const std::string what = region.name.empty() ? "it" : region.name;
  problems_.add("outside", place,
                thread_name() + " " + verb(seen.operation) + " " + element_name(region, seen) +
                    ", " + distance + " (" + what + " has " +
                    plural(static_cast<std::uint64_t>(count), "element") + ")");
  if (region.kind == Region::Kind::shared_array) {
    if (seen.operation != Operation::load) stop(1);  // it may be the executor's own memory
    return;
  }
  // Let it find memory.
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t page = seen.address & ~(kPage - 1);
  const std::size_t pages = ((seen.address + seen.bytes - 1) & ~(kPage - 1)) + kPage - page;
  if (is_mapped(page) && is_mapped(page + pages - kPage) && region.kind == Region::Kind::variable)
    return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of an address that the kernel computed
  if (mprotect(reinterpret_cast<void*>(page), pages, PROT_READ | PROT_WRITE) != 0) stop(1);
}

/// Looks for the declaration of a shared array above the line that accesses it.
void Checker::look_up(Region& region, const Place& where) {
  const bool is_variable = region.kind == Region::Kind::variable;
  if (!(region.is_shared() || is_variable) || region.is_declared) return;
  region.is_declared = true;
  const bool is_dynamic = region.kind == Region::Kind::dynamic_shared;
  const Declaration found = declaration_of(is_dynamic ? "" : region.name, where);
  region.element = found.element;
  if (!found.name.empty()) region.name = region.name_to_store = found.name;
}

/// Judges an access by those before it, and remembers it. To the compiler a volatile access is one
/// that another thread may see, as an atomic is.
void Checker::remember(Region& region, const Seen& seen) {
  const unsigned thread = running_thread();
  const bool is_shared = region.is_shared(), is_load = seen.operation == Operation::load;
  const bool is_strong = seen.operation == Operation::atomic || (seen.is_volatile && !is_shared);
  if (is_strong) order_.atomic(seen.address, is_shared, thread);
  Stamp now = order_.now(thread);
  now.place = place_number(seen.pc) & 0x7FFF;
  now.atomic = is_strong ? 1 : 0;
  if (is_of_other_block(region)) reach_into(region, seen, now);
  if (seen.operation != Operation::store) read_unwritten(region, seen);
  bool is_told = false;
  static std::vector<Stamp> stamps;
  stamps.clear();
  const auto judge = [&](const Stamp& earlier, std::size_t at, bool writes) {
    if (is_told || (is_strong && earlier.atomic != 0)) return;
    if (order_.comes_before(earlier, is_shared, thread)) return;
    report_race(region, seen, at, earlier, writes);
    is_told = true;
  };
  region.cells.visit(seen.address - region.begin, seen.bytes, [&](Cell& cell, std::size_t at) {
    judge(cell.write, at, true);
    if (is_load) {
      Stamp& first = cell.reads[0];
      const bool is_free = order_.comes_before(first, is_shared, thread);
      (is_free ? first : cell.reads[1]) = now;
      return;
    }
    for (const Stamp& read : cell.reads) judge(read, at, false);
    stamps.push_back(cell.write);
    cell.write = now;
  });
  if (is_load) return;
  if (pending_.region != nullptr) pending_.stamps = stamps;
  region.write(seen.address, seen.bytes);
  grow(region.stored, seen.address, seen.bytes);
}

/// Whether it is the shared memory of another block of the cluster.
bool Checker::is_of_other_block(const Region& region) const {
  return region.is_shared() && in_clusters() && region.rank != rank_;
}

/// An access to another block's shared memory: that block must have begun, and must not end before.
void Checker::reach_into(Region& region, const Seen& seen, const Stamp& now) {
  Reach& last = reached_[&region];
  if (now.serial <= last.serial) return;
  const Place place = place_of(seen.pc);
  look_up(region, place);
  const std::string sentence =
      thread_name() + " " + verb(seen.operation) + " " + element_of(region, seen);
  last = {
      now.serial, place,
      sentence + ", which may have ended: no barrier of the cluster behind this access keeps it"};
  if (order_.has_met(running_thread())) return;
  problems_.add(
      "not begun", place,
      sentence + ", and has come to no barrier of the cluster yet: that block may not have begun");
}

/// A read of what nobody has written. A struct may have gaps between its members, which nobody writes.
void Checker::read_unwritten(Region& region, const Seen& seen) {
  const auto sentence = [&](const char* by_whom) {
    return thread_name() + " " + verb(seen.operation) + " " + element_of(region, seen) +
           ", which " + by_whom;
  };
  if (!region.is_shared()) {
    if (!region.is_unwritten(seen.address, seen.bytes)) return;
    problems_.add("unwritten", place_of(seen.pc),
                  sentence("nobody has written: no copy, no cudaMemset and no kernel"));
    return;
  }
  bool is_written = false;
  region.cells.visit(seen.address - region.begin, seen.bytes, [&](const Cell& cell, std::size_t) {
    is_written = is_written || order_.is_of_cluster(cell.write);
  });
  const std::uint16_t number = place_number(seen.pc);
  if (is_written || unwritten_.count(number) != 0) return;
  const Place place = place_of(seen.pc);
  look_up(region, place);
  unwritten_.emplace(
      number, Unwritten{place, sentence(in_clusters() ? "no thread of the cluster has set before"
                                                      : "no thread of the block has set before")});
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
  const unsigned grid = order_.grid_of(earlier);
  const bool same_grid = grid == order_.running_grid(),
             same_cluster = order_.is_of_cluster(earlier);
  const bool same_block = same_grid && earlier.block == block_;
  const char* const did = earlier_writes ? (earlier.atomic != 0 ? "updates" : "writes") : "reads";
  const bool reads = seen.operation == Operation::load || !earlier_writes;
  std::string reason = same_block     ? "with no barrier between them"
                       : same_cluster ? "with no barrier of the cluster between them"
                       : same_grid    ? "and nothing orders blocks"
                       : order_.is_around(grid)
                           ? "and nothing puts that before the launch of this grid"
                           : "and nothing orders the two grids";
  if (same_line && same_place && reads) reason += ": an update can be lost";
  const std::string sentence = thread_name() + " " + verb(seen.operation) + " " +
                               element_of(region, byte) + ", which " + name_of(earlier) + " " +
                               did + " in " + (same_line ? "the same line" : there.name()) +
                               (same_place ? "" : there.inside) + ", " + reason;
  const bool may_be_same = earlier_writes || !region.is_shared();
  if (seen.operation != Operation::store || !may_be_same) {
    problems_.add_once(key, here, sentence);
    return;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): memory of the region
  const auto* const memory = reinterpret_cast<const unsigned char*>(seen.address);
  pending_ = {
      key, here, sentence, &region, seen.address - region.begin, {memory, memory + seen.bytes}, {}};
}

/// The store is done: a race in which every thread writes the same value harms nobody today.
void Checker::settle() {
  if (pending_.region == nullptr) return;
  const Pending race = std::move(pending_);
  pending_ = {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): memory of the region
  const void* const memory = reinterpret_cast<const void*>(race.region->begin + race.offset);
  if (is_far_ || std::memcmp(memory, race.before.data(), race.before.size()) != 0) {
    problems_.add_once(race.key, race.place, race.sentence);
    return;
  }
  problems_.remark(race.key, race.place,
                   race.sentence + ": undefined, though every thread writes the same value");
  auto stamp = race.stamps.begin();  // the write that changed something is the one to remember
  race.region->cells.visit(race.offset, race.before.size(), [&](Cell& cell, std::size_t) {
    if (stamp != race.stamps.end()) cell.write = *stamp++;
  });
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
  return "thread " + index_text(thread, launch_->block) + " of block " +
         index_text(block, launch_->grid);
}

/// With the kernel, if it is not the one that runs.
std::string Checker::name_of(const Stamp& stamp) const {
  const unsigned number = order_.grid_of(stamp);
  if (number == order_.running_grid()) return name_of(stamp.thread, stamp.block);
  const Grid& grid = grids_.at(number);
  return "thread " + index_text(stamp.thread, grid.threads) + " of block " +
         index_text(stamp.block, grid.blocks) + " of " + grid.kernel;
}

/// "x[5]", or "x[5] of block 2", of whose shared memory it is.
std::string Checker::element_of(const Region& region, const Seen& seen) const {
  const std::string name = element_name(region, seen);
  if (!is_of_other_block(region)) return name;
  return name + " of block " + index_text(block_ - rank_ + region.rank, launch_->grid);
}

/// "x[5]", or "x[8] to x[15]".
std::string element_name(const Region& region, const Seen& seen) {
  const std::size_t unit = region.element != 0 ? region.element : seen.bytes;
  const std::string& name = seen.operation == Operation::load ? region.name : region.name_to_store;
  const auto from = static_cast<std::int64_t>(seen.address - region.base);
  const auto size = static_cast<std::int64_t>(unit);
  const std::int64_t first = from >= 0 ? from / size : -((-from + size - 1) / size);
  const std::int64_t more = std::max<std::int64_t>(static_cast<std::int64_t>(seen.bytes) / size, 1);
  const bool is_one = region.is_shared() && region.bytes == region.element;
  if (is_one || (region.kind == Region::Kind::variable && region.bytes <= unit)) return name;
  const bool is_array = region.element != 0 && !name.empty();
  if (!is_array) {
    const std::string of = name.empty() ? "a buffer of " + plural(region.bytes, "byte") : name;
    return "element " + std::to_string(first) + " (of " + plural(unit, "byte") + ") of " + of;
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
