#include "llama/prompt/either_answer.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "guards/gbnf_rules.h"
#include "json-schema-to-grammar.h"
#include "peg-parser.h"

namespace lh {
namespace {

void drop_leading_space(std::string& text) { text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size())); }

class EitherFormat final : public OutputFormat {
 public:
  // `parser`: the saved parser of calls.
  EitherFormat(std::shared_ptr<const OutputFormat> calls, std::string parser,
               std::shared_ptr<const OutputFormat> answer)
      : calls_(std::move(calls)),
        parser_(std::move(parser)),
        answer_(std::move(answer)),
        marks_(calls_->marks() | answer_->marks()) {}

  bool plain() const override { return false; }
  const Marks& marks() const override { return marks_; }
  Result<ParsedOutput> parse_calls(std::string_view text) const override { return calls_->parse_calls(text); }

  Result<ParsedOutput> parse(std::string_view text, bool partial) const override {
    auto calls = calls_->parse(text, partial);
    if (calls.ok() && !calls->tool_calls.empty()) return calls;
    auto answer = answer_->parse(text, partial);
    if (answer.ok()) drop_leading_space(answer->content);
    if (!answer.ok()) return calls.ok() ? std::move(calls) : std::move(answer);
    // A parser that gives up on a partial text returns nothing, as does one to which a call may still come.
    const bool open = calls.ok() && calls->content.empty();
    return partial && open && !is_answer(answer->content) ? std::move(calls) : std::move(answer);
  }

 private:
  // True if the text of an answer, so far, cannot be a call: the parser of calls does not know the first name in it.
  [[nodiscard]] bool is_answer(std::string_view text) const {
    const size_t begin = text.find('"');
    const size_t end = begin == text.npos ? text.npos : text.find('"', begin + 1);
    if (!text.starts_with('{') || end == text.npos) return false;
    const std::string name(text.substr(begin + 1, end - begin - 1));
    return name.find('\\') == name.npos && parser_.find("\\\"" + name + "\\\"") == parser_.npos;
  }

  const std::shared_ptr<const OutputFormat> calls_;
  const std::string parser_;
  const std::shared_ptr<const OutputFormat> answer_;
  const Marks marks_;
};

bool is_text(const Json& parser) { return parser.at("type") == "tag" && parser.at("tag") == "content"; }

constexpr std::string_view kSpace = R"([ \t\r\n]{0,8})";

// The grammar of calls, without the text that a model may write in front of them, but for space: it would be neither a
// call nor an answer by the schema. The converter names the rule for text until a mark by the mark's parser.
std::string grammar_of_calls(const common_chat_params& calls) {
  std::string grammar = calls.grammar;
  const Json arena = Json::parse(calls.parser);
  const Json& parsers = arena.at("parsers");
  for (const Json& parser : parsers) {
    if (!is_text(parser)) continue;
    const auto child = parser.at("child").get<size_t>();
    if (parsers.at(child).at("type") == "until") replace_rule(grammar, "until-" + std::to_string(child), kSpace);
  }
  return grammar;
}

// The texts among the parsers that belong to the format. Those that were built on the way stay in the list.
std::vector<size_t> texts_in(const Json& arena) {
  const Json& parsers = arena.at("parsers");
  std::vector<size_t> texts;
  std::vector<size_t> left = {arena.at("root").get<size_t>()};
  std::vector<bool> seen(parsers.size());
  while (!left.empty()) {
    const size_t at = left.back();
    left.pop_back();
    if (seen.at(at)) continue;
    seen[at] = true;
    const Json& parser = parsers.at(at);
    if (is_text(parser)) texts.push_back(at);
    if (parser.contains("child")) left.push_back(parser.at("child").get<size_t>());
    if (parser.contains("children")) std::ranges::copy(parser.at("children"), std::back_inserter(left));
    if (parser.at("type") == "ref") left.push_back(arena.at("rules").at(parser.at("name").get<std::string>()));
  }
  return texts;
}

// The grammar of plain answers, with `rule` in the place of the text.
std::string grammar_of_answers(const common_chat_params& plain, const std::string& rule) {
  Json arena = Json::parse(plain.parser);
  Json& parsers = arena.at("parsers");
  Json& child = parsers.at(texts_in(arena).front()).at("child");
  Json by_rule = {{"type", "gbnf"}, {"child", child}, {"grammar", std::string(kSpace) + " " + rule}};
  child = parsers.size();
  parsers.push_back(std::move(by_rule));
  common_peg_arena edited;
  edited.load(dump_json(arena));
  return build_grammar([&edited](const common_grammar_builder& builder) { edited.build_grammar(builder); });
}

std::string answer_rules(const TemplateAnswer& answers, const std::string& grammar) {
  const common_chat_params& chat = answers.chat;
  if (!chat.grammar.empty()) return chat.grammar;
  const std::string whole = "\n" + with_prefixed_rules(grammar, "whole-");
  if (has_one_text(answers)) return grammar_of_answers(chat, "whole-root") + whole;
  // The sampler takes the generation prompt through the grammar first.
  return "root ::= " + gbnf_literal(chat.generation_prompt) + " whole-root" + whole;
}

template <typename Texts>
void add_missing(Texts& to, const Texts& more) {
  std::ranges::copy_if(more, std::back_inserter(to),
                       [&to](const auto& text) { return std::ranges::find(to, text) == to.end(); });
}

}  // namespace

bool has_one_text(const TemplateAnswer& plain) {
  if (plain.chat.parser.empty()) return false;
  return texts_in(Json::parse(plain.chat.parser)).size() == 1;
}

TemplateAnswer either_answer(const TemplateAnswer& calls, const TemplateAnswer& answers, const std::string& grammar) {
  TemplateAnswer either = calls;
  common_chat_params& chat = either.chat;
  chat.grammar = "root ::= calls-root | answer-root\n" + with_prefixed_rules(grammar_of_calls(calls.chat), "calls-") +
                 "\n" + with_prefixed_rules(answer_rules(answers, grammar), "answer-");
  chat.grammar_lazy = false;
  chat.grammar_triggers.clear();
  add_missing(chat.preserved_tokens, answers.chat.preserved_tokens);
  add_missing(chat.additional_stops, answers.chat.additional_stops);
  either.output = std::make_shared<EitherFormat>(calls.output, calls.chat.parser, answers.output);
  either.for_all = calls.for_all && answers.for_all;
  return either;
}

}  // namespace lh
