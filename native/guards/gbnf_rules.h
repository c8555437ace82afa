// Edits the rules of a GBNF grammar that llama.cpp's converter has written: one rule a line.
#pragma once

#include <string>
#include <string_view>

namespace lh {

// Puts a prefix in front of each name of a rule, so that two grammars may be joined.
[[nodiscard]] std::string with_prefixed_rules(std::string_view grammar, std::string_view prefix);

// Gives a rule another body. No effect if the rule does not exist.
void replace_rule(std::string& grammar, std::string_view name, std::string_view body);

// A text as a literal of a grammar.
[[nodiscard]] std::string gbnf_literal(std::string_view text);

}  // namespace lh
