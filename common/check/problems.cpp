// From addresses in the program to sentences.

#include "common/check/problems.h"

#include "common/trace/symbols.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

namespace tutorial::check {

using trace::Frame;
using trace::Symbols;

namespace {

constexpr std::size_t kShown = 10;

bool is_identifier(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The identifier that ends there, or nothing.
std::string identifier_before(const std::string& text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_identifier(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// "tutorial::elementwise_pack_kernel<float, Elu>(...)" -> "elementwise_pack_kernel".
std::string plain_name(const std::string& function) {
  const std::string unnamed = "(anonymous namespace)::";
  const std::size_t at = function.rfind(unnamed, function.find('<'));
  const std::size_t from = at == std::string::npos ? 0 : at + unnamed.size();
  return identifier_before(function, std::min(function.find_first_of("<(", from), function.size()));
}

/// The lines of a file of the repository; read once.
const std::vector<std::string>& lines_of(const std::string& file) {
  static std::map<std::string, std::vector<std::string>> known;
  const auto [entry, is_new] = known.try_emplace(file);
  if (is_new) {
    std::ifstream source(std::string(TUTORIAL_ROOT) + "/" + file);
    if (!source) source.open(file);
    for (std::string line; std::getline(source, line);) entry->second.push_back(line);
  }
  return entry->second;
}

/// Of a type that has the same size everywhere; 0: not known.
std::size_t bytes_of_type(const std::string& type) {
  static const std::map<std::string, std::size_t> known = {
      {"bool", 1},          {"char", 1},         {"std::uint8_t", 1},  {"std::int8_t", 1},
      {"Byte", 1},          {"short", 2},        {"half", 2},          {"__nv_bfloat16", 2},
      {"float", 4},         {"int", 4},          {"half2", 4},         {"unsigned", 4},
      {"unsigned int", 4},  {"std::int32_t", 4}, {"double", 8},        {"float2", 8},
      {"std::uint32_t", 4}, {"std::int64_t", 8}, {"std::uint64_t", 8}, {"float4", 16},
      {"int2", 8},          {"int4", 16}};
  const auto entry = known.find(type);
  return entry == known.end() ? 0 : entry->second;
}

}  // namespace

std::string from_root(std::string text) {
  for (const std::string& start : {std::string(TUTORIAL_ROOT) + "/", std::string("../")}) {
    for (std::size_t at; (at = text.find(start)) != std::string::npos;) {
      text.erase(at, start.size());
    }
  }
  return text;
}

std::string source_line(const std::string& file, int number) {
  const std::vector<std::string>& lines = lines_of(file);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  const std::string& line = lines[static_cast<std::size_t>(number) - 1];
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::string allocated_as(const std::string& line) {
  static const std::regex form(R"(([\w.\[\]>-]+) *=[^=]|(?:vector *<.*>|[)}] *,) *(\w+) *[({])");
  const std::sregex_iterator found(line.begin(), line.end(), form), end;
  if (found == end || std::next(found) != end) return "";  // which of several is not known
  return (*found)[1].matched ? (*found)[1].str() : (*found)[2].str();
}

Declaration declaration_of(const std::string& name, const Place& where) {
  const std::regex form(name.empty()
                            ? "(?:DYNAMIC_SHARED\\(|extern +__shared__ +(?:__align__\\(\\d+\\) +)?)"
                              "([\\w: ]+?)[, ] *(\\w+) *[\\[)]()"
                            : "__(?:shared|device|constant|managed)__ +(?:static +|const "
                              "+|alignas\\(\\d+\\) +)?([\\w: ]+?) +(" +
                                  name + ") *(\\[[^\\]]*\\](?: *\\[)?)?");
  for (int number = where.line; number > 0; --number) {
    std::smatch found;
    const std::string line = source_line(where.file, number);
    if (!std::regex_search(line, found, form)) continue;
    const bool is_nested = found[3].length() > 0 && found[3].str().back() == '[';
    return {found[2].str(), is_nested ? 0 : bytes_of_type(found[1].str())};
  }
  return {name, 0};
}

Place place_of(std::uintptr_t pc) {
  const std::vector<Frame>& frames = Symbols::instance().frames(pc);
  const Frame *outer = nullptr, *inner = nullptr;
  for (const Frame& frame : frames) {
    if (!frame.ours) continue;
    if (inner == nullptr && !trace::is_of_executor(frame.file)) inner = &frame;
    outer = &frame;
  }
  if (outer == nullptr) return {};
  Place place{outer->file, outer->line, ""};
  if (inner != nullptr && (inner->line != outer->line || inner->file != outer->file)) {
    place.inside = " (in " + plain_name(inner->function) + "(), " + inner->file + ":" +
                   std::to_string(inner->line) + ")";
  }
  return place;
}

/// The function begins in the line that has its name, or in one soon after it or before.
std::vector<std::string> parameter_names(const void* kernel) {
  const std::vector<Frame>& frames =
      Symbols::instance().frames(reinterpret_cast<std::uintptr_t>(kernel) + 1);
  if (frames.empty() || !frames.back().ours) return {};
  const Frame& frame = frames.back();
  std::string text;
  for (int i = -4; i < 12; ++i) text += source_line(frame.file, frame.line + i) + "\n";
  std::size_t at = text.find(plain_name(frame.function) + "(");
  if (at == std::string::npos) return {};
  at = text.find('(', at) + 1;
  std::vector<std::string> names;
  std::string parameter;
  for (int depth = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (depth == 0 && (letter == ',' || letter == ')')) {
      names.push_back(identifier_before(parameter, parameter.find_last_not_of(" \n\t") + 1));
      parameter.clear();
      if (letter == ')') return names;
      continue;
    }
    if (letter == '<' || letter == '(') ++depth;
    if (letter == '>' || letter == ')') --depth;
    parameter += letter;
  }
  return {};
}

void Problems::add_once(const std::string& key, const Place& place, const std::string& sentence,
                        bool first) {
  if (!known_.insert(key).second) return;
  const std::string context = context_.empty() ? "" : "; " + context_;
  problems_.insert(first ? problems_.begin() : problems_.end(), {place, sentence + context});
}

void Problems::remark(const std::string& key, const Place& place, const std::string& sentence) {
  if (known_.insert(key).second) remarks_.push_back({place, sentence});
}

void Problems::error_is_left(const Place& place, const std::string& sentence) {
  errors_.push_back({place, sentence + ", and nobody asked for the error"});
}

void Problems::print(const char* what, const std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < findings.size() && i < kShown; ++i) {
    const auto& [place, sentence] = findings[i];
    const std::string at = place.file.empty() ? "" : place.name() + ": ";
    std::fprintf(stderr, "%s: %s%s%s\n", what, at.c_str(), sentence.c_str(), place.inside.c_str());
    const std::string source = source_line(place.file, place.line);
    if (!source.empty()) std::fprintf(stderr, "    | %s\n", source.c_str());
  }
  if (findings.size() > kShown)
    std::fprintf(stderr, "    and %zu more\n", findings.size() - kShown);
}

void Problems::print() const {
  std::fflush(stdout);
  print("check", problems_);
  print("remark", remarks_);
  if (problems_.empty()) print("remark", errors_);
}

}  // namespace tutorial::check
