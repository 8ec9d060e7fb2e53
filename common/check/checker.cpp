// From launches, blocks, waits and accesses to the parts that judge them.

#include "common/check/checker.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tutorial::check {

using trace::Seen;

namespace {

/// Whether the line is one of what watches, which the clock may find at work too.
bool is_watchers(const Place& place) {
  for (const char* const folder : {"common/check/", "common/trace/", "common/executor/"}) {
    if (place.file.compare(0, std::strlen(folder), folder) == 0) return true;
  }
  return false;
}

/// "FILE:LINE" from there on.
Place place_at(const std::string& text, std::size_t begin) {
  const std::size_t colon = text.find(':', begin);
  return {text.substr(begin, colon - begin), std::atoi(text.c_str() + colon + 1), ""};
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
    begins ? instance().launch_begins(launch) : instance().launch_ends();
    return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  });
  memory_.start(is_program_);
  cpu::watcher = this;
  trace::on_access = [](const Seen& seen) { instance().access(seen); };
  trace::on_atomic_load = [](const Seen& seen) {
    if (cpu::running_block == nullptr && instance().host_ != nullptr) instance().host_(seen);
  };
  trace::on_fence = [] { instance().order_.fence(); };
  handle_signals([](std::uintptr_t pc) { instance().time_is_over(pc + 1); },
                 [](int signal) { instance().crash(signal); });
}

void Checker::start_program(void (*host)(const Seen& seen)) {
  is_program_ = true;
  host_ = host;
  start();
}

void Checker::look_far() {
  memory_.regions().keep_apart(kFarReach);
  cpu::run_ends(8);
  is_far_ = true;
  races_.count_same_values();
}

bool Checker::finish() {
  races_.settle();
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
  races_.settle();
  problems_.print();
  std::fflush(nullptr);
  leave(is_program_ ? 3 : code);
}

/// Past what a program may want to do at its end.
void Checker::leave(int code) {
  syscall(SYS_exit_group, code);
  std::abort();
}

void Checker::kernel_frees(const trace::Extent& bytes, std::uintptr_t pc) {
  races_.settle();
  memory_.kernel_frees(bytes, pc);
}

// ---- Launches and blocks ------------------------------------------------------------------------

void Checker::launch_begins(const cpu::Launch& launch) {
  const Busy busy;
  running_.launch = &launch;
  running_.cluster_size = std::max(launch.cluster, 1U);
  ++launches_;
  accesses_before_ = accesses_;
  cluster_ = ~0U;  // none yet
  failed_ = launches_more_ = accessed_too_early_ = false;
  order_.launch_begins(running_.cluster_size);
  waits_.launch_begins();
  races_.launch_begins();
  memory_.find_buffers();
  memory_.regions().for_all([&](Region& region) {
    if (!order_.is_child()) region.cells.clear();
    region.stored_before = std::exchange(region.stored, {});
  });
  memory_.name_regions();
  in_launch_ = true;
}

void Checker::launch_ends() {
  const Busy busy;
  Deadline::ends();
  races_.cluster_ends(failed_);
  in_launch_ = false;
  const cpu::Launch& launch = *running_.launch;
  if (launch.overlaps && !waits_.has_any_waited() && !accessed_too_early_ && !failed_) {
    problems_.add("no wait", place_of(reinterpret_cast<std::uintptr_t>(launch.kernel) + 1),
                  "the launch asked for Overlap::previous_kernel and no thread calls "
                  "wait_for_previous_grid(): the kernel after this one may begin before the one "
                  "before it has ended");
  }
  if (accesses_ == accesses_before_ && !failed_ && !launches_more_ && is_program_ &&
      launch.name != nullptr) {
    const Place place = place_of(launch.where);
    problems_.remark(
        std::string("unseen ") + launch.name + " (" + place.name() + ")", place,
        std::string(launch.name) + " accessed no memory that is watched: nothing is said of it");
  }
  if (launch_ended) launch_ended(launch);
}

/// The kernel has not run: whoever does not ask learns of it by its results.
void Checker::launch_is_refused(const cpu::Launch& launch, cudaError_t error) {
  const Busy busy;
  if (!is_program_ || launch.name == nullptr) return;
  problems_.error_is_left(place_of(launch.where), std::string(launch.name) + " was not launched: " +
                                                      cudaGetErrorName(error));
}

void Checker::block_begins() {
  const Busy busy(races_);
  deadline_.begins(is_far_ ? 1 : Deadline::limit());
  ++blocks_;
  take_turn();
  if (const std::uint32_t cluster = running_.block / running_.cluster_size; cluster != cluster_) {
    races_.cluster_ends(failed_);
    cluster_ = cluster;
    order_.cluster_begins();
    copies_.cluster_begins();
  }
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  order_.block_begins(running_.rank, running_.block, threads);
  waits_.block_begins(threads);
  memory_.find_shared_memory();
}

/// What is told from now on is told of the block that runs on this thread.
void Checker::take_turn() {
  running_.block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  running_.rank = running_.block % running_.cluster_size;
  order_.goes_on(running_.rank);
}

/// "block (0,0,0): divergent barrier: thread (0,0,0) waits at __syncthreads() in FILE:LINE, ..."
void Checker::block_fails(const std::string& report) {
  const Busy busy(races_);
  take_turn();
  if (std::exchange(failed_, true)) return;  // another block of the cluster has said why
  races_.block_fails();
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

// ---- What orders accesses -----------------------------------------------------------------------

void Checker::barrier_completes(unsigned returned, bool of_cluster) {
  const Busy busy(races_);
  take_turn();
  if (returned > 0) {
    const Place place = place_of(last_wait_);
    problems_.remark("returned " + place.name(), place,
                     plural(returned, "thread") + " of block " + std::to_string(running_.block) +
                         (returned == 1 ? " has" : " have") +
                         " returned before this barrier. The others go on without them, on a GPU "
                         "since Volta too; "
                         "clearer is a barrier that every thread comes to");
  }
  order_.barrier_completes(of_cluster);
  waits_.block_meets();
}

void Checker::arrives_at_cluster() {
  const Busy busy(races_);
  order_.arrives_at_cluster(running_.thread());
}

void Checker::has_waited_for_cluster() {
  const Busy busy(races_);
  order_.has_waited_for_cluster(running_.thread());
}

void Checker::warp_meets(unsigned warp, std::uint32_t lanes, bool orders_memory) {
  const Busy busy;
  if (!orders_memory) return;
  order_.warp_meets(warp, lanes);
  waits_.warp_meets(warp, lanes);
}

void Checker::waits_for_previous_grid() {
  if (in_launch_) waits_.waits();
}

void Checker::reads_what_previous_grid_reads() {
  if (in_launch_) waits_.waits_to_read();
}

void Checker::lets_next_grid_begin(std::uintptr_t pc) {
  const Busy busy;
  if (!in_launch_ || !running_.launch->overlaps || waits_.has_waited()) return;
  problems_.add(
      "early trigger", place_of(pc),
      running_.thread_name() +
          " calls let_next_grid_begin() before wait_for_previous_grid(): the kernel after "
          "this one may begin before the one before it has ended");
}

unsigned Checker::launches(cudaStream_t stream) {
  const Busy busy(races_);
  take_turn();
  launches_more_ = true;
  return order_.launches(running_.thread(), stream);
}

void Checker::child_begins(unsigned child) { order_.child_begins(child); }

void Checker::child_ends() { order_.child_ends(); }

void Checker::thread_waits(cpu::Where where) {
  const Busy busy(races_);
  last_wait_ = where;
  if (deadline_.is_over()) report_endless(place_of(where));
}

// ---- Accesses -----------------------------------------------------------------------------------

void Checker::access(const Seen& seen) {
  if (cpu::running_block == nullptr) {
    if (host_ != nullptr) host_(seen);
    return;
  }
  if (!in_launch_) return;
  const Busy busy(races_);
  last_pc_ = seen.pc;
  if (deadline_.is_over() && !is_executors(seen.pc, false)) report_endless(place_of(seen.pc));
  Region* const region = watched_region(seen);
  if (region == nullptr) return;
  if (region->is_shared()) copies_.access(*region, seen);
  judge(*region, seen);
}

/// The region that the access lies in; nullptr: it is none of the kernel's, or lies outside, which has been told.
Region* Checker::watched_region(const Seen& seen) {
  Region* const region = memory_.region_of(seen);
  if (region == nullptr && memory_.is_our_own(seen)) return nullptr;
  ++accesses_;
  const bool is_inside = region != nullptr && region->holds(seen.address) &&
                         seen.bytes <= region->end() - seen.address;
  if (is_inside) return region;
  if (!tell_outside(problems_, running_, memory_, region, seen)) stop(1);
  return nullptr;
}

/// It may store from now on until the thread has waited, and is judged as a store at both ends.
void Checker::copies_late(const void* to, std::size_t bytes, std::uintptr_t pc) {
  if (!in_launch_) return;
  const Busy busy(races_);
  last_pc_ = pc;
  const Seen seen = {reinterpret_cast<std::uintptr_t>(to), bytes, trace::Operation::store, pc};
  Region* const region = watched_region(seen);
  if (region == nullptr) return;
  copies_.access(*region, seen);
  judge(*region, seen);
  copies_.begins(seen);
}

void Checker::has_waited_for_copy(const void* to) {
  const Busy busy;
  copies_.ends(reinterpret_cast<std::uintptr_t>(to));
}

void Checker::judge(Region& region, const Seen& seen) {
  if (!seen.is_range && seen.address % seen.bytes != 0) {
    const std::string bytes = plural(seen.bytes, "byte");
    problems_.add("misaligned", place_of(seen.pc),
                  running_.does(seen) + element_name(region, seen) + " in one access of " + bytes +
                      ", at an address that is no multiple of " + bytes +
                      ": a GPU ends the kernel there");
  }
  if (running_.launch->overlaps && !region.is_shared() && waits_.is_too_early(region, seen)) {
    accessed_too_early_ = true;
    problems_.add(
        "wait", place_of(seen.pc),
        running_.does(seen) + element_name(region, seen) +
            (waits_.may_read_early(seen) ? ", which the kernel before it has written," : "") +
            " before it has called wait_for_previous_grid(): the launch asked for "
            "Overlap::previous_kernel, so the kernel before it may still be at work");
  }
  races_.access(region, seen);
}

// ---- Time and signals ---------------------------------------------------------------------------

void Checker::time_is_over(std::uintptr_t pc) {
  if (!in_launch_) return;
  if (is_far_)
    stop(problems_.empty() ? 0 : 1);  // a thread that goes through all elements: nothing is learned
  if (!deadline_.is_final(is_program_)) return;
  const std::uintptr_t last = last_pc_;
  const Busy busy;  // looking up a line is none of the program's work
  Place place = place_of(pc);
  if (place.file.empty() || is_watchers(place)) place = place_of(last);
  report_endless(place);
}

void Checker::report_endless(const Place& place) {
  in_launch_ = false;
  problems_.add("endless", place,
                running_.thread_name() + " is still at work after " +
                    plural(static_cast<std::uint64_t>(Deadline::limit()), "second") +
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
                  running_.thread_name() + " ended the program: " + strsignal(signal) + trap);
  } else if (problems_.empty() && signal != SIGABRT) {
    std::fprintf(stderr, "check: the program ended outside of a kernel: %s\n", strsignal(signal));
  }
  if (!is_program_ || !problems_.empty()) stop(1);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace tutorial::check
