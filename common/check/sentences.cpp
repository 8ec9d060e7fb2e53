// Names of threads, elements and launches.

#include "common/check/sentences.h"

#include <algorithm>

namespace tutorial::check {

using trace::Operation;
using trace::Seen;

namespace {

/// "5", or "(5,0,1)" in a shape of more dimensions.
std::string index_text(std::uint32_t i, dim3 shape) {
  if (shape.y == 1 && shape.z == 1) return std::to_string(i);
  return "(" + std::to_string(i % shape.x) + "," + std::to_string(i / shape.x % shape.y) + "," +
         std::to_string(i / shape.x / shape.y) + ")";
}

}  // namespace

std::string plural(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

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

std::string kernel_name(const cpu::Launch& launch) {
  return launch.name == nullptr ? "a kernel" : launch.name;
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

Place place_of(cpu::Where where) { return {from_root(where.file), where.line, ""}; }

std::string Grid::block_name(std::uint32_t block) const {
  return "block " + index_text(block, blocks);
}

std::string Grid::thread_name(unsigned thread, std::uint32_t block) const {
  return "thread " + index_text(thread, threads) + " of " + block_name(block);
}

Grid Running::grid() const { return {kernel_name(*launch), launch->block, launch->grid}; }

std::string Running::does(const Seen& seen) const {
  constexpr const char* kVerbs[] = {" reads ", " writes ", " updates "};
  return thread_name() + kVerbs[static_cast<unsigned>(seen.operation)];
}

std::string Running::element_of(const Region& region, const Seen& seen) const {
  const std::string name = element_name(region, seen);
  return is_others(region) ? name + " of " + grid().block_name(block - rank + region.rank) : name;
}

}  // namespace tutorial::check
