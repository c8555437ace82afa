#include "llama/prompt/argument_mark.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/system/log.h"
#include "guards/gbnf_rules.h"

namespace lh {
namespace {

std::string literal_of(const Json& parser) {
  return parser.at("type") == "literal" ? parser.at("literal").get<std::string>() : std::string();
}

// The members of a sequence; null: `parser` is none, or has fewer than `least`.
const Json* sequence_of(const Json& parser, size_t least) {
  if (parser.at("type") != "sequence" || parser.at("children").size() < least) return nullptr;
  return &parser.at("children");
}

// llama.cpp's saved parsers, which refer to each other by their places.
class Parsers {
 public:
  explicit Parsers(Json& all) : all_(all) {}

  [[nodiscard]] size_t size() const { return all_.size(); }
  [[nodiscard]] const Json& at(const Json& place) const { return all_.at(place.get<size_t>()); }

  // The parser in a tag, which may be nested in atomic parsers only; null: `place` is not such a tag.
  [[nodiscard]] const Json* place_in(std::string_view tag, const Json& place) const {
    const Json* parser = &at(place);
    while (parser->at("type") == "atomic") parser = &at(parser->at("child"));
    return parser->at("type") == "tag" && parser->at("tag") == tag ? &parser->at("child") : nullptr;
  }

  void drop_last_of(size_t sequence) {
    Json& children = all_.at(sequence).at("children");
    children.erase(children.size() - 1);
  }

  // No name is read of a text that ends within it: it may be the beginning of another one.
  void join_first_three(size_t sequence) {
    Json first = Json::array();
    Json rest = Json::array({all_.size() + 1});
    for (const Json& child : all_.at(sequence).at("children")) (first.size() < 3 ? first : rest).push_back(child);
    all_.push_back({{"type", "sequence"}, {"children", std::move(first)}});
    all_.push_back({{"type", "atomic"}, {"child", all_.size() - 1}});
    all_.at(sequence)["children"] = std::move(rest);
  }

 private:
  Json& all_;
};

// A call that wants the mark of its arguments twice.
struct Doubled {
  size_t name;  // the place of the sequence that ends with the mark
  std::string mark;
  std::string id_mark;
};

// `parser`: a call, if it is a sequence of a name, an id that may be absent, the mark of the arguments, and more.
std::optional<Doubled> doubled_in(const Parsers& parsers, const Json& parser) {
  const Json* const call = sequence_of(parser, 3);
  const Json* const open = call == nullptr ? nullptr : parsers.place_in("tool-open", (*call)[0]);
  const Json* const name = open == nullptr ? nullptr : sequence_of(parsers.at(*open), 2);
  if (name == nullptr || parsers.at((*call)[1]).at("type") != "repetition") return std::nullopt;
  const Json* const id = sequence_of(parsers.at(parsers.at((*call)[1]).at("child")), 2);
  if (id == nullptr || parsers.place_in("tool-id", id->back()) == nullptr) return std::nullopt;
  Doubled doubled{open->get<size_t>(), literal_of(parsers.at((*call)[2])), literal_of(parsers.at(id->front()))};
  const bool twice = literal_of(parsers.at(name->back())) == doubled.mark;
  return twice && !doubled.mark.empty() && !doubled.id_mark.empty() ? std::optional(std::move(doubled)) : std::nullopt;
}

// Drops the mark behind the names in the grammar; false: it is not there.
bool drop_mark(std::string& grammar, const Doubled& call, size_t from, size_t& at) {
  const std::string kept = ") (" + gbnf_literal(call.id_mark);
  const std::string mark = " " + gbnf_literal(call.mark);
  at = grammar.find(mark + kept, from);
  if (at == std::string::npos) return false;
  grammar.erase(at, mark.size());
  return true;
}

// False: nothing needs to be changed, or the grammar does not have the mark where the parser has it.
bool changed(Json& all, std::string& grammar) {
  Parsers parsers(all);
  // Parsers that llama.cpp made on the way to a call stay in the list. They have its name, too.
  std::map<size_t, std::vector<size_t>> calls;  // by the place of the name
  size_t at = 0;
  for (size_t place = 0; place < parsers.size(); ++place) {
    const auto doubled = doubled_in(parsers, parsers.at(place));
    if (!doubled) continue;
    std::vector<size_t>& same = calls[doubled->name];
    if (same.empty() && !drop_mark(grammar, *doubled, at, at)) return false;
    same.push_back(place);
  }
  for (const auto& [name, places] : calls) {
    parsers.drop_last_of(name);
    for (const size_t place : places) parsers.join_first_three(place);
  }
  return !calls.empty();
}

}  // namespace

void mark_arguments_once(common_chat_params& chat) {
  if (chat.parser.find("\"tool-id\"") == std::string::npos) return;
  try {
    Json arena = Json::parse(chat.parser);
    std::string grammar = chat.grammar;
    if (!changed(arena.at("parsers"), grammar)) return;
    chat.parser = dump_json(arena);
    chat.grammar = std::move(grammar);
  } catch (const Json::exception& error) {
    log_line(LogLevel::kWarn, std::string("the form of llama.cpp's saved parsers is not known: ") + error.what());
  }
}

}  // namespace lh
