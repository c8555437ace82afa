#include "llama/grammar/gbnf.h"

#include <algorithm>
#include <exception>
#include <set>

#include "base/caught.h"
#include "guards/gbnf_check.h"
#include "guards/grammar_shape.h"
#include "llama-grammar.h"
#include "llama/base/runtime.h"
#include "llama/base/vocab.h"

namespace lh {
namespace {

// The start of the first rule for the parser, after space, line ends and comments.
size_t first_rule(std::string_view grammar) {
  size_t at = 0;
  while (at < grammar.size()) {
    if (grammar[at] == '#') {
      at = std::min(grammar.size(), grammar.find_first_of("\r\n", at));
    } else if (std::string_view(" \t\r\n").find(grammar[at]) != std::string_view::npos) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// The parser reports "expecting ')' at " followed by the whole rest of the grammar.
std::string with_place(std::string_view words, const std::string& grammar, size_t rule) {
  size_t offset = rule;
  if (const size_t at = words.find(" at "); at != std::string_view::npos) {
    const std::string_view rest = words.substr(at + 4);
    if (std::string_view(grammar).ends_with(rest)) {
      offset = grammar.size() - rest.size();
      words = words.substr(0, at);
    }
  }
  if (words.starts_with("stoul")) words = "a repetition is out of range";
  return line_and_column(grammar, offset) + ": " + std::string(words);
}

std::string undefined_rule(const llama_grammar_parser& parser) {
  for (const auto& [name, id] : parser.symbol_ids) {
    if (id >= parser.rules.size() || parser.rules[id].empty()) return name;
  }
  return {};
}

// Only outside of classes, which contain other characters, too.
bool has_nul(const llama_grammar_rule& rule) {
  for (size_t i = 0; i + 1 < rule.size(); ++i) {
    const bool alone = rule[i + 1].type != LLAMA_GRETYPE_CHAR_ALT && rule[i + 1].type != LLAMA_GRETYPE_CHAR_RNG_UPPER;
    if (rule[i].type == LLAMA_GRETYPE_CHAR && rule[i].value == 0 && alone) return true;
  }
  return false;
}

// The parser names the rule of a group or a repetition after the enclosing rule, with a number.
std::string rule_name(const llama_grammar_parser& parser, uint32_t rule) {
  const std::string number = "_" + std::to_string(rule);
  for (const auto& [name, id] : parser.symbol_ids) {
    if (id == rule) return name.ends_with(number) ? name.substr(0, name.size() - number.size()) : name;
  }
  return {};
}

// The part of the grammar that would keep llama.cpp's sampler busy for long, in words; empty: none.
std::string fault_of_work(const llama_grammar_parser& parser, const GrammarTokens& tokens, GrammarBudget& budget) {
  static_assert(static_cast<int>(GrammarKind::kTokenNot) == LLAMA_GRETYPE_TOKEN_NOT);
  const auto root = parser.symbol_ids.find("root");
  if (root == parser.symbol_ids.end()) return {};  // llama.cpp reports that
  GrammarRules rules;
  for (const llama_grammar_rule& rule : parser.rules) {
    auto& made = rules.emplace_back();
    made.reserve(rule.size());
    for (const llama_grammar_element& element : rule) {
      made.push_back({static_cast<GrammarKind>(element.type), element.value});
    }
  }
  const GrammarShape shape(rules);
  auto fault = shape.check_beginnings();
  if (!fault) fault = check_grammar_work(shape, root->second, tokens.texts(), budget);
  if (fault && fault->unproven && !budget.thorough) return {};
  return fault ? "the rule " + rule_name(parser, fault->rule) + " " + fault->what : "";
}

// When llama.cpp parses a whole grammar, it writes errors to stderr; rule by rule it throws.
std::string fault_of_rules(const GrammarTokens& tokens, const std::string& grammar, GrammarBudget& budget) {
  llama_grammar_parser parser(tokens.vocab());
  const char* const start = grammar.c_str();
  const char* at = start + first_rule(grammar);
  try {
    while (*at != '\0') at = parser.parse_rule(at);
  } catch (const std::exception& error) {
    pass_on_no_memory();
    return with_place(error.what(), grammar, static_cast<size_t>(at - start));
  }
  const std::string undefined = undefined_rule(parser);
  if (!undefined.empty()) return "the rule " + undefined + " is used and not defined";
  if (std::ranges::any_of(parser.rules, has_nul)) return "a NUL, which no token has";
  return fault_of_work(parser, tokens, budget);
}

bool rule_may_begin_with(const llama_grammar_rules& rules, uint32_t rule, uint32_t character,
                         std::set<uint32_t>& seen) {
  if (!seen.insert(rule).second) return false;
  bool first = true;  // at the start of a sequence
  for (const llama_grammar_element& element : rules[rule]) {
    if (first && element.type == LLAMA_GRETYPE_CHAR && element.value == character) return true;
    const bool goes_on = first && element.type == LLAMA_GRETYPE_RULE_REF;
    if (goes_on && rule_may_begin_with(rules, element.value, character, seen)) return true;
    first = element.type == LLAMA_GRETYPE_ALT;
  }
  return false;
}

std::string character_of(uint32_t point) {
  const auto part = [point](int shift, uint32_t lead) { return static_cast<char>(lead | (point >> shift)); };
  const auto rest = [point](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) return {part(0, 0)};
  if (point < 0x800) return {part(6, 0xC0), rest(0)};
  if (point < 0x10000) return {part(12, 0xE0), rest(6), rest(0)};
  return {part(18, 0xF0), rest(12), rest(6), rest(0)};
}

// The literal characters of a rule, with a NUL in place of anything else.
std::string literals_of(const llama_grammar_rule& rule) {
  std::string literals;
  for (size_t i = 0; i < rule.size(); ++i) {
    const auto next = i + 1 < rule.size() ? rule[i + 1].type : LLAMA_GRETYPE_END;
    const bool alone = next != LLAMA_GRETYPE_CHAR_ALT && next != LLAMA_GRETYPE_CHAR_RNG_UPPER;
    if (rule[i].type == LLAMA_GRETYPE_CHAR && alone) {
      literals += character_of(rule[i].value);
    } else {
      literals += '\0';
    }
  }
  return literals;
}

}  // namespace

bool may_begin_with(const llama_vocab* vocab, const std::string& grammar, char character) {
  llama_grammar_parser parser(vocab);
  for (const char* at = grammar.c_str() + first_rule(grammar); *at != '\0';) at = parser.parse_rule(at);
  std::set<uint32_t> seen;
  return rule_may_begin_with(parser.rules, parser.symbol_ids.at("root"), static_cast<uint8_t>(character), seen);
}

bool may_write(const llama_vocab* vocab, const std::string& grammar, std::string_view text,
               const std::vector<llama_token>& tokens) {
  llama_grammar_parser parser(vocab);
  for (const char* at = grammar.c_str() + first_rule(grammar); *at != '\0';) at = parser.parse_rule(at);
  return std::ranges::any_of(parser.rules, [&](const llama_grammar_rule& rule) {
    return literals_of(rule).find(text) != std::string::npos ||
           (tokens.size() == 1 && std::ranges::any_of(rule, [&tokens](const llama_grammar_element& element) {
              return element.type == LLAMA_GRETYPE_TOKEN && element.value == static_cast<uint32_t>(tokens[0]);
            }));
  });
}

const GrammarVocabulary& GrammarTokens::texts() const {
  std::call_once(once_, [this] {
    for (int32_t token = 0; token < llama_vocab_n_tokens(vocab_); ++token) {
      texts_.add(token_bytes(vocab_, token, /*special=*/true));
    }
    texts_.finish();
  });
  return texts_;
}

std::string fault_of_grammar(const GrammarTokens& tokens, const std::string& grammar, GrammarBudget& budget) {
  if (const size_t nul = grammar.find('\0'); nul != std::string::npos) {
    return line_and_column(grammar, nul) + ": a NUL";
  }
  if (const auto fault = check_gbnf(grammar)) return line_and_column(grammar, fault->offset) + ": " + fault->what;
  if (std::string fault = fault_of_rules(tokens, grammar, budget); !fault.empty()) return fault;
  LogCapture words;
  if (SamplerPtr(llama_sampler_init_grammar(tokens.vocab(), grammar.c_str(), "root"))) return {};
  return words.text().empty() ? "llama.cpp refuses it" : words.text();
}

Status check_grammar(const GrammarTokens& tokens, const std::string& grammar) {
  // llama.cpp passes this prefix to a library that the shipped build lacks, and aborts.
  if (grammar.starts_with("%llguidance")) {
    return Status(Code::kInvalidGrammar, "params.grammar is for llguidance; only GBNF is supported");
  }
  GrammarBudget budget;
  const std::string fault = fault_of_grammar(tokens, grammar, budget);
  if (fault.empty()) return {};
  return Status(Code::kInvalidGrammar, "params.grammar is not GBNF with a rule named root: " + fault);
}

}  // namespace lh
