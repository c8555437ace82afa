#include "llama/decode/draft_model.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "base/text/names.h"
#include "llama/decode/draft.h"
#include "llama/decode/logits.h"

namespace lh {
namespace {

constexpr int32_t kReadAtOnce = 64;  // tokens per step, for which the generation waits
constexpr int32_t kMostGuesses = 8;  // later ones are rarely accepted
constexpr double kSure = 0.75;       // the least probability of a drafted token

// Vocabularies of one family differ in their padding at the end.
constexpr int32_t kPadding = 128;
constexpr int32_t kFirstCompared = 5;  // before it, unused and control tokens that may have other names

// Why `draft` does not fit `target` as a draft model; empty: it fits.
std::string vocabulary_difference(const llama_vocab* target, const llama_vocab* draft) {
  if (llama_vocab_type(target) != llama_vocab_type(draft)) return "its tokenizer is of another kind";
  if (llama_vocab_bos(target) != llama_vocab_bos(draft) || llama_vocab_eos(target) != llama_vocab_eos(draft)) {
    return "its tokens of beginning and end are others";
  }
  const int32_t ours = llama_vocab_n_tokens(target);
  const int32_t theirs = llama_vocab_n_tokens(draft);
  if (std::abs(ours - theirs) > kPadding) {
    return "its vocabulary has " + std::to_string(theirs) + " tokens, and the model's " + std::to_string(ours);
  }
  for (int32_t token = kFirstCompared; token < std::min(ours, theirs); ++token) {
    if (std::strcmp(llama_vocab_get_text(target, token), llama_vocab_get_text(draft, token)) != 0) {
      return "its token " + std::to_string(token) + " is another";
    }
  }
  return "";
}

}  // namespace

LoadParams draft_params(const LoadParams& params) {
  LoadParams draft = params;
  draft.speculation = Speculation::kOff;
  draft.draft_model.clear();
  draft.cache_memory = 0;  // a small model rereads text quickly, so it needs no cache
  draft.batch_size = std::min(params.batch_size, kReadAtOnce);
  return draft;
}

Result<std::unique_ptr<DraftModel>> DraftModel::create(const std::string& path, std::shared_ptr<LlamaWeights> weights,
                                                       const llama_model* target, const LlamaContext& context,
                                                       const LoadParams& params, int32_t context_size) {
  const auto unfit = [&path](const std::string& why) {
    return Status(Code::kInvalidArgument,
                  shown_field("draft_model") + " " + path + " cannot guess for this model: " + why);
  };
  if (!context.cut_rule().anywhere) return unfit("the model's memory cannot be cut back to an earlier token");
  llama_model* const model = weights->model.get();
  const llama_vocab* const vocabulary = llama_model_get_vocab(target);
  const std::string difference = vocabulary_difference(vocabulary, llama_model_get_vocab(model));
  if (!difference.empty()) return unfit(difference);
  auto own = LlamaContext::create(*weights, draft_params(params), context_size, &context);
  if (!own.ok()) return own.status();
  if (!(*own)->cut_rule().anywhere) return unfit("its own memory cannot be cut back to an earlier token");
  // Time per token is the time to read weights: gives the cost of a drafted token in tokens of the large model.
  const double cost = static_cast<double>(llama_model_size(model)) /
                      static_cast<double>(std::max<uint64_t>(1, llama_model_size(target)));
  return std::unique_ptr<DraftModel>(
      new DraftModel(std::move(weights), *std::move(own), params.parallel, llama_vocab_n_tokens(vocabulary), cost));
}

DraftModel::DraftModel(std::shared_ptr<LlamaWeights> weights, std::unique_ptr<LlamaContext> context, int32_t sequences,
                       int32_t target_vocabulary, double cost)
    : target_vocabulary_(target_vocabulary),
      vocabulary_(llama_vocab_n_tokens(llama_model_get_vocab(weights->model.get()))),
      cost_(cost),
      weights_(std::move(weights)),
      context_(std::move(context)),
      batch_(kReadAtOnce),
      held_(static_cast<size_t>(sequences)) {}

std::optional<std::vector<int32_t>> DraftModel::draft(int32_t sequence, const std::vector<int32_t>& held, int32_t next,
                                                      int32_t most) {
  std::vector<int32_t>& own = held_[static_cast<size_t>(sequence)];
  std::vector<int32_t> wanted = held;
  wanted.push_back(next);
  // The last token is always computed, because its logits are needed.
  const int32_t common = std::min(common_prefix(own, wanted), static_cast<int32_t>(wanted.size()) - 1);
  const auto missing = static_cast<int32_t>(wanted.size()) - common;
  own.resize(static_cast<size_t>(common));
  context_->cut(sequence, common);
  if (!read(sequence, wanted.data() + common, std::min(missing, kReadAtOnce)) || missing > kReadAtOnce) {
    return std::nullopt;
  }

  std::vector<int32_t> drafted;
  most = std::min(most, kMostGuesses);
  while (static_cast<int32_t>(drafted.size()) < most) {
    const float* const logits = llama_get_logits_ith(context_->get(), -1);
    const float top = largest_logit(logits, vocabulary_);
    const auto token = static_cast<int32_t>(std::find(logits, logits + vocabulary_, top) - logits);
    if (token >= std::min(vocabulary_, target_vocabulary_) || !is_sure(logits, vocabulary_, top, kSure)) break;
    drafted.push_back(token);
    if (static_cast<int32_t>(drafted.size()) == most || !read(sequence, &token, 1)) break;
  }
  return drafted;
}

// Appends tokens to the sequence, with the logits of the last one. False: impossible, so nothing is drafted.
bool DraftModel::read(int32_t sequence, const int32_t* tokens, int32_t count) {
  std::vector<int32_t>& own = held_[static_cast<size_t>(sequence)];
  if (std::any_of(tokens, tokens + count, [this](int32_t token) { return token >= vocabulary_; })) return false;
  batch_.clear();
  const auto from = static_cast<int32_t>(own.size());
  for (int32_t i = 0; i < count; ++i) batch_.add(tokens[i], from + i, sequence, i + 1 == count);
  bool read = false;
  try {
    read = llama_decode(context_->get(), batch_.get()) == 0;
  } catch (const std::exception&) {  // one draft less; the output does not need it
  }
  if (!read) {
    own.clear();
    context_->cut(sequence, 0);
    return false;
  }
  own.insert(own.end(), tokens, tokens + count);
  return true;
}

}  // namespace lh
