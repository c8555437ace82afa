// A small model that guesses what a large one will say: a file and KV cache of its own, on the large one's threads.
// Must not: be used by two threads at once (the decode thread owns it), or decode with the large model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "llama/base/handles.h"
#include "llama/decode/context.h"

namespace lh {

// How the draft model of a model that is loaded so is loaded itself.
[[nodiscard]] LoadParams draft_params(const LoadParams& params);

class DraftModel {
 public:
  // `params` as the large model's, for which `context` was made. Errors: kInvalidArgument names `path` and what makes
  // it unfit for `target`: another vocabulary, or a memory that cannot be cut back to an earlier token, of either.
  static Result<std::unique_ptr<DraftModel>> create(const std::string& path, std::shared_ptr<LlamaWeights> weights,
                                                    const llama_model* target, const LlamaContext& context,
                                                    const LoadParams& params, int32_t context_size);
  DraftModel(const DraftModel&) = delete;
  DraftModel& operator=(const DraftModel&) = delete;

  // At most `most` tokens behind `held` and `next` of a sequence, as far as it is sure of them. It reads what it has
  // not read of these a part at a time: nothing while there is more to read.
  [[nodiscard]] std::optional<std::vector<int32_t>> draft(int32_t sequence, const std::vector<int32_t>& held,
                                                          int32_t next, int32_t most);
  [[nodiscard]] const LlamaContext& context() const { return *context_; }
  // Of a token that it reads or guesses, in tokens of the large model.
  [[nodiscard]] double cost() const { return cost_; }

 private:
  DraftModel(std::shared_ptr<LlamaWeights> weights, std::unique_ptr<LlamaContext> context, int32_t sequences,
             int32_t target_vocabulary, double cost);
  bool read(int32_t sequence, const int32_t* tokens, int32_t count);

  const int32_t target_vocabulary_;
  const int32_t vocabulary_;
  const double cost_;
  std::shared_ptr<LlamaWeights> weights_;
  std::unique_ptr<LlamaContext> context_;
  Batch batch_;
  std::vector<std::vector<int32_t>> held_;  // of each sequence: the tokens that its cache holds
};
static_assert(!std::is_copy_constructible_v<DraftModel>);

}  // namespace lh
