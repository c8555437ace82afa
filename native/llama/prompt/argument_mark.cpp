#include "llama/prompt/argument_mark.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/json.h"
#include "guards/gbnf_rules.h"

namespace lh {
namespace {

std::string literal_of(const Json& parser) {
  return parser.at("type") == "literal" ? parser.at("literal").get<std::string>() : std::string();
}

bool is_sequence_parser(const Json& parser) { return parser.at("type") == "sequence"; }

// llama.cpp's saved parsers, which refer to each other by their places.
class Parsers {
 public:
  explicit Parsers(Json& all) : all_(all) {}

  [[nodiscard]] size_t size() const { return all_.size(); }
  [[nodiscard]] const Json& at(const Json& place) const { return all_.at(place.get<size_t>()); }

  // The parser in a tag, which nothing but atomic parsers contain; null: `place` is no such tag.
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
  if (!is_sequence_parser(parser) || parser.at("children").size() < 3) return std::nullopt;
  const Json& children = parser.at("children");
  const Json* const name = parsers.place_in("tool-open", children[0]);
  const Json& optional_id = parsers.at(children[1]);
  if (name == nullptr || !is_sequence_parser(parsers.at(*name)) || optional_id.at("type") != "repetition")
    return std::nullopt;
  const Json& id = parsers.at(optional_id.at("child"));
  if (!is_sequence_parser(id) || parsers.place_in("tool-id", id.at("children").back()) == nullptr) return std::nullopt;
  Doubled doubled{name->get<size_t>(), literal_of(parsers.at(children[2])),
                  literal_of(parsers.at(id.at("children").front()))};
  const bool twice = literal_of(parsers.at(parsers.at(*name).at("children").back())) == doubled.mark;
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

}  // namespace

void mark_arguments_once(common_chat_params& chat) {
  if (chat.parser.find("\"tool-id\"") == std::string::npos) return;
  Json arena = Json::parse(chat.parser);
  Parsers parsers(arena.at("parsers"));
  std::string grammar = chat.grammar;
  size_t at = 0;
  bool changed = false;
  for (size_t place = 0, size = parsers.size(); place < size; ++place) {
    const auto doubled = doubled_in(parsers, parsers.at(place));
    if (!doubled) continue;
    if (!drop_mark(grammar, *doubled, at, at)) return;
    parsers.drop_last_of(doubled->name);
    parsers.join_first_three(place);
    changed = true;
  }
  if (!changed) return;
  chat.parser = dump_json(arena);
  chat.grammar = std::move(grammar);
}

}  // namespace lh
