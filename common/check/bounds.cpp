// How far outside an access is, of what, and whether there is memory.

#include "common/check/bounds.h"

#include <sys/mman.h>

#include <cstdio>
#include <vector>

namespace tutorial::check {

using trace::Operation;
using trace::Seen;

namespace {

constexpr std::uintptr_t kPage = 4096;

std::uintptr_t page_of(std::uintptr_t address) { return address & ~(kPage - 1); }

// NOLINTBEGIN(performance-no-int-to-ptr): pages of an address that the kernel computed
/// Whether there is memory at the address.
bool is_mapped(std::uintptr_t address) {
  unsigned char known = 0;
  return mincore(reinterpret_cast<void*>(page_of(address)), 1, &known) == 0;
}

bool map(std::uintptr_t begin, std::uintptr_t last) {
  return mprotect(reinterpret_cast<void*>(page_of(begin)), page_of(last) + kPage - page_of(begin),
                  PROT_READ | PROT_WRITE) == 0;
}
// NOLINTEND(performance-no-int-to-ptr)

std::string hexadecimal(std::uintptr_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "%#zx", static_cast<std::size_t>(address));
  return text;
}

std::string element_of(const Regions::Freed& freed, const Seen& seen) {
  Region region = {Region::Kind::buffer, freed.bytes.begin, 0, freed.name, freed.name};
  region.base = region.begin;
  region.element = seen.bytes;
  return element_name(region, seen);
}

/// Of the host's memory: by the nearest of the kernel's pointers that lead there.
std::string element_of(const cpu::Launch& launch, const Seen& seen) {
  std::string element = plural(seen.bytes, "byte") + " at " + hexadecimal(seen.address);
  std::uintptr_t nearest = 0;
  const std::vector<std::string> names = parameters_of(launch);
  for (std::size_t i = 0; i < launch.argument_count && i < names.size(); ++i) {
    const std::uintptr_t pointer = pointer_of(launch.arguments[i]);
    if (pointer == 0 || pointer > seen.address || pointer < nearest ||
        seen.address - pointer > kReach)
      continue;
    nearest = pointer;
    element = names[i] + "[" +
              std::to_string((seen.address - pointer) / launch.arguments[i].pointee) + "]";
  }
  return element;
}

/// "one past the end (x has 5 elements)"
std::string distance_to(const Region& region, const Seen& seen) {
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
  return distance + " (" + what + " has " + plural(static_cast<std::uint64_t>(count), "element") +
         ")";
}

}  // namespace

bool tell_outside(Problems& problems, const Running& running, Memory& memory, Region* region,
                  const Seen& seen) {
  const Place place = place_of(seen.pc);
  const std::string does = running.does(seen);
  if (region == nullptr) {
    if (const Regions::Freed* const freed = memory.regions().freed_at(seen.address)) {
      problems.add("freed", place, does + element_of(*freed, seen) + ", " + freed->how);
      return false;
    }
    region = memory.regions().nearest(seen.address);
  }
  if (region != nullptr) {
    look_up(*region, place);
    problems.add("outside", place,
                 does + element_name(*region, seen) + ", " + distance_to(*region, seen));
    if (region->kind == Region::Kind::shared_array) return seen.operation == Operation::load;
    const std::uintptr_t last = seen.address + seen.bytes - 1;
    const bool is_there = is_mapped(seen.address) && is_mapped(last);
    return (is_there && region->kind == Region::Kind::variable) || map(seen.address, last);
  }
  if (memory.is_of_program() && is_mapped(seen.address)) {
    problems.add(
        "host memory", place,
        does + element_of(*running.launch, seen) +
            ", which is memory of the host: a kernel needs a pointer that cudaMalloc gave");
    return true;
  }
  problems.add(
      "outside", place,
      does + plural(seen.bytes, "byte") +
          (seen.address < kPage ? " through a null pointer, at the address " : " at the address ") +
          hexadecimal(seen.address) + ", which is neither a buffer's nor a shared array's");
  return false;
}

}  // namespace tutorial::check
