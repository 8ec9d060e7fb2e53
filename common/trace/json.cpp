// A recording as JSON.

#include "common/trace/json.h"

#include "common/trace/symbols.h"

#include <algorithm>

namespace tutorial::trace {

namespace {

std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) text += c;
  }
  return text + "\"";
}

const char* name_of(Operation operation) {
  constexpr const char* kNames[] = {"load", "store", "atomic"};
  return kNames[static_cast<unsigned>(operation)];
}

const char* name_of(Space space) { return space == Space::global ? "global" : "shared"; }

std::string triple(unsigned x, unsigned y, unsigned z) {
  return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
}

void write_cost(Json& json, Space space, const Cost& cost) {
  json.number("requests", cost.requests);
  json.number("lanes", cost.lanes);
  json.number("used", cost.used);
  if (space == Space::global) {
    json.number("sectors", cost.sectors);
  } else {
    json.number("phases", cost.phases);
    json.number("passes", cost.passes);
    json.number("ways", cost.worst);
  }
}

/// The line of the kernel, and below it, if the access is made in a function of ours that was
/// inlined there, that function's.
void write_place(Json& json, std::uintptr_t pc) {
  std::vector<Frame> ours;
  for (const Frame& frame : Symbols::instance().frames(pc)) {
    if (frame.ours) ours.push_back(frame);
  }
  if (ours.empty()) return;
  const auto name = [](const Frame& frame) {
    return frame.file + ":" + std::to_string(frame.line);
  };
  json.text("line", name(ours.back()));
  if (ours.size() > 1) json.text("inner_line", name(ours.front()));
}

void write_warp(Json& json, const std::string& name, const Warp& warp, const Recorder& recorder) {
  json.begin(name, '{');
  json.plain("block", triple(warp.block.x, warp.block.y, warp.block.z));
  json.number("block_number", warp.block_number);
  json.number("warp", warp.number);
  json.begin("requests", '[');
  for (const Request& request : warp.requests) {
    json.begin("", '{');
    write_place(json, recorder.pc_of(request.place));
    json.text("operation", name_of(request.operation));
    json.text("space", name_of(request.space));
    json.number("bytes", request.bytes);
    json.number("active", request.active);
    const unsigned first =
        request.active == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(request.active));
    std::uintptr_t base = request.address[first];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((request.active >> lane & 1U) != 0) base = std::min(base, request.address[lane]);
    }
    std::uintptr_t origin = base / 128 * 128;
    std::string buffer = request.space == Space::shared ? "shared" : "workspace";
    for (const Buffer& candidate : recorder.buffers()) {
      if (!candidate.holds(base)) continue;
      origin = candidate.begin;
      buffer = candidate.name;
    }
    json.text("buffer", buffer);
    std::string offsets = "[";
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const bool is_active = (request.active >> lane & 1U) != 0;
      offsets += lane == 0 ? "" : ",";
      offsets += is_active
                     ? std::to_string(static_cast<std::int64_t>(request.address[lane] - origin))
                     : std::string("null");
    }
    json.plain("offsets", offsets + "]");
    write_cost(json, request.space, cost_of(request));
    json.end('}');
  }
  json.end(']');
  json.end('}');
}

void write_touched(Json& json, const std::string& name, const std::vector<std::uint8_t>& counts) {
  std::uint64_t once = 0, again = 0;
  for (const std::uint8_t count : counts) {
    once += count == 1 ? 1 : 0;
    again += count > 1 ? 1 : 0;
  }
  json.number(name + "_once", once);
  json.number(name + "_again", again);
}

}  // namespace

void Json::separate(const std::string& name) {
  const char last = text_.back();
  if (last != '{' && last != '[') text_ += ',';
  if (!name.empty()) text_ += quoted(name) + ":";
}

void Json::begin(const std::string& name, char bracket) {
  separate(name);
  text_ += bracket;
}

void Json::end(char bracket) { text_ += bracket; }

void Json::text(const std::string& name, const std::string& value) { plain(name, quoted(value)); }

void Json::plain(const std::string& name, const std::string& value) {
  separate(name);
  text_ += value;
}

void write_buffers(Json& json, const Recorder& recorder) {
  json.begin("buffers", '[');
  for (const Buffer& buffer : recorder.buffers()) {
    json.begin("", '{');
    json.text("name", buffer.name);
    json.number("bytes", buffer.bytes);
    write_touched(json, "loads", buffer.loads);
    write_touched(json, "stores", buffer.stores);
    json.end('}');
  }
  json.end(']');
}

void write_launch(Json& json, const LaunchRecord& launch, const Recorder& recorder,
                  bool with_buffers) {
  json.begin("", '{');
  json.text("kernel",
            launch.name.empty() ? Symbols::instance().function_at(launch.kernel) : launch.name);
  json.plain("grid", triple(launch.grid.x, launch.grid.y, launch.grid.z));
  json.plain("block", triple(launch.block.x, launch.block.y, launch.block.z));
  json.number("dynamic_shared", launch.dynamic_shared);
  json.number("busy_blocks", launch.busy_blocks);
  json.number("busy_threads", launch.busy_threads);
  json.number("loaded_sectors", launch.loaded_sectors);
  json.number("loaded_pieces", launch.loaded_pieces);
  if (with_buffers) write_buffers(json, recorder);
  json.begin("places", '[');
  for (const auto& [place, totals] : launch.places) {
    json.begin("", '{');
    write_place(json, recorder.pc_of(place));
    json.text("operation", name_of(totals.operation));
    json.text("space", name_of(totals.space));
    json.number("least_bytes", totals.least_bytes);
    json.number("most_bytes", totals.most_bytes);
    write_cost(json, totals.space, totals.cost);
    json.end('}');
  }
  json.end(']');
  if (!launch.middle.requests.empty()) write_warp(json, "middle", launch.middle, recorder);
  if (!launch.last.requests.empty()) write_warp(json, "last", launch.last, recorder);
  json.end('}');
}

void write_launches(Json& json, const Recorder& recorder) {
  json.begin("launches", '[');
  for (const LaunchRecord& launch : recorder.launches()) write_launch(json, launch, recorder);
  json.end(']');
}

}  // namespace tutorial::trace
