#include "llama/decode/sampler.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "base/caught.h"
#include "base/shortage.h"
#include "base/text/names.h"
#include "llama/base/vocab.h"
#include "llama/decode/logits.h"
#include "platform/thread_time.h"

namespace lh {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

NoTokenLeft no_token_left(bool grammar) {
  return NoTokenLeft(shown_field("params.logit_bias") + " bans every token" +
                     (grammar ? " that the grammar admits here" : ""));
}

// The limit of reasoning in tokens; none: no limit. If the generation prompt itself ends the reasoning, the model obeys
// and no limit is needed.
std::optional<int32_t> reasoning_limit(const GrammarSpec& grammar, const SamplingParams& p) {
  if (!grammar.knows_reasoning()) return std::nullopt;
  if (!p.reasoning && grammar.prompted != GrammarSpec::Prompted::kEnded) return 0;
  return p.reasoning_budget;
}

// llama.cpp takes floats: only here parameters are rounded to float.
common_params_sampling chain_params(const LlamaPrompt& prompt, const SamplingParams& p,
                                    const std::vector<int32_t>& ends) {
  common_params_sampling c;
  c.no_perf = true;
  c.seed = p.seed.value_or(LLAMA_DEFAULT_SEED);
  c.temp = p.temperature;
  c.dynatemp_range = p.dynatemp_range;
  c.top_k = p.top_k;
  c.top_p = p.top_p;
  c.min_p = p.min_p;
  c.typ_p = p.typical_p;
  // llama.cpp reads 0 as off, too; the smallest positive number leaves only the best token.
  c.top_n_sigma = p.top_n_sigma == 0 ? std::numeric_limits<float>::min() : p.top_n_sigma;
  c.penalty_repeat = p.repeat_penalty;
  c.penalty_present = p.presence_penalty;
  c.penalty_freq = p.frequency_penalty;
  c.penalty_last_n = p.penalty_last_n;
  c.dry_multiplier = p.dry_multiplier;
  c.dry_base = p.dry_base;
  c.dry_allowed_length = p.dry_allowed_length;
  c.dry_penalty_last_n = p.dry_penalty_last_n;
  if (p.dry_sequence_breakers) c.dry_sequence_breakers = *p.dry_sequence_breakers;
  c.xtc_probability = p.xtc_probability;
  c.xtc_threshold = p.xtc_threshold;
  c.mirostat = p.mirostat;
  c.mirostat_tau = p.mirostat_tau;
  c.mirostat_eta = p.mirostat_eta;
  c.adaptive_target = p.adaptive_target;
  c.adaptive_decay = p.adaptive_decay;
  if (p.adaptive_target >= 0) c.samplers.push_back(COMMON_SAMPLER_TYPE_ADAPTIVE_P);
  c.n_prev = std::max({c.n_prev, p.penalty_last_n, p.dry_penalty_last_n});
  for (const LogitBias& entry : p.logit_bias) {
    const double bias = entry.bias.value_or(-kInfinity);
    c.logit_bias.push_back({entry.token, static_cast<float>(bias)});
  }
  if (p.ignore_eos) {
    // A grammar that has reached its end admits no other token, so the end token must remain possible.
    const float last_resort = prompt.grammar().grammar.empty() ? -kInfinity : -1e9f;
    for (const int32_t token : ends) c.logit_bias.push_back({token, last_resort});
  }
  const GrammarSpec& grammar = prompt.grammar();
  c.grammar = grammar.grammar;
  c.grammar_lazy = grammar.lazy;
  c.grammar_triggers = grammar.triggers;
  c.preserved_tokens = grammar.preserved;
  c.generation_prompt = grammar.generation_prompt;
  c.reasoning_budget_start = grammar.reasoning_start;
  c.reasoning_budget_end = grammar.reasoning_ends;
  if (const auto limit = reasoning_limit(grammar, p)) {
    // llama.cpp counts reasoning that the generation prompt contains, which is not the model's.
    const int64_t tokens = int64_t{*limit} + grammar.prompted_tokens;
    c.reasoning_budget_tokens = static_cast<int32_t>(std::min<int64_t>(tokens, std::numeric_limits<int32_t>::max()));
    c.reasoning_budget_forced = grammar.reasoning_ends.front();
  }
  return c;
}

// Takes out what GrammarSampler does.
void leave_chain(common_params_sampling& params) {
  params.grammar = {};
  params.grammar_lazy = false;
  params.grammar_triggers.clear();
  params.generation_prompt.clear();
  params.reasoning_budget_start.clear();
  params.reasoning_budget_end.clear();
  params.reasoning_budget_tokens = -1;
}

// Parameters of a sampler that only the grammar keeps from the likeliest token.
common_params_sampling grammar_alone(const LlamaPrompt& prompt, const std::vector<int32_t>& ends) {
  SamplingParams params;
  params.temperature = 0;
  return chain_params(prompt, params, ends);
}

// Grammars that pass the guards take a tenth of this at most.
constexpr double kMostStepSeconds = 1.5;

// Greedy decoding without penalties picks the largest logit, biases added, and needs no chain.
bool is_argmax(const LlamaPrompt& prompt, const SamplingParams& p) {
  const bool penalties =
      p.penalty_last_n > 0 && (p.repeat_penalty != 1 || p.presence_penalty != 0 || p.frequency_penalty != 0);
  return p.temperature <= 0 && p.mirostat == 0 && !penalties && p.dry_multiplier == 0 && p.xtc_probability == 0 &&
         p.typical_p >= 1 && prompt.grammar().grammar.empty() && !reasoning_limit(prompt.grammar(), p);
}

}  // namespace

Result<std::unique_ptr<LlamaSampler>> LlamaSampler::create(const llama_model* model, const LlamaPrompt& prompt,
                                                           const SamplingParams& params,
                                                           const std::vector<int32_t>& ends) {
  const llama_vocab* vocab = llama_model_get_vocab(model);
  std::unique_ptr<LlamaSampler> sampler(new LlamaSampler);
  sampler->vocabulary_ = llama_vocab_n_tokens(vocab);
  for (const LogitBias& entry : params.logit_bias) {
    if (entry.token < 0 || entry.token >= sampler->vocabulary_) {
      return Status(Code::kInvalidArgument, shown_field("params.logit_bias") + " has token " +
                                                std::to_string(entry.token) + ", and the vocabulary has 0 to " +
                                                std::to_string(sampler->vocabulary_ - 1));
    }
  }
  for (const LogitBias& entry : params.logit_bias) {
    if (!entry.bias) sampler->banned_.insert(entry.token);
  }
  if (is_argmax(prompt, params)) {
    int32_t suppressed = 0;
    const llama_token* tokens = llama_vocab_get_suppress_tokens(vocab, &suppressed);
    for (const LogitBias& entry : params.logit_bias) sampler->add_bias(entry.token, entry.bias.value_or(-kInfinity));
    for (int32_t i = 0; i < suppressed; ++i) sampler->add_bias(tokens[i], -kInfinity);
    if (params.ignore_eos) std::ranges::for_each(ends, [&](int32_t end) { sampler->add_bias(end, -kInfinity); });
    return sampler;
  }
  const bool has_grammar = !prompt.grammar().grammar.empty();
  if (auto reply = has_grammar ? ScriptCheck::reply_of(model, prompt.tokens()) : std::nullopt) {
    sampler->script_.emplace(model, *std::move(reply), prompt, params, grammar_alone(prompt, ends));
  }
  const Shortage shortage;
  try {
    common_params_sampling chain = chain_params(prompt, params, ends);
    if (has_grammar || chain.reasoning_budget_tokens >= 0) {
      sampler->grammar_.emplace(model, chain, *prompt.grammar().start);
    }
    leave_chain(chain);
    sampler->chain_.reset(common_sampler_init(model, chain));
    if (shortage.seen()) return shortage.status();
    if (!sampler->chain_) return Status(Code::kInvalidGrammar, "the sampler could not be made from these params");
    const auto& tokens = prompt.tokens();  // penalties apply to the prompt, too
    const size_t from = tokens.size() - std::min(tokens.size(), static_cast<size_t>(chain.n_prev));
    for (size_t i = from; i < tokens.size(); ++i) common_sampler_accept(sampler->chain_.get(), tokens[i], false);
  } catch (const std::exception&) {
    if (shortage.seen()) return shortage.status();  // llama.cpp has caught the first exception, and thrown another
    return caught_as(Code::kInvalidGrammar, "the sampler could not be made: ");
  }
  return sampler;
}

int32_t LlamaSampler::sample(llama_context* context, int32_t index) {
  if (!chain_) return argmax(llama_get_logits_ith(context, index));
  if (!grammar_) {
    const llama_token token = common_sampler_sample(chain_.get(), context, index);
    if (banned_.contains(token)) throw no_token_left(false);
    common_sampler_accept(chain_.get(), token, true);
    return token;
  }
  const double start = thread_seconds();
  const int32_t token = sample_by_grammar(context, index);
  if (thread_seconds() - start > kMostStepSeconds) {
    throw GrammarTooSlow("the grammar can go on in so many ways here that a token takes more than " +
                         std::to_string(kMostStepSeconds).substr(0, 3) + " s");
  }
  return token;
}

// Samples as libllama-common does: the grammar looks at all tokens only if it does not admit the first choice.
int32_t LlamaSampler::sample_by_grammar(llama_context* context, int32_t index) {
  llama_token_data chosen = choose(context, index, false);
  if (grammar_->applies()) {
    llama_token_data alone{chosen.id, 1, 0};
    llama_token_data_array array{&alone, 1, -1, false};
    grammar_->apply(array);
    if (alone.logit == -kInfinity) chosen = choose(context, index, true);
  }
  const bool none_left = !(chosen.logit > -kInfinity);
  if (none_left && !banned_.empty()) throw no_token_left(grammar_->applies());
  if (script_ && !script_->follows(chosen.id, context, index)) script_.reset();
  if (none_left) {
    throw std::runtime_error(grammar_->applies() ? "no token of the vocabulary continues the grammar"
                                                 : "no token of the vocabulary ends the reasoning");
  }
  if (!grammar_->accept(chosen.id) && script_) throw script_->broken();
  common_sampler_accept(chain_.get(), chosen.id, true);
  return chosen.id;
}

llama_token_data LlamaSampler::choose(llama_context* context, int32_t index, bool by_grammar) {
  const float* logits = llama_get_logits_ith(context, index);
  candidates_.resize(static_cast<size_t>(vocabulary_));
  for (int32_t token = 0; token < vocabulary_; ++token) {
    candidates_[static_cast<size_t>(token)] = {token, logits[token], 0};
  }
  llama_token_data_array array{candidates_.data(), candidates_.size(), -1, false};
  grammar_->limit(array);
  if (by_grammar) grammar_->apply(array);
  llama_sampler_apply(common_sampler_get(chain_.get()), &array);
  if (array.selected < 0) throw std::runtime_error("the sampler chose no token");
  return array.data[array.selected];
}

void LlamaSampler::add_bias(int32_t token, double bias) {
  biases_[token] += static_cast<float>(bias);
  raises_ |= bias > 0;
}

int32_t LlamaSampler::argmax(const float* logits) const {
  const float top = largest_logit(logits, vocabulary_);
  const auto first = static_cast<int32_t>(std::find(logits, logits + vocabulary_, top) - logits);
  if (first == vocabulary_) throw std::runtime_error("the logits are not numbers");
  if (!raises_ && !biases_.contains(first)) return first;
  int32_t best = 0;
  float most = -kInfinity;
  const auto take = [&](int32_t token, float logit) {
    if (logit > most) std::tie(best, most) = std::pair(token, logit);
  };
  for (const auto& [token, bias] : biases_) take(token, logits[token] + bias);
  for (int32_t token = 0; token < vocabulary_; ++token) {
    if (logits[token] > most && !biases_.contains(token)) take(token, logits[token]);
  }
  if (most == -kInfinity) throw no_token_left(false);
  return best;
}

void LlamaSampler::add_logprobs(llama_context* context, int32_t index, int32_t top, Token& token) const {
  const float* logits = llama_get_logits_ith(context, index);
  const double whole = log_sum_exp(logits, vocabulary_);
  token.logprob = logits[token.id] - whole;
  if (top == 0) return;
  const llama_vocab* vocab = llama_model_get_vocab(llama_get_model(context));
  auto likeliest = std::make_shared<std::vector<Candidate>>();
  for (const int32_t one : largest_logits(logits, vocabulary_, top)) {
    const double logprob = logits[one] - whole;
    if (std::isfinite(logprob)) likeliest->push_back({one, token_bytes(vocab, one, true), logprob});
  }
  token.top = std::move(likeliest);
}

}  // namespace lh
