#include "llama/grammar/grammar_start.h"

#include <algorithm>
#include <utility>

#include "llama-grammar.h"

namespace lh {
namespace {

bool same_trigger(const common_grammar_trigger& a, const common_grammar_trigger& b) {
  return a.type == b.type && a.value == b.value && a.token == b.token;
}

std::string trigger_pattern(const common_grammar_trigger& trigger) {
  const std::string& value = trigger.value;
  if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_WORD) return regex_escape(value);
  if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN) return value;
  if (value.empty()) return "^$";
  return (value.front() == '^' ? "" : "^") + value + (value.back() == '$' ? "" : "$");
}

llama_grammar* parsed_grammar(const llama_vocab* vocab, const common_params_sampling& params) {
  std::vector<std::string> patterns;
  std::vector<llama_token> tokens;
  for (const common_grammar_trigger& trigger : params.grammar_triggers) {
    if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN) {
      tokens.push_back(trigger.token);
    } else {
      patterns.push_back(trigger_pattern(trigger));
    }
  }
  std::vector<const char*> each;
  for (const std::string& pattern : patterns) each.push_back(pattern.c_str());
  const std::string& text = common_grammar_value(params.grammar);
  return llama_grammar_init_impl(vocab, text.c_str(), "root", params.grammar_lazy, each.data(), each.size(),
                                 tokens.data(), tokens.size());
}

}  // namespace

void GrammarDeleter::operator()(llama_grammar* grammar) const { llama_grammar_free_impl(grammar); }

bool GrammarStart::Known::is_for(const llama_vocab* vocab, const common_params_sampling& params) const {
  return grammar->vocab == vocab && lazy == params.grammar_lazy && text == common_grammar_value(params.grammar) &&
         std::ranges::equal(triggers, params.grammar_triggers, same_trigger);
}

GrammarPtr GrammarStart::begin(const llama_vocab* vocab, const common_params_sampling& params) {
  std::shared_ptr<const Known> known;
  {
    const MutexLock lock(mutex_);
    known = known_;
  }
  if (known == nullptr || !known->is_for(vocab, params)) {
    GrammarPtr made(parsed_grammar(vocab, params));
    if (!made) return nullptr;
    known = std::make_shared<const Known>(
        Known{std::move(made), common_grammar_value(params.grammar), params.grammar_lazy, params.grammar_triggers});
    const MutexLock lock(mutex_);
    known_ = known;
  }
  return GrammarPtr(llama_grammar_clone_impl(*known->grammar));
}

}  // namespace lh
