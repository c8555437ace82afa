// Notices that a script model (llama-hooks/testing) cannot say its script, because the grammar of the request does not
// admit it: a table of successors would continue with the tokens that are left, often without an end.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "llama/prompt/chat_prompt.h"
#include "model/parameters.h"
#include "sampling.h"

namespace lh {

// Thrown where the script's next token is not admitted. Its message has the reply, the place in it, and the rule that
// forbids the token.
struct ScriptRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ScriptCheck {
 public:
  // The name of the reply that the prompt asks for. None: the model is not a script model, or its script may be
  // overruled.
  [[nodiscard]] static std::optional<std::string> reply_of(const llama_model* model,
                                                           const std::vector<int32_t>& prompt);
  // `alone`: the parameters of a sampler that has the request's grammar, and takes the likeliest token that it admits.
  ScriptCheck(const llama_model* model, std::string reply, const LlamaPrompt& prompt, const SamplingParams& params,
              common_params_sampling alone);

  // `token` was chosen after output `index`. False: a sampling parameter chose another one than the script's, so that
  // the script is over. Throws ScriptRefused if it was the grammar.
  [[nodiscard]] bool follows(int32_t token, llama_context* context, int32_t index);
  // The sampler could not continue after the last token: it begins the text that the grammar is for, and breaks it,
  // too.
  [[nodiscard]] ScriptRefused broken();

 private:
  [[nodiscard]] ScriptRefused refused(int32_t token) const;

  const llama_model* model_;
  std::string reply_;
  std::string rule_;  // what forbids a token
  bool ends_;         // false: the request ignores the end of the script
  std::string hint_;
  common_params_sampling alone_;
  std::vector<int32_t> written_;
};

}  // namespace lh
