// The rules of host code.

#include "common/check/host.h"

#include "common/check/heap.h"
#include "common/check/variables.h"
#include "common/executor/later.h"

#include <algorithm>
#include <regex>

namespace tutorial::check {

using trace::Extent;
using trace::Operation;
using trace::Seen;

namespace {

thread_local int depth = 0;  // of calls

/// What the `number`-th allocation of a line stores its pointer in: "d_x" of cudaMalloc(&d_x, ...).
std::string stored_in(const Place& place, int number) {
  static const std::regex form(
      "cuda(?:Host)?(?:Malloc|Alloc|Register)\\w*(?:<[^>]*>)? *\\( *(?:\\( *void *\\*\\* "
      "*\\)|reinterpret_cast *<[^>]*> "
      "*\\()? *&? *\\(?&?([\\w.\\[\\]>-]+)");
  const std::string line = source_line(place.file, place.line);
  std::vector<std::string> names;
  for (std::sregex_iterator found(line.begin(), line.end(), form), end; found != end; ++found) {
    names.push_back((*found)[1].str());
  }
  return names.empty() ? "" : names[static_cast<std::size_t>(number) % names.size()];
}

Extent extent_of(const Piece& piece) { return trace::extent_of(piece.pointer, piece.bytes); }

const char* name_of(cudaMemcpyKind kind) {
  constexpr const char* kNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                    "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  return kind < cudaMemcpyDefault ? kNames[kind] : "cudaMemcpyDefault";
}

}  // namespace

Call::Call(const char* its_name, const void* return_address)
    : name(its_name),
      pc_(reinterpret_cast<std::uintptr_t>(cpu::asked_from != nullptr ? cpu::asked_from
                                                                      : return_address)),
      is_programs_(depth++ == 0 && Busy::count == 0 && Host::instance().is_started()) {
  ++Busy::count;
}

Call::~Call() {
  --depth;
  --Busy::count;
}

cudaError_t Call::answer(cudaError_t error) const {
  if (error != cudaSuccess && error != cudaErrorNotReady && is_programs_) {
    Checker::instance().problems().error_is_left(
        place(), std::string(name) + " answered " + cudaGetErrorName(error));
  }
  return error;
}

Host& Host::instance() {
  static Host& host = *new Host;
  return host;
}

void Host::start() {
  is_started_ = true;
  Heap::start();
  checker_.launch_ended = [this](const cpu::Launch& launch) { launch_ends(launch); };
  checker_.start_program([](const Seen& seen) { instance().access(seen); });
}

void Host::end(int code) {
  if (!is_started_ || has_ended_) return;
  has_ended_ = true;
  std::fflush(nullptr);
  if (code == 0) {
    if (problems_.empty()) tell_what_is_not_freed();
  } else {
    problems_.error_is_asked_for();  // it may be what the code says
  }
  if (!checker_.finish()) Checker::leave(3);
  trace::on_access = nullptr;  // what is destroyed from now on is watched no longer
}

void Host::tell_what_is_not_freed() {
  std::uint64_t count = 0, bytes = 0;
  const Region* first = nullptr;
  regions_.for_all([&](Region& region) {
    if (region.is_shared() || region.origin.file.empty()) return;
    if (first == nullptr || region.origin.line < first->origin.line) first = &region;
    ++count;
    bytes += region.bytes;
  });
  if (first == nullptr) return;
  problems_.remark("not freed", first->origin,
                   name_of(*first) + " was never freed" +
                       (count == 1 ? "" : ", nor " + plural(count - 1, "other allocation")) + " (" +
                       plural(bytes, "byte") + ")");
}

std::string Host::name_of(const Region& region) {
  const bool is_variable = region.kind == Region::Kind::variable;
  const std::string& name = is_variable ? region.name : region.called;
  return name.empty() ? "a buffer of " + plural(region.bytes, "byte") : name;
}

/// "d_x[3]"
std::string Host::element_of(const Region& region, const Seen& seen) {
  const std::size_t unit = region.element != 0 ? region.element : seen.bytes;
  const std::string index = std::to_string((seen.address - region.begin) / unit);
  return region.called.empty() ? "element " + index + " of " + name_of(region)
                               : region.called + "[" + index + "]";
}

// ---- Accesses -----------------------------------------------------------------------------------

void Host::access(const Seen& seen) {
  if (std::this_thread::get_id() != main_ || depth != 0) return;
  const Busy busy;
  Region* const region = regions_.at(seen.address);
  if (region == nullptr || region->is_shared()) return;
  const char* const does = seen.operation == Operation::load ? "reads " : "writes ";
  if (region->kind == Region::Kind::buffer || region->kind == Region::Kind::heap) {
    problems_.add("host", place_of(seen.pc),
                  std::string("host code ") + does + element_of(*region, seen) +
                      ", which is memory of the device: copy it with cudaMemcpy");
    return;
  }
  if (seen.operation == Operation::atomic || seen.is_volatile) meets_kernel(seen);
  for (const Work& work : work_) {
    if (!work.concerns(seen) || streams.is_done(work.ticket)) continue;
    problems_.add("not waited for", place_of(seen.pc),
                  std::string("host code ") + does + element_of(*region, seen) + ", which " +
                      work.what +
                      " writes, and nothing has waited for that: cudaDeviceSynchronize() does");
    break;
  }
  if (seen.operation != Operation::load)
    region->write(seen.address, std::min(seen.bytes, region->end() - seen.address));
}

/// An atomic of the host's, or a volatile access, is one that a kernel at work may see: what the kernel had
/// written before its own one is there, and what its stream had done before it.
void Host::meets_kernel(const Seen& seen) {
  std::map<cudaStream_t, std::uint64_t> met;
  for (const Work& work : work_) {
    if (work.concerns(seen)) met[work.ticket.stream] = work.ticket.number;
  }
  const auto is_met = [&](const Work& work) {
    const auto number = met.find(work.ticket.stream);
    return number != met.end() && work.ticket.number <= number->second;
  };
  work_.erase(std::remove_if(work_.begin(), work_.end(), is_met), work_.end());
}

void Host::launch_ends(const cpu::Launch& launch) {
  const Ticket ticket = streams.enqueue(launch.stream);
  work_.erase(std::remove_if(work_.begin(), work_.end(),
                             [&](const Work& work) { return streams.is_done(work.ticket); }),
              work_.end());
  regions_.for_all([&](Region& region) {
    if (!region.is_hosts() || region.stored.begin == region.stored.end) return;
    work_.push_back({region.stored, ticket,
                     kernel_name(launch) + ", launched in " + place_of(launch.where).name() + ","});
  });
}

// ---- Allocations --------------------------------------------------------------------------------

void Host::allocates(const Call& call) {
  if (!call.is_programs()) return;
  checker_.memory().find_buffers([&](Region& region) {
    region.origin = call.place();
    region.called = stored_in(region.origin, allocations_[region.origin.name()]++);
  });
}

void Host::frees(const Call& call, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!call.is_programs() || pointer == nullptr) return;
  if (const Region* const region = regions_.at(address)) {
    regions_.note_freed(
        {{region->begin, region->end()},
         name_of(*region),
         std::string("which ") + call.name + " in " + call.place().name() + " has freed"});
  } else if (const Regions::Freed* const freed = regions_.freed_at(address)) {
    problems_.add("freed", call.place(),
                  std::string(call.name) + " frees " + freed->name + ", " + freed->how);
  }
}

// ---- Copies -------------------------------------------------------------------------------------

/// "cudaMemcpy with cudaMemcpyHostToDevice reads from d_x, which is memory of the device".
void Host::judge_side(const Call& call, const Piece& piece, bool on_device,
                      const std::string& kind) {
  const Region* const region = region_of(piece.pointer);
  const bool is_device = region != nullptr && !region->is_shared();
  if (on_device ? is_device : !is_device || region->is_hosts()) return;
  const std::string what = is_device ? name_of(*region) : "memory of the host";
  problems_.add(
      piece.is_read ? "direction from" : "direction to", call.place(),
      std::string(call.name) + " with " + kind + (piece.is_read ? " reads from " : " writes to ") +
          what +
          (is_device ? ", which is memory of the device" : ": no cudaMalloc gave that pointer") +
          ": is the direction right, and the order of the pointers?");
}

Region* Host::region_of(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (Region* const region = regions_.at(address)) return region;
  checker_.memory().find_buffers();  // the address of a variable may have been asked for
  return regions_.at(address);
}

/// Whether the piece lies in the region.
bool Host::judge_size(const Call& call, const Piece& piece, const Region& region) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(piece.pointer);
  const std::size_t left = region.end() - begin;
  if (piece.bytes <= left) return true;
  const std::string behind =
      left == region.bytes ? "" : " (" + plural(left, "byte") + " from there on)";
  problems_.add("size", call.place(),
                std::string(call.name) + (piece.is_read ? " reads " : " writes ") +
                    plural(piece.bytes, "byte") + (piece.is_read ? " of " : " to ") +
                    name_of(region) + ", which has " + std::to_string(region.bytes) + behind +
                    ": " + std::to_string(piece.bytes - left) + " too many");
  return false;
}

/// The program's own array that a pointer leads into, where it is known: of its heap, or a variable.
std::optional<Region> Host::programs_array(const void* pointer) {
  Region array{Region::Kind::pinned, 0, 0, "", ""};
  if (const Heap::Array heap = Heap::instance().at(pointer); heap.pc != 0) {
    const Place place = place_of(heap.pc);
    array.begin = heap.bytes.begin;
    array.bytes = heap.bytes.end - heap.bytes.begin;
    array.called = allocated_as(source_line(place.file, place.line));
    return array;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const Variable* const variable = Variables::instance().at(address);
  if (variable == nullptr) return std::nullopt;
  array.begin = reinterpret_cast<std::uintptr_t>(variable->begin);
  array.bytes = variable->bytes;
  array.called = variable->name;
  return array;
}

/// Whether the piece lies in its array, as far as that is known.
bool Host::judge_array(const Call& call, const Piece& piece) {
  const Region* const region = region_of(piece.pointer);
  if (region != nullptr) return judge_size(call, piece, *region);
  const std::optional<Region> own = programs_array(piece.pointer);
  return !own || judge_size(call, piece, *own);
}

bool Host::copies(const Call& call, const Piece& to, const Piece& from, cudaMemcpyKind kind) {
  if (!call.is_programs() || to.bytes == 0 || to.pointer == nullptr || from.pointer == nullptr)
    return true;
  if (kind != cudaMemcpyDefault) {
    judge_side(call, to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
               check::name_of(kind));
    judge_side(call, from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice,
               check::name_of(kind));
  }
  bool fits = judge_array(call, to);
  fits = judge_array(call, from) && fits;
  const Region* const source = regions_.at(extent_of(from).begin);
  const bool is_results = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDefault;
  if (fits && source != nullptr && is_results &&
      source->is_unwritten(extent_of(from).begin, from.bytes)) {
    problems_.add("unwritten", call.place(),
                  std::string(call.name) + " reads " + name_of(*source) +
                      ", of which nobody has written a byte: no copy, no cudaMemset and no kernel");
  }
  return fits;
}

bool Host::copies_variable(const Call& call, const Piece& variable, const Piece& other,
                           cudaMemcpyKind kind) {
  if (!call.is_programs() || other.bytes == 0 || other.pointer == nullptr) return true;
  if (kind != cudaMemcpyDefault)
    judge_side(call, other, kind == cudaMemcpyDeviceToDevice, check::name_of(kind));
  const bool fits = judge_array(call, variable);
  return judge_array(call, other) && fits;
}

void Host::has_copied(const Call& call, const Piece& to, const Piece& from, cudaStream_t stream,
                      bool is_async) {
  if (!call.is_programs()) return;
  Region* const target = regions_.at(extent_of(to).begin);
  const Region* const source = regions_.at(extent_of(from).begin);
  const Ticket ticket = streams.enqueue(stream);
  const bool is_of_device =
      source != nullptr && target != nullptr && !source->is_hosts() && !target->is_hosts();
  // A copy that concerns memory of the host which is not pinned is done when the call returns.
  const bool is_pageable = source == nullptr || target == nullptr;
  if ((!is_async && !is_of_device) || is_pageable) streams.wait(stream);
  if (target == nullptr || to.bytes != from.bytes) return;
  const std::uintptr_t begin = extent_of(to).begin;
  if (source == nullptr || source->written.empty()) target->write(begin, to.bytes);
  for (std::size_t i = 0; i < to.bytes; ++i) {
    if (source == nullptr || source->written.empty()) break;
    if (!source->is_unwritten(extent_of(from).begin + i, 1)) target->write(begin + i, 1);
  }
  if (is_async && target->is_hosts()) {
    const Place place = call.place();
    work_.push_back({extent_of(to), ticket, std::string(call.name) + " in " + place.name()});
  }
}

void Host::sets(const Call& call, const Piece& what) {
  if (!call.is_programs() || what.pointer == nullptr || what.bytes == 0) return;
  if (const Region* const region = region_of(what.pointer)) {
    judge_size(call, what, *region);
    return;
  }
  problems_.add(
      "direction to", call.place(),
      std::string(call.name) + " writes to memory of the host: no cudaMalloc gave that pointer");
}

void Host::has_set(const Piece& what, cudaStream_t stream) {
  streams.enqueue(stream);
  Region* const region = regions_.at(extent_of(what).begin);
  if (region != nullptr)
    region->write(extent_of(what).begin,
                  std::min(what.bytes, region->end() - extent_of(what).begin));
}

}  // namespace tutorial::check
