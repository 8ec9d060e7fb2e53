// Where an address lies.

#include "common/check/region.h"

#include "common/check/variables.h"
#include "common/executor/device_memory.h"

#include <algorithm>
#include <iterator>

namespace tutorial::check {

namespace {

/// Addresses around a buffer that belong to nobody, and around a shared array. Nothing keeps the others apart.
std::size_t reach_of(const Region& region, std::size_t buffers) {
  if (region.kind == Region::Kind::shared_array) return kSharedReach;
  const bool is_apart = region.kind == Region::Kind::buffer ||
                        region.kind == Region::Kind::managed ||
                        region.kind == Region::Kind::dynamic_shared;
  return is_apart ? buffers : 256;
}

}  // namespace

std::uint64_t Cells::made = 0;

void Regions::keep_apart(std::size_t reach) {
  reach_ = reach;
  cpu::DeviceMemory::instance().keep_apart(reach);
}

Cells::Page& Cells::prepare(std::size_t number, bool in_words) {
  if (number >= pages_.size()) pages_.resize(number + 1);
  Page& page = pages_[number];
  if (page.unit == 0) {
    ++made;
    page.unit = in_words ? kWord : 1;
    page.cells.resize(kPage / page.unit);
  } else if (page.unit == kWord && !in_words) {
    std::vector<Cell> bytes(kPage);
    for (std::size_t i = 0; i < kPage; ++i) bytes[i] = page.cells[i / kWord];
    page.cells = std::move(bytes);
    page.unit = 1;
  }
  return page;
}

void Region::write(std::uintptr_t address, std::size_t count) {
  if (written.empty()) return;
  const auto first = written.begin() + static_cast<std::ptrdiff_t>(address - begin);
  std::fill(first, first + static_cast<std::ptrdiff_t>(count), true);
}

bool Region::is_unwritten(std::uintptr_t address, std::size_t count) const {
  if (written.empty()) return false;
  constexpr unsigned char kPoison = 0xFF;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): memory of the region
  const auto* const memory = reinterpret_cast<const unsigned char*>(address);
  for (std::size_t i = 0; i < count; ++i) {
    if (written[address - begin + i] || memory[i] != kPoison) return false;
  }
  return true;
}

Region& Regions::add(Region::Kind kind, const void* begin, std::size_t bytes,
                     const std::string& name) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  std::unique_ptr<Region>& region = regions_[address];
  if (region == nullptr || region->bytes != bytes || region->kind != kind) {
    region.reset(new Region{kind, address, bytes, name, name});
    region->base = address;
  }
  last_ = nullptr;
  between_ = {};
  return *region;
}

void Regions::remove(std::uintptr_t begin) {
  regions_.erase(begin);
  last_ = nullptr;
  between_ = {};
}

const Regions::Freed* Regions::freed_at(std::uintptr_t address) const {
  const auto above = freed_.upper_bound(address);
  if (above == freed_.begin()) return nullptr;
  const Freed& freed = std::prev(above)->second;
  return freed.bytes.holds(address) ? &freed : nullptr;
}

void Regions::is_reused(const trace::Extent& bytes) {
  for (auto entry = freed_.begin(); entry != freed_.end();) {
    const trace::Extent& freed = entry->second.bytes;
    const bool meets = freed.begin < bytes.end && bytes.begin < freed.end;
    entry = meets ? freed_.erase(entry) : std::next(entry);
  }
}

Region* Regions::at(std::uintptr_t address) {
  if (last_ != nullptr && last_->holds(address)) return last_;
  if (between_.holds(address)) return nullptr;
  const auto above = regions_.upper_bound(address);
  between_ = {0, above == regions_.end() ? ~std::uintptr_t{0} : above->first};
  if (above == regions_.begin()) return nullptr;
  Region* const region = std::prev(above)->second.get();
  between_.begin = region->end();
  if (!region->holds(address)) return nullptr;
  between_ = {};
  return last_ = region;
}

Region* Regions::variable_at(std::uintptr_t address, const std::string& line) {
  const Variable* const variable = Variables::instance().meant(address, line);
  if (variable == nullptr) return nullptr;
  return &add(Region::Kind::variable, variable->begin, variable->bytes, variable->name);
}

Region* Regions::nearest(std::uintptr_t address) {
  Region* nearest = nullptr;
  std::uintptr_t least = 0;
  for (const auto& [begin, region] : regions_) {
    std::uintptr_t distance = 0;
    if (address < begin) distance = begin - address;
    if (address > region->end()) distance = address - region->end();
    if (distance >= reach_of(*region, reach_) || (nearest != nullptr && distance >= least))
      continue;
    nearest = region.get();
    least = distance;
  }
  return nearest;
}

}  // namespace tutorial::check
