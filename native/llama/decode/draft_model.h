// A small model that drafts tokens for a large one: with a separate file and KV cache, on the threads of the large one.
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

// The load parameters of a draft model, from those of its large model.
[[nodiscard]] LoadParams draft_params(const LoadParams& params);

class DraftModel {
 public:
  // `params` are those of the large model, whose context is `context`. Errors: kInvalidArgument, with `path` and why it
  // does not fit `target`: another vocabulary, or one of the two has a memory that cannot be cut back to an earlier
  // token.
  static Result<std::unique_ptr<DraftModel>> create(const std::string& path, std::shared_ptr<LlamaWeights> weights,
                                                    const llama_model* target, const LlamaContext& context,
                                                    const LoadParams& params, int32_t context_size);
  DraftModel(const DraftModel&) = delete;
  DraftModel& operator=(const DraftModel&) = delete;

  // Drafts at most `most` tokens after `held` and `next` of a sequence, as long as it is sure. It reads new text in
  // parts, and returns none while text is left to read.
  [[nodiscard]] std::optional<std::vector<int32_t>> draft(int32_t sequence, const std::vector<int32_t>& held,
                                                          int32_t next, int32_t most);
  [[nodiscard]] const LlamaContext& context() const { return *context_; }
  // The cost of a token that it reads or drafts, in tokens of the large model.
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
  std::vector<std::vector<int32_t>> held_;  // by sequence: the tokens in its cache
};
static_assert(!std::is_copy_constructible_v<DraftModel>);

}  // namespace lh
