#include "llama/grammar/schema.h"

#include <algorithm>
#include <exception>
#include <string_view>

#include "base/caught.h"
#include "base/text/names.h"
#include "base/threads/cancel.h"
#include "guards/gbnf_choices.h"
#include "guards/schema/schema_normal.h"
#include "json-schema-to-grammar.h"
#include "llama/grammar/readable_json.h"

namespace lh {
namespace {

// Thrown to leave build_grammar before it writes its warnings to stderr.
struct Enough {};

// Asks the converter itself: for an unsupported pattern it admits any string.
PatternUse pattern_use(const GrammarTokens& tokens, const std::string& pattern, GrammarBudget& budget) {
  const std::string schema = dump_json({{"type", "string"}, {"pattern", pattern}});
  PatternUse use = PatternUse::kInvalid;
  try {
    build_grammar([&](const common_grammar_builder& builder) {
      const auto parsed = common_chat_schema_from_json(common_json::parse(schema));
      const std::string rule = builder.add_schema("probe", *parsed.root);
      if (!rule.empty()) use = builder.add_rule(rule, "string") == rule ? PatternUse::kIgnored : PatternUse::kKept;
      throw Enough();
    });
  } catch (const Enough&) {
  } catch (const std::exception&) {
    pass_on_no_memory();
    return PatternUse::kInvalid;
  }
  if (use != PatternUse::kKept) return use;
  const std::string fault = fault_of_grammar(tokens, json_schema_to_grammar(common_json::parse(schema)), budget);
  return fault.empty() ? use : PatternUse::kUnbounded;
}

// Removes the constant part of "JSON schema conversion failed:\nJSON schema error at #/a: must be ...".
std::string without_preamble(std::string words) {
  for (const char* known : {"JSON schema conversion failed:\n", "JSON schema error at "}) {
    if (words.starts_with(known)) words.erase(0, std::string_view(known).size());
  }
  return words;
}

std::string place(const SchemaPlace& found) { return found.pointer + ": " + found.what; }

}  // namespace

std::string with_json_keys(std::string grammar) {
  constexpr std::string_view kKeyRule = " ::= [\"] ( ";
  constexpr std::string_view kOther = "[^\"";
  constexpr std::string_view kOtherOfJson = "[^\\\\\\x00-\\x1F\"";
  size_t at = grammar.find(kKeyRule);
  while (at != std::string::npos) {
    size_t end = std::min(grammar.find('\n', at), grammar.size());
    for (; (at = grammar.find(kOther, at)) < end; at += kOtherOfJson.size()) {
      grammar.replace(at, kOther.size(), kOtherOfJson);
      end += kOtherOfJson.size() - kOther.size();
    }
    at = grammar.find(kKeyRule, end);
  }
  return grammar;
}

Result<std::shared_ptr<const CompiledSchema>> SchemaCompiler::compile(const Json& schema, const std::string& what,
                                                                      bool strict) {
  std::string key = dump_json(schema);
  std::shared_ptr<const CompiledSchema> compiled;
  {
    const MutexLock lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) compiled = found->second;
  }
  if (!compiled) {
    compiled = make(schema);
    const MutexLock lock(mutex_);
    const size_t size = key.size() + compiled->schema.size() + compiled->grammar.size();
    if (known_.size() >= kMost || bytes_ + size > kMostBytes) {
      known_.clear();
      bytes_ = 0;
    }
    const bool whole = !CancelScope::cancelled();  // otherwise it may not have been checked to the end
    if (whole && size < kMostBytes && known_.emplace(std::move(key), compiled).second) bytes_ += size;
  }
  if (!compiled->fault.empty())
    return Status(Code::kInvalidSchema, what + " cannot be made a grammar: " + compiled->fault);
  if (strict && !compiled->ignored.empty()) {
    const SchemaPlace& first = compiled->ignored.front();
    return Status(Code::kInvalidSchema, what + " at " + first.pointer + " has the keyword " + first.what +
                                            ", which a grammar cannot enforce there (" +
                                            shown_field("params.strict_schema") + ")");
  }
  return compiled;
}

std::shared_ptr<const CompiledSchema> SchemaCompiler::make(const Json& schema) const {
  auto compiled = std::make_shared<CompiledSchema>();
  GrammarBudget budget;
  NormalSchema normal = normal_schema(schema);
  compiled->ignored = std::move(normal.found.ignored);
  if (normal.found.fault) {
    compiled->fault = place(*normal.found.fault);
    return compiled;
  }
  SchemaReport report =
      inspect_schema(normal.schema, [&](const std::string& text) { return pattern_use(tokens_, text, budget); });
  for (SchemaPlace& found : report.ignored) {
    compiled->ignored.push_back({normal.written_at(std::move(found.pointer)), std::move(found.what)});
  }
  if (report.fault) {
    compiled->fault = place({normal.written_at(report.fault->pointer), report.fault->what});
    return compiled;
  }
  compiled->schema = dump_json(report.schema);
  try {
    compiled->grammar = with_shared_beginnings(
        with_readable_json(with_json_keys(json_schema_to_grammar(common_json::parse(compiled->schema)))));
    const std::string fault = fault_of_grammar(tokens_, compiled->grammar, budget);
    if (!fault.empty()) compiled->fault = "#: its grammar does not work, " + fault;
    compiled->allows_object = fault.empty() && may_begin_with(tokens_.vocab(), compiled->grammar, '{');
  } catch (const std::exception& error) {
    pass_on_no_memory();  // what is kept must not depend on it
    compiled->fault = without_preamble(error.what());
  }
  return compiled;
}

}  // namespace lh
