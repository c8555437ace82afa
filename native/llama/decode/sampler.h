// The sampler of one generation: the prompt's grammar before libllama-common's chain, or an argmax where that is
// equivalent.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "llama/decode/grammar_sampler.h"
#include "llama/decode/script_check.h"
#include "llama/prompt/chat_prompt.h"
#include "sampling.h"

namespace lh {

// Thrown where a grammar makes a token so dear that the other generations of the thread would wait for it.
struct GrammarTooSlow : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown where bans, with the grammar or without one, leave no token.
struct NoTokenLeft : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class LlamaSampler {
 public:
  // `ends`: the vocabulary's end tokens. Errors: kInvalidGrammar; kInvalidArgument (a logit bias for a token that the
  // vocabulary lacks).
  static Result<std::unique_ptr<LlamaSampler>> create(const llama_model* model, const LlamaPrompt& prompt,
                                                      const SamplingParams& params, const std::vector<int32_t>& ends);

  // Chooses and accepts the token after output `index` of the last decode. llama.cpp may throw; GrammarTooSlow;
  // ScriptRefused; NoTokenLeft.
  int32_t sample(llama_context* context, int32_t index);

  // Adds the probability of `token` after output `index` of the last decode, and the `top` most likely tokens: those of
  // the model itself, before any sampler.
  void add_logprobs(llama_context* context, int32_t index, int32_t top, Token& token) const;

 private:
  LlamaSampler() = default;
  void add_bias(int32_t token, double bias);  // several of one token add up, as in llama.cpp
  [[nodiscard]] int32_t argmax(const float* logits) const;
  int32_t sample_by_grammar(llama_context* context, int32_t index);
  // The chain's choice among the tokens that the limit of reasoning and, if asked for, the grammar admit.
  llama_token_data choose(llama_context* context, int32_t index, bool by_grammar);

  common_sampler_ptr chain_;  // null: argmax
  std::optional<GrammarSampler> grammar_;
  std::vector<llama_token_data> candidates_;  // of `choose`, kept for its memory
  std::set<int32_t> banned_;
  std::optional<ScriptCheck> script_;  // of a script model with a grammar
  int32_t vocabulary_ = 0;
  // The biases for argmax; minus infinity: tokens that the vocabulary suppresses, and end tokens if they are ignored.
  std::map<int32_t, float> biases_;
  bool raises_ = false;  // a bias is above 0, so that the largest logit without biases may not be the largest with them
};

}  // namespace lh
