// The answer format of a chat template: grammar, stops and parser, built once for all prompts with the same inputs.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/format_key.h"
#include "base/threads/recent_values.h"
#include "chat.h"
#include "llama/grammar/grammar_start.h"
#include "model/generator.h"

namespace lh {

// The constraints that the prompt puts on the sampler.
struct GrammarSpec {
  common_grammar grammar;
  bool lazy = false;
  std::vector<common_grammar_trigger> triggers;
  std::set<llama_token> preserved;  // special tokens that are rendered as text, because the parser reads them
  std::string generation_prompt;
  // The marks that begin and end reasoning, as tokens: a tool call within is only thought about, and triggers nothing.
  std::vector<llama_token> reasoning_start;
  std::vector<std::vector<llama_token>> reasoning_ends;
  // kOpen, kEnded: the generation prompt begins the reasoning, and leaves it open or ends it.
  enum class Prompted { kNothing, kOpen, kEnded } prompted = Prompted::kNothing;
  int32_t prompted_tokens = 0;  // of the generation prompt, behind the beginning of its reasoning
  std::shared_ptr<GrammarStart> start = std::make_shared<GrammarStart>();

  [[nodiscard]] bool knows_reasoning() const { return !reasoning_start.empty() && !reasoning_ends.empty(); }
};

// Immutable, and shared by its prompts.
struct AnswerFormat {
  std::shared_ptr<const GrammarSpec> grammar;
  std::vector<std::string> stops;
  std::vector<std::string> tools;  // names of those that may be called
  std::shared_ptr<const OutputFormat> output;
  std::string thought_start;  // the tags around reasoning; empty: the template has none
  std::string thought_end;
  bool one_call = false;  // some grammars allow more calls than the template or the caller
};

// Replaces the grammar of the format by the caller's, which has been checked. It applies from the first token, and all
// that the model writes is text. Where the prompt opens the reasoning, a grammar that can end it has one, too.
void apply_grammar(AnswerFormat& format, const llama_vocab* vocab, const std::string& grammar);

// The part of an answer format that does not depend on the vocabulary. Immutable.
struct TemplateAnswer {
  common_chat_params chat;  // without a prompt
  std::shared_ptr<const OutputFormat> output;
  bool for_all = false;  // holds for all prompts with the same inputs, not only for the one that it was made for
};
using TemplateAnswerPtr = std::shared_ptr<const TemplateAnswer>;

// The answers for all prompts that were found out last in this process. llama.cpp renders a template many times to find
// one out, which takes a fifth of the time from an engine's start to the end of a short first generation.
RecentValues<TemplateAnswerPtr>& known_answers();

// Adds the ends of reasoning that only the parser knows.
void add_ends_of_reasoning(common_chat_params& chat);

// Resolves the template's description with the vocabulary. `grammar`, if it has text, replaces the template's grammar.
std::shared_ptr<const GrammarSpec> make_grammar_spec(const llama_vocab* vocab, const common_chat_params& chat,
                                                     common_grammar grammar, bool has_tools);

}  // namespace lh
