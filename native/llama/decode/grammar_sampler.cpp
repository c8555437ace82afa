#include "llama/decode/grammar_sampler.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text/white_space.h"
#include "llama/base/assertions.h"
#include "reasoning-budget.h"

namespace lh {
namespace {

// The tokens that the template has already written, without a space that some tokenizers add before the first.
std::vector<llama_token> prefill(const llama_vocab* vocab, const std::string& text) {
  if (text.empty()) return {};
  std::vector<llama_token> tokens = common_tokenize(vocab, text, false, true);
  const auto is_space = [](const std::string& of) {
    return !of.empty() && std::isspace(static_cast<unsigned char>(of[0])) != 0;
  };
  if (!tokens.empty() && !is_space(text) && is_space(common_token_to_piece(vocab, tokens[0], true))) {
    tokens.erase(tokens.begin());
  }
  return tokens;
}

}  // namespace

GrammarSampler::GrammarSampler(const llama_model* model, const common_params_sampling& params, GrammarStart& start)
    : vocab_(llama_model_get_vocab(model)) {
  const std::vector<llama_token> before = prefill(vocab_, params.generation_prompt);
  if (!params.grammar.empty()) begin_grammar(params, start, before);
  const bool knows_reasoning = !params.reasoning_budget_start.empty() && !params.reasoning_budget_end.empty();
  const int32_t limit = params.reasoning_budget_tokens;
  if (!knows_reasoning || (!params.grammar_lazy && limit < 0)) return;
  reasoning_.reset(common_reasoning_budget_init(vocab_, {params.reasoning_budget_start}, params.reasoning_budget_end,
                                                params.reasoning_budget_forced,
                                                limit < 0 ? std::numeric_limits<int32_t>::max() : limit));
  for (const llama_token token : before) llama_sampler_accept(reasoning_.get(), token);
  for (const llama_tokens& tokens : params.reasoning_budget_end) {
    std::string end;
    for (const llama_token token : tokens) end += common_token_to_piece(vocab_, token, true);
    ends_.emplace_back(without_space_before(without_space_behind(end)));
    longest_end_ = std::max(longest_end_, ends_.back().size());
  }
  std::erase(ends_, "");
}

void GrammarSampler::begin_grammar(const common_params_sampling& params, GrammarStart& start,
                                   const std::vector<llama_token>& before) {
  grammar_ = start.begin(vocab_, params);
  if (!grammar_) throw std::runtime_error("failed to parse grammar");
  // A grammar of the caller begins behind the prompt.
  if (!params.grammar_lazy && common_grammar_needs_prefill(params.grammar)) {
    for (const llama_token token : before) llama_grammar_accept_impl(*grammar_, token);
  }
  beginning_ = grammar_->stacks;
}

// The tags of reasoning are text in a call that has begun.
void GrammarSampler::limit(llama_token_data_array& candidates) const {
  if (reasoning_ && !started() && !ended_as_text_) llama_sampler_apply(reasoning_.get(), &candidates);
}

// A waiting grammar waits for the end of reasoning, too.
bool GrammarSampler::applies() const {
  if (!grammar_) return false;
  if (!grammar_->awaiting_trigger || !reasoning_) return true;
  const auto state = common_reasoning_budget_get_state(reasoning_.get());
  return state == REASONING_BUDGET_IDLE || state == REASONING_BUDGET_DONE;
}

// True if the text of the reasoning, with this token, has an end of it.
bool GrammarSampler::ends_as_text(llama_token token) {
  const size_t before = recent_.size();
  recent_ += common_token_to_piece(vocab_, token, true);
  const bool ends = std::ranges::any_of(ends_, [&](const std::string& end) {
    return recent_.find(end, before - std::min(before, end.size() - 1)) != recent_.npos;
  });
  recent_.erase(0, recent_.size() - std::min(recent_.size(), longest_end_));
  return ends;
}

// llama.cpp compares tokens, but a model may choose other tokens for the same text, such as one with a line end behind
// the mark. The parser of the answer compares texts: for it the reasoning has ended, and no limit cuts the text that
// follows.
void GrammarSampler::follow_reasoning(llama_token token) {
  const auto state = [this] { return common_reasoning_budget_get_state(reasoning_.get()); };
  const bool counted = state() == REASONING_BUDGET_COUNTING || state() == REASONING_BUDGET_WAITING_UTF8;
  llama_sampler_accept(reasoning_.get(), token);
  if (counted && state() != REASONING_BUDGET_DONE) {
    ended_as_text_ = ends_as_text(token);
  } else {
    recent_.clear();
  }
}

bool GrammarSampler::accept(llama_token token) {
  if (started()) {
    llama_grammar_accept_impl(*grammar_, token);
    return true;
  }
  const bool applied = applies();
  if (reasoning_ && !ended_as_text_) follow_reasoning(token);
  if (!grammar_) return true;
  if (!grammar_->awaiting_trigger) {
    llama_grammar_accept_impl(*grammar_, token);
    return true;
  }
  if (applied) return accept_waiting(token);
  if (common_reasoning_budget_get_state(reasoning_.get()) != REASONING_BUDGET_DONE) return true;
  // The end of reasoning may be the trigger.
  const llama_tokens* const end = common_reasoning_budget_get_end_match(reasoning_.get());
  return end == nullptr || std::ranges::all_of(*end, [this](llama_token one) { return accept_waiting(one); });
}

bool GrammarSampler::accept_waiting(llama_token token) {
  llama_grammar& grammar = *grammar_;
  // llama.cpp forgets the text before a token that is a trigger, which patterns may still need.
  std::string text;
  std::vector<llama_grammar::token_pos> positions;
  const bool forgets = std::ranges::find(grammar.trigger_tokens, token) != grammar.trigger_tokens.end();
  if (forgets) {
    text = grammar.trigger_buffer;
    positions = grammar.trigger_buffer_positions;
  }
  try {
    llama_grammar_accept_impl(grammar, token);
    return true;
  } catch (const AssertionFailed&) {
    throw;
  } catch (const std::runtime_error&) {
    grammar.stacks = beginning_;
    grammar.partial_utf8 = {};
    grammar.awaiting_trigger = true;
    if (forgets) {
      grammar.trigger_buffer = std::move(text);
      grammar.trigger_buffer_positions = std::move(positions);
    } else {
      grammar.trigger_buffer.resize(grammar.trigger_buffer_positions.back().second.first);
      grammar.trigger_buffer_positions.pop_back();
    }
    return false;
  }
}

}  // namespace lh
