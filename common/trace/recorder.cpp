// The accesses of a launch, counted warp by warp.

#include "common/trace/recorder.h"

#include "common/executor/shared_variables.h"
#include "common/executor/worker.h"
#include "common/trace/extent.h"
#include "common/trace/symbols.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tutorial::trace {

namespace {

unsigned linear(uint3 index, dim3 shape) {
  return index.x + shape.x * (index.y + shape.y * index.z);
}

std::uint64_t block_number(uint3 block, dim3 grid) {
  return block.x + std::uint64_t{grid.x} * (block.y + std::uint64_t{grid.y} * block.z);
}

void add_one(std::vector<std::uint8_t>& counts, std::size_t at) {
  if (at < counts.size() && counts[at] < 255) ++counts[at];
}

}  // namespace

Recorder& Recorder::instance() {
  static Recorder recorder;
  return recorder;
}

void Recorder::start(std::vector<Buffer> buffers, std::int64_t warp) {
  meaning_.buffers = std::move(buffers);
  wanted_warp_ = warp;
  launches_.clear();
  homes_.clear();
  elsewhere_ = 0;
  for (OfBlock& block : blocks_) block.has_begun = false;
  on_access = [](const Seen& access) { instance().access(access); };
}

void Recorder::stop() {
  on_access = nullptr;
  in_launch_ = false;
}

std::uint64_t Recorder::observe(const cpu::Launch& launch, bool begins) {
  begins ? instance().launch_begins(launch) : instance().launch_ends();
  return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
}

void Recorder::watch(cpu::LaunchObserver observer) {
  cpu::set_worker_count(1);
  cpu::set_thread_order(cpu::Order::forward);
  cpu::set_launch_observer(observer);
}

void Recorder::launch_begins(const cpu::Launch& launch) {
  if (on_access == nullptr) return;
  LaunchRecord record;
  record.kernel = launch.kernel;
  if (launch.name != nullptr) record.name = launch.name;
  record.grid = launch.grid;
  record.block = launch.block;
  record.dynamic_shared = launch.shared_bytes;
  cluster_size_ = std::max(launch.cluster, 1U);
  if (blocks_.size() < cluster_size_) blocks_.resize(cluster_size_);
  launches_.push_back(std::move(record));
  device_memory_ = cpu::DeviceMemory::instance().all();
  in_launch_ = true;
}

void Recorder::launch_ends() {
  if (!in_launch_) return;
  leave_cluster();
  in_launch_ = false;
}

bool Recorder::is_global(std::uintptr_t address) const {
  return std::any_of(device_memory_.begin(), device_memory_.end(), [address](const auto& range) {
    return extent_of(range.begin, range.bytes).holds(address);
  });
}

/// Of the thread-local variables, all but the executor's own and the compiler's are `__shared__`.
bool Recorder::is_shared(std::uintptr_t address) const {
  thread_local const Extent locals = thread_locals();  // each block of a cluster has a thread
  thread_local const cpu::Worker& worker = cpu::Worker::of_this_thread();
  if (extent_of(worker.dynamic_shared(), launches_.back().dynamic_shared).holds(address)) {
    return true;
  }
  return locals.holds(address) && !is_position(address) && !lies_in(address, cpu::running_block) &&
         !lies_in(address, worker) && !cpu::is_guard(address);
}

std::uint32_t Recorder::place_of(std::uintptr_t pc) {
  const auto [entry, is_new] =
      place_numbers_.try_emplace(pc, static_cast<std::uint32_t>(meaning_.places.size()));
  if (!is_new) return entry->second;
  std::string lines, line = std::to_string(pc);  // where it is not known
  for (const Frame& frame : Symbols::instance().frames(pc)) {
    line = frame.file + ":" + std::to_string(frame.line) + " ";
    lines += line;
  }
  const auto number_of = [&](const std::string& text) {
    return line_numbers_.try_emplace(text, line_numbers_.size()).first->second;
  };
  meaning_.places.push_back({pc, number_of(lines.empty() ? line : lines), number_of(line),
                             Symbols::instance().copies_pair(pc)});
  return entry->second;
}

/// What the accesses of one statement have in common: the lines, of the kernel and of the functions
/// inlined there, and what is accessed. A host compiler may make several places of it: `c ? a : b`
/// in a loop is two stores, and in each round a lane makes one or the other. Places that begin with
/// different buffers are different statements, as in `a[i] + b[i]`.
std::uint32_t Recorder::statement_of(const Access& access) {
  constexpr std::uint8_t kUnknown = 0xFF;
  if (access.place >= homes_.size()) homes_.resize(meaning_.places.size(), kUnknown);
  std::uint8_t& home = homes_[access.place];
  if (home == kUnknown) {
    const Buffer* const buffer = meaning_.buffer_at(access.address);
    home = buffer == nullptr ? 0 : static_cast<std::uint8_t>(buffer - buffers().data() + 1);
  }
  const std::uint64_t key = std::uint64_t{meaning_.places[access.place].lines} << 32 |
                            std::uint64_t{home} << 24 | std::uint64_t{access.bytes} << 16 |
                            static_cast<std::uint64_t>(access.operation) << 8 |
                            static_cast<std::uint64_t>(access.space);
  return statement_numbers_.try_emplace(key, statement_numbers_.size()).first->second;
}

void Recorder::access(const Seen& access) {
  if (!in_launch_ || cpu::running_block == nullptr) return;
  before_ = last_;
  last_ = access;
  const auto [address, bytes, operation, pc, is_range, is_volatile] = access;
  static_cast<void>(is_volatile);
  Space space = Space::global;
  if (!is_global(address)) {
    if (!is_shared(address)) return;
    space = Space::shared;
  }
  block_ = &blocks_[cluster_size_ == 1 ? 0 : blockIdx.x % cluster_size_];
  const uint3 index = block_->index;
  if (!block_->has_begun || index.x != blockIdx.x || index.y != blockIdx.y ||
      index.z != blockIdx.z) {
    enter_block();
  }
  std::vector<Access>& thread = block_->threads[linear(threadIdx, blockDim)];
  const std::uint32_t place = place_of(pc);
  // A GPU moves at most 16 bytes at once, and no more than the alignment allows. A structure that is
  // aligned like its members arrives as one range; nvcc copies it member by member.
  std::size_t most = 16;
  if (is_range && (bytes <= 16 || bytes % 16 != 0)) {
    if (const Buffer* const buffer = meaning_.buffer_at(address)) most = buffer->element;
  }
  for (std::size_t done = 0; done < bytes; done += most) {
    const auto piece = static_cast<std::uint16_t>(std::min(most, bytes - done));
    thread.push_back({address + done, place, piece, operation, space});
  }
}

/// Of a struct's copy both hooks are called before either access.
std::string Recorder::last_access() const {
  if (!in_launch_ || last_.pc == 0) return "";
  const bool is_before = is_global(last_.address) && !is_global(before_.address);
  const Seen& seen = is_before ? before_ : last_;
  std::string where = "an unknown line";
  for (const Frame& frame : Symbols::instance().frames(seen.pc)) {
    if (frame.ours) where = frame.file + ":" + std::to_string(frame.line);
  }
  char text[160];
  std::snprintf(text, sizeof text, ": thread (%u,%u,%u) of block (%u,%u,%u) %s %zu bytes at %#zx, ",
                threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z,
                seen.operation == Operation::load ? "loads" : "stores", seen.bytes, seen.address);
  return where + text + (is_global(seen.address) ? "in device memory" : "in no device memory");
}

void Recorder::enter_block() {
  OfBlock* const mine = block_;
  const std::uint64_t cluster = block_number(blockIdx, launches_.back().grid) / cluster_size_;
  if (cluster != cluster_) leave_cluster();
  cluster_ = cluster;
  block_ = mine;
  block_->has_begun = true;
  block_->index = blockIdx;
}

void Recorder::leave_cluster() {
  for (OfBlock& block : blocks_) {
    block_ = &block;
    leave_block();
  }
  cluster_ = ~std::uint64_t{0};
}

/// Makes requests of what the block's threads did.
void Recorder::leave_block() {
  if (!block_->has_begun) return;
  block_->has_begun = false;
  LaunchRecord& launch = launches_.back();
  const unsigned count = launch.block.x * launch.block.y * launch.block.z;
  const unsigned warps = (count + kLanes - 1) / kLanes;
  const std::uint64_t number = block_number(block_->index, launch.grid);
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  std::uint64_t wanted = blocks / 2 * warps + warps / 2;
  if (wanted_warp_ >= 0) wanted = static_cast<std::uint64_t>(wanted_warp_);
  bool is_busy = false;
  for (unsigned i = 0; i < count; ++i) {
    std::vector<Access>& accesses = block_->threads[i];
    join(accesses, meaning_);
    bool touches = false;
    for (const Access& access : accesses) {
      if (access.space != Space::global) continue;
      touches = true;
      count_touches(access);
      footprint_.add(access.operation, access.address, access.bytes);
    }
    launch.busy_threads += touches ? 1 : 0;
    is_busy = is_busy || touches;
  }
  launch.busy_blocks += is_busy ? 1 : 0;
  launch.loaded_sectors += footprint_.loaded();
  launch.stored_sectors += footprint_.stored();
  launch.loaded_pieces += footprint_.pieces();
  footprint_ = {};
  for (unsigned warp = 0; warp < warps; ++warp) {
    gather(warp);
    for (const Request& request : requests_) {
      if (request.active == 0) continue;  // joined with another
      PlaceTotals& totals = launch.places[request.place];
      if (totals.cost.requests == 0) {
        totals.operation = request.operation;
        totals.space = request.space;
        totals.least_bytes = totals.most_bytes = request.bytes;
      }
      totals.least_bytes = std::min(totals.least_bytes, request.bytes);
      totals.most_bytes = std::max(totals.most_bytes, request.bytes);
      totals.cost.add(cost_of(request));
    }
    if (requests_.empty()) continue;
    if (number * warps + warp == wanted) keep(launch.middle, warp);
    const std::uint64_t last = launch.last.block_number * warps + launch.last.number;
    if (number * warps + warp >= last) keep(launch.last, warp);
  }
  for (unsigned i = 0; i < count; ++i) block_->threads[i].clear();
}

/// The requests of one warp of the block, into requests_; which ones each lane makes, into lanes_.
void Recorder::gather(unsigned warp) {
  requests_.clear();
  for (auto& of_statement : by_statement_) of_statement.clear();
  std::vector<std::uint32_t> seen;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lanes_[lane].clear();
    const unsigned thread = warp * kLanes + lane;
    if (thread >= block_->threads.size()) continue;
    std::fill(seen.begin(), seen.end(), 0);
    for (const Access& access : block_->threads[thread]) {
      const std::uint32_t statement = statement_of(access);
      if (statement >= by_statement_.size()) by_statement_.resize(statement + 1);
      if (statement >= seen.size()) seen.resize(statement + 1);
      auto& of_statement = by_statement_[statement];
      const std::uint32_t k = seen[statement]++;
      if (k == of_statement.size()) {
        of_statement.push_back(static_cast<std::uint32_t>(requests_.size()));
        Request request;
        request.place = access.place;
        request.operation = access.operation;
        request.space = access.space;
        requests_.push_back(request);
      }
      lanes_[lane].push_back(of_statement[k]);
      Request& request = requests_[of_statement[k]];
      request.bytes = std::max(request.bytes, access.bytes);
      request.active |= 1U << lane;
      request.address[lane] = access.address;
    }
  }
  join(requests_, lanes_, meaning_);
}

/// The requests of the warp at hand in an order that every lane agrees with, as far as there is one:
/// what only some lanes do stands before the next request that they share with the lanes before
/// them, and else at the end.
std::vector<std::uint32_t> Recorder::program_order() const {
  std::vector<std::uint32_t> order;
  for (const auto& lane : lanes_) {
    std::vector<std::uint32_t> fresh;
    for (const std::uint32_t number : lane) {
      const auto known = std::find(order.begin(), order.end(), number);
      if (known == order.end()) {
        fresh.push_back(number);
        continue;
      }
      order.insert(known, fresh.begin(), fresh.end());
      fresh.clear();
    }
    order.insert(order.end(), fresh.begin(), fresh.end());
  }
  return order;
}

void Recorder::keep(Warp& warp, unsigned number) const {
  warp.block = block_->index;
  warp.block_number = block_number(block_->index, launches_.back().grid);
  warp.number = number;
  warp.requests.clear();
  for (const std::uint32_t i : program_order()) warp.requests.push_back(requests_[i]);
}

void Recorder::count_touches(const Access& access) {
  const Buffer* const at = meaning_.buffer_at(access.address);
  if (at == nullptr) {
    elsewhere_ += access.bytes;
    return;
  }
  Buffer& buffer = meaning_.buffers[static_cast<std::size_t>(at - buffers().data())];
  auto& counts = access.operation == Operation::load ? buffer.loads : buffer.stores;
  for (std::size_t i = 0; i < access.bytes; ++i) {
    add_one(counts, access.address - buffer.begin + i);
  }
}

}  // namespace tutorial::trace
