// The grammar of one generation and the limit of its reasoning (one of the two may be missing): the parts of
// libllama-common's sampler before its chain. A grammar that waits for its trigger continues to wait where a text only
// names the trigger.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "llama-grammar.h"
#include "llama/base/handles.h"
#include "llama/grammar/grammar_start.h"
#include "sampling.h"

namespace lh {

class GrammarSampler {
 public:
  // The grammar, its triggers, the reasoning's tags and limit, and the generation prompt of `params`. `start`: of the
  // answer format. llama.cpp may throw.
  GrammarSampler(const llama_model* model, const common_params_sampling& params, GrammarStart& start);

  // Leaves the tokens that the limit of reasoning admits.
  void limit(llama_token_data_array& candidates) const;
  // True: the grammar decides about the next token.
  [[nodiscard]] bool applies() const;
  // Leaves the tokens that the grammar admits.
  void apply(llama_token_data_array& candidates) const { llama_grammar_apply_impl(*grammar_, &candidates); }

  // Returns false if the token is text: it sets a waiting grammar going, which does not admit all of it. llama.cpp may
  // throw: the grammar had started, or cannot continue for another reason.
  bool accept(llama_token token);

 private:
  [[nodiscard]] bool started() const { return grammar_ && grammar_->lazy && !grammar_->awaiting_trigger; }
  void begin_grammar(const common_params_sampling& params, GrammarStart& start, const std::vector<llama_token>& before);
  bool accept_waiting(llama_token token);
  void follow_reasoning(llama_token token);
  bool ends_as_text(llama_token token);

  const llama_vocab* vocab_;
  GrammarPtr grammar_;
  llama_grammar_stacks beginning_;  // of the grammar
  SamplerPtr reasoning_;            // null: the template has no tags of reasoning, or nothing asks for them
  std::vector<std::string> ends_;   // of reasoning, as the parser of the answer looks for them
  size_t longest_end_ = 0;
  std::string recent_;  // of the reasoning, as much as an end may have
  bool ended_as_text_ = false;
};

}  // namespace lh
