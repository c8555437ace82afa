#include "llama/prompt/formats.h"

#include <algorithm>
#include <optional>

#include "base/text/white_space.h"
#include "guards/gbnf_choices.h"
#include "llama/base/vocab.h"
#include "llama/grammar/call_first.h"
#include "llama/grammar/gbnf.h"
#include "llama/grammar/readable_json.h"
#include "llama/grammar/schema.h"
#include "llama/output/format_marks.h"
#include "llama/output/grammar_output.h"
#include "llama/output/output.h"

namespace lh {
namespace {

// A trigger word that is a single token becomes a token trigger, so that the sampler need not match text.
std::vector<common_grammar_trigger> resolve_triggers(const llama_vocab* vocab,
                                                     const std::vector<common_grammar_trigger>& triggers) {
  std::vector<common_grammar_trigger> resolved;
  for (const common_grammar_trigger& trigger : triggers) {
    resolved.push_back(trigger);
    if (trigger.type != COMMON_GRAMMAR_TRIGGER_TYPE_WORD) continue;
    const std::vector<int32_t> tokens = tokenize(vocab, trigger.value, false, true);
    if (tokens.size() != 1) continue;
    resolved.back().type = COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN;
    resolved.back().token = tokens[0];
  }
  return resolved;
}

// All special tokens that the parser reads as text, named by the template or by a trigger.
std::set<llama_token> preserved_tokens(const llama_vocab* vocab, const common_chat_params& chat) {
  std::set<llama_token> preserved;
  for (const std::string& text : chat.preserved_tokens) {
    const std::vector<int32_t> tokens = tokenize(vocab, text, false, true);
    if (tokens.size() == 1) preserved.insert(tokens[0]);
  }
  for (const common_grammar_trigger& trigger : chat.grammar_triggers) {
    const std::vector<int32_t> tokens = tokenize(vocab, trigger.value, false, true);
    if (tokens.size() == 1) preserved.insert(tokens[0]);
  }
  return preserved;
}

// The end of the last occurrence of `part` in `tokens`, from `from` on.
std::optional<size_t> end_of_last(const std::vector<llama_token>& part, const std::vector<llama_token>& tokens,
                                  size_t from = 0) {
  const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found = std::find_end(begin, tokens.end(), part.begin(), part.end());
  if (part.empty() || found == tokens.end()) return std::nullopt;
  return static_cast<size_t>(found - tokens.begin()) + part.size();
}

void read_generation_prompt(const llama_vocab* vocab, GrammarSpec& spec) {
  const std::vector<llama_token> tokens = tokenize(vocab, spec.generation_prompt, false, true);
  const std::optional<size_t> begun = end_of_last(spec.reasoning_start, tokens);
  const bool ended = std::ranges::any_of(
      spec.reasoning_ends, [&](const auto& end) { return end_of_last(end, tokens, begun.value_or(0)).has_value(); });
  if (ended) {
    spec.prompted = GrammarSpec::Prompted::kEnded;
  } else if (begun) {
    spec.prompted = GrammarSpec::Prompted::kOpen;
  }
  if (begun) spec.prompted_tokens = static_cast<int32_t>(tokens.size() - *begun);
}

}  // namespace

RecentValues<TemplateAnswerPtr>& known_answers() {
  // Never destroyed: threads may outlive static teardown.
  static auto* instance = new RecentValues<TemplateAnswerPtr>(64, 16UL << 20);
  return *instance;
}

void add_ends_of_reasoning(common_chat_params& chat) {
  if (chat.thinking_start_tag.empty() || chat.parser.empty()) return;
  common_peg_arena parser;
  parser.load(chat.parser);
  for (std::string& end : ends_of_reasoning(parser)) {
    if (std::ranges::find(chat.thinking_end_tags, end) == chat.thinking_end_tags.end()) {
      chat.thinking_end_tags.push_back(std::move(end));
    }
  }
}

std::shared_ptr<const GrammarSpec> make_grammar_spec(const llama_vocab* vocab, const common_chat_params& chat,
                                                     common_grammar grammar, bool has_tools) {
  auto spec = std::make_shared<GrammarSpec>();
  spec->preserved = preserved_tokens(vocab, chat);
  spec->generation_prompt = chat.generation_prompt;
  if (!chat.thinking_start_tag.empty()) {
    spec->reasoning_start = tokenize(vocab, chat.thinking_start_tag, false, true);
    for (const std::string& tag : chat.thinking_end_tags) {
      spec->reasoning_ends.push_back(tokenize(vocab, tag, false, true));
    }
  }
  read_generation_prompt(vocab, *spec);
  if (!grammar.empty()) {
    spec->grammar = std::move(grammar);
  } else if (!chat.grammar.empty()) {
    // A model that thinks may write the call before it ends its reasoning, which the grammar takes for a text.
    const bool must_call = has_tools && !chat.grammar_lazy && spec->prompted != GrammarSpec::Prompted::kOpen;
    std::string text = must_call ? with_call_first(chat.grammar) : chat.grammar;
    spec->grammar = {has_tools ? COMMON_GRAMMAR_TYPE_TOOL_CALLS : COMMON_GRAMMAR_TYPE_OUTPUT_FORMAT,
                     with_shared_beginnings(with_readable_json(with_json_keys(std::move(text))))};
    spec->lazy = chat.grammar_lazy;
    spec->triggers = resolve_triggers(vocab, chat.grammar_triggers);
  }
  return spec;
}

void apply_grammar(AnswerFormat& format, const llama_vocab* vocab, const std::string& grammar) {
  const bool opened = format.grammar->prompted == GrammarSpec::Prompted::kOpen;
  const bool thinks = !opened || std::ranges::any_of(format.grammar->reasoning_ends, [&](const auto& end) {
    return may_write(vocab, grammar, without_space_before(without_space_behind(format.thought_end)), end);
  });
  format.output = thinks ? make_grammar_format(format.output, format.thought_end) : make_plain_format();
  auto changed = std::make_shared<GrammarSpec>(*format.grammar);
  changed->grammar = {COMMON_GRAMMAR_TYPE_USER, grammar};
  changed->lazy = false;
  changed->triggers.clear();
  if (opened) {  // no limit ends a reasoning that the grammar does not have
    changed->reasoning_start.clear();
    changed->reasoning_ends.clear();
    changed->prompted = GrammarSpec::Prompted::kNothing;
  }
  format.grammar = std::move(changed);
}

}  // namespace lh
