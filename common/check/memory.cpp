// Regions as the executor has them, and accesses that are in none.

#include "common/check/memory.h"

#include "common/executor/device_memory.h"
#include "common/executor/shared_variables.h"
#include "common/executor/worker.h"
#include "common/trace/symbols.h"

#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>

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

Region::Kind kind_of(cpu::MemoryKind kind) {
  if (kind == cpu::MemoryKind::device) return Region::Kind::buffer;
  if (kind == cpu::MemoryKind::managed) return Region::Kind::managed;
  return kind == cpu::MemoryKind::symbol ? Region::Kind::variable : Region::Kind::pinned;
}

/// Whether a function of the runtime has allocated it.
bool is_of_runtime(const Region& region) {
  return !region.is_shared() && region.kind != Region::Kind::variable &&
         region.kind != Region::Kind::heap;
}

}  // namespace

bool is_executors(std::uintptr_t pc, bool or_inlined) {
  const std::vector<trace::Frame>& frames = trace::Symbols::instance().frames(pc);
  if (frames.empty() || !frames.back().ours) return true;
  if (trace::is_of_executor(frames.back().file)) return true;
  const std::string& inner = frames.front().file;
  return or_inlined && trace::is_of_executor(inner) &&
         inner != "common/executor/memory_functions.h" &&
         inner != "common/executor/atomic_functions.h" &&
         inner != "common/run/include/cuda_pipeline.h" &&
         inner != "common/run/include/cooperative_groups/memcpy_async.h";
}

std::uintptr_t pointer_of(const cpu::Argument& argument) {
  std::uintptr_t pointer = 0;
  if (argument.pointee != 0) std::memcpy(&pointer, argument.value, sizeof pointer);
  return pointer;
}

void look_up(Region& region, const Place& where) {
  const bool is_variable = region.kind == Region::Kind::variable;
  if (!(region.is_shared() || is_variable) || region.is_declared) return;
  region.is_declared = true;
  const bool is_dynamic = region.kind == Region::Kind::dynamic_shared;
  const Declaration found = declaration_of(is_dynamic ? "" : region.name, where);
  region.element = found.element;
  if (!found.name.empty()) region.name = region.name_to_store = found.name;
}

void Memory::start(bool is_program) {
  is_program_ = is_program;
  if (is_program) trace::Symbols::instance().look_at_program();
  regions_.keep_apart(kReach);
  host_stack_ = stack_of_this_thread();
  for (const cpu::SharedVariable& variable : cpu::shared_variables()) {
    regions_.add(Region::Kind::shared_array, variable.begin, variable.bytes, variable.name);
  }
}

// ---- Regions ------------------------------------------------------------------------------------

void Memory::find_buffers(const std::function<void(Region&)>& is_new) {
  const auto ranges = cpu::DeviceMemory::instance().all();
  std::map<std::uintptr_t, const cpu::MemoryRange*> now;
  for (const auto& range : ranges) now[reinterpret_cast<std::uintptr_t>(range.begin)] = &range;
  std::vector<std::uintptr_t> gone;
  regions_.for_all([&](Region& region) {
    if (!is_of_runtime(region)) return;
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

void Memory::find_shared_memory() {
  thread_local std::uintptr_t dynamic_shared = 0;
  const void* const memory = cpu::Worker::of_this_thread().dynamic_shared();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (begin != dynamic_shared && dynamic_shared != 0) regions_.remove(dynamic_shared);
  dynamic_shared = begin;
  if (begin != 0) {
    regions_
        .add(Region::Kind::dynamic_shared, memory, running_.launch->shared_bytes,
             "the dynamic shared memory")
        .rank = running_.rank;
  }
  if (!running_.in_clusters()) return;
  for (const cpu::SharedVariable& variable : cpu::shared_variables()) {
    regions_.add(Region::Kind::shared_array, variable.begin, variable.bytes, variable.name).rank =
        running_.rank;
  }
}

void Memory::name_regions() {
  regions_.for_all([](Region& region) {
    if (region.is_shared() || region.kind == Region::Kind::variable) return;
    region.name = region.name_to_store = "";
    region.element = 0;
    region.base = region.begin;
  });
  const cpu::Launch& launch = *running_.launch;
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

/// As the runtime's buffers: full of what is no number, so that a read of what nobody has written shows.
void Memory::kernel_allocates(void* pointer, std::size_t bytes, std::uintptr_t pc) {
  const Place place = place_of(pc);
  regions_.is_reused(trace::extent_of(pointer, bytes));
  Region& region = regions_.add(Region::Kind::heap, pointer, bytes, "");
  region.written.assign(bytes, false);
  region.called = allocated_as(source_line(place.file, place.line));
  region.name = region.name_to_store = region.called;
  std::memset(pointer, 0xFF, bytes);
}

void Memory::kernel_frees(const Extent& bytes, std::uintptr_t pc) {
  const Region* const region = regions_.at(bytes.begin);
  if (region == nullptr) return;
  regions_.note_freed({bytes, region->called, "which " + place_of(pc).name() + " has freed"});
  regions_.remove(bytes.begin);
}

// ---- Whose an access is -------------------------------------------------------------------------

Region* Memory::region_of(const Seen& seen) {
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

bool Memory::is_our_own(const Seen& seen) {
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

bool Memory::is_programs(std::uintptr_t pc) {
  const auto [entry, is_new] = programs_.try_emplace(pc);
  if (is_new) entry->second = !is_executors(pc, false);
  return entry->second;
}

/// Whether an access to the host's stack is that of a launch, which hands its arguments over from there.
bool Memory::is_of_launch(const Seen& seen) const {
  if (is_executors(seen.pc, true)) return true;
  const Place place = place_of(seen.pc), launch = place_of(running_.launch->where);
  return running_.launch->name != nullptr && place.line == launch.line && place.file == launch.file;
}

}  // namespace tutorial::check
