#include "llama/output/loose_parser.h"

#include <algorithm>
#include <variant>

#include "base/json/json.h"
#include "base/text/white_space.h"

namespace lh {
namespace {

std::string bare(std::string_view mark) { return std::string(without_space_before(without_space_behind(mark))); }

void add(std::vector<std::string>& to, std::string text) {
  if (std::ranges::find(to, text) == to.end()) to.push_back(std::move(text));
}

// The first of those that fit ends the text: with the white space before the mark, if there is some.
Json with_bare_ends(const Json& ends) {
  std::vector<std::string> all;
  for (const Json& one : ends) {
    const auto& end = one.get_ref<const std::string&>();
    add(all, end);
    if (bare(end).empty()) continue;
    add(all, std::string(without_space_behind(end)));
    add(all, bare(end));
  }
  return all;
}

}  // namespace

std::vector<std::string> bare_ends(const common_peg_arena& parser) {
  std::vector<std::string> ends;
  for (size_t id = 0; id < parser.size(); ++id) {
    const auto* until = std::get_if<common_peg_until_parser>(&parser.get(id));
    if (until == nullptr) continue;
    for (const std::string& end : until->delimiters) {
      if (std::string mark = bare(end); !mark.empty() && mark != end) add(ends, std::move(mark));
    }
  }
  return ends;
}

common_peg_arena loose_parser(const common_peg_arena& parser) {
  const std::vector<std::string> ends = bare_ends(parser);
  Json arena = Json::parse(parser.save());
  Json& parsers = arena.at("parsers");
  const size_t space = parsers.size();
  parsers.push_back({{"type", "space"}});
  for (size_t id = 0; id < space; ++id) {
    Json& one = parsers.at(id);
    if (one.at("type") == "until") one["delimiters"] = with_bare_ends(one.at("delimiters"));
    if (one.at("type") != "literal") continue;
    const auto literal = one.at("literal").get<std::string>();
    const std::string mark = bare(literal);
    if (mark == literal || mark.empty()) continue;
    if (!mark.starts_with("</") && std::ranges::find(ends, mark) == ends.end()) continue;
    const size_t at = parsers.size();
    parsers.push_back({{"type", "literal"}, {"literal", mark}});
    parsers.at(id) = {{"type", "sequence"}, {"children", {space, at, space}}};
  }
  common_peg_arena loose;
  loose.load(dump_json(arena));
  return loose;
}

}  // namespace lh
