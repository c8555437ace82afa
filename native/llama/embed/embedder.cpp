#include "llama/embed/embedder.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace lh {
namespace {

// A number or a flag as text; empty if the file does not state it.
std::string meta(const llama_model* model, const std::string& key) {
  char value[128] = "";
  if (llama_model_meta_val_str(model, key.c_str(), value, sizeof value) < 0) return {};
  return value;
}

std::string architecture_of(const llama_model* model) { return meta(model, "general.architecture"); }

// The tensors that turn a vector into a score. Without them llama.cpp returns the vector's first number as score.
bool has_rank_head(const GgufSummary& file) {
  if (file.tensors.contains("cls.output.weight")) return true;
  const auto found = file.tensors.find("cls.weight");
  return found != file.tensors.end() && found->second.size() == 2 && found->second[1] == 1;
}

// Empty: the model ranks.
std::string why_no_ranks(const llama_model* model, const GgufSummary& file) {
  if (!has_rank_head(file)) return "the model has no rank head (no tensor cls.output.weight): it is not a reranker";
  const uint32_t outputs = llama_model_n_cls_out(model);
  const char* first = llama_model_cls_label(model, 0);
  if (outputs <= 1 || (first != nullptr && std::string_view(first) == "yes")) return {};
  return "the model tells " + std::to_string(outputs) + " classes apart: it is not a reranker";
}

int32_t most_tokens(const llama_model* model, const LoadParams& params) {
  return std::min(params.batch_size, llama_model_n_ctx_train(model));
}

struct FilledForm {
  std::string text;
  TokenMarks marks;  // where it must not have a control token
};

// One pass, so that placeholders inside a query or a document are not replaced.
FilledForm filled(std::string_view form, std::string_view query, std::string_view document, const MarkFinder& finder) {
  constexpr std::string_view kQuery = "{query}";
  constexpr std::string_view kDocument = "{document}";
  FilledForm all;
  const auto add = [&](std::string_view text) {
    for (const TokenMark& mark : finder.find(text)) all.marks.push_back({all.text.size() + mark.at, mark.token});
    all.text += text;
  };
  while (!form.empty()) {
    if (form.starts_with(kQuery)) {
      add(query);
      form.remove_prefix(kQuery.size());
    } else if (form.starts_with(kDocument)) {
      add(document);
      form.remove_prefix(kDocument.size());
    } else {
      all.text += form.front();
      form.remove_prefix(1);
    }
  }
  return all;
}

std::unique_ptr<const MarkFinder> make_marks(const llama_model* model, const Tokenizer& tokenizer) {
  if (llama_model_chat_template(model, "rerank") == nullptr) return nullptr;
  return std::make_unique<const MarkFinder>(tokenizer.special(), std::vector<std::string>());
}

}  // namespace

Json describe_embedding(const llama_model* model, const GgufSummary& file, const LoadParams& params) {
  return {{"dimensions", llama_model_n_embd_out(model)},
          {"pooling", pooling_name(own_pooling(model))},
          {"max_tokens", most_tokens(model, params)},
          {"reranks", why_no_ranks(model, file).empty()}};
}

PoolingType own_pooling(const llama_model* model) {
  const std::string architecture = architecture_of(model);
  const std::string named = meta(model, architecture + ".pooling_type");
  if (named.size() == 1 && named[0] >= '0' && named[0] <= '4') return static_cast<PoolingType>(named[0] - '0');
  // When a text is read from left to right, only its last token has seen all of it.
  return meta(model, architecture + ".attention.causal") == "false" ? PoolingType::kMean : PoolingType::kLast;
}

bool only_embeds(const llama_model* model, const LoadParams& params, const Status& no_context) {
  const bool has_text = llama_vocab_type(llama_model_get_vocab(model)) != LLAMA_VOCAB_TYPE_NONE;
  return no_context.code() == Code::kUnsupportedArchitecture && has_text && params.draft_model.empty() &&
         !llama_model_is_diffusion(model);
}

LlamaEmbedder::LlamaEmbedder(LlamaWeights& weights, const GgufSummary& file, LoadParams params,
                             const Tokenizer& tokenizer)
    : weights_(weights),
      model_(weights.model.get()),
      vocab_(llama_model_get_vocab(model_)),
      tokenizer_(tokenizer),
      marks_(make_marks(model_, tokenizer)),
      params_(std::move(params)),
      max_tokens_(most_tokens(model_, params_)),
      architecture_(architecture_of(model_)),
      own_(lh::own_pooling(model_)),
      no_ranks_(why_no_ranks(model_, file)),
      description_(describe_embedding(model_, file, params_)) {}

Result<PoolingType> LlamaEmbedder::pooling(std::optional<PoolingType> asked) const {
  if (asked) return *asked;
  if (own_ != PoolingType::kRank) return own_;
  return Status(
      Code::kUnsupportedByModel,
      "the model was made to rank documents, not to embed texts: name a pooling to embed with it all the same");
}

Status LlamaEmbedder::check_ranks() const {
  return no_ranks_.empty() ? Status() : Status(Code::kUnsupportedByModel, no_ranks_);
}

Status LlamaEmbedder::check_size(size_t bytes) const {
  const size_t least = tokenizer_.least_tokens(bytes);
  if (least <= static_cast<size_t>(max_tokens_)) return {};
  return {Code::kTextTooLong, "has at least " + std::to_string(least) + " tokens"};
}

Result<TokenText> LlamaEmbedder::text(std::string_view text, const CancelFlag& cancel) const {
  if (Status status = check_size(text.size()); !status.ok()) return status;
  auto made = tokenizer_.tokenize(text, {.add_special = true, .cancel = &cancel});
  if (!made.ok()) return made.status();
  return std::move(made->tokens);
}

// Uses the form of llama-server.
Result<TokenText> LlamaEmbedder::pair(std::string_view query, std::string_view document,
                                      const CancelFlag& cancel) const {
  if (Status status = check_size(query.size() + document.size()); !status.ok()) return status;
  if (const char* form = llama_model_chat_template(model_, "rerank"); form != nullptr) {
    const FilledForm all = filled(form, query, document, *marks_);
    auto made = tokenizer_.tokenize(all.text, {.parse_special = true, .marks = &all.marks, .cancel = &cancel});
    if (!made.ok()) return made.status();
    return std::move(made->tokens);
  }
  const bool ends = llama_vocab_get_add_eos(vocab_);
  const int32_t separator = llama_vocab_sep(vocab_);
  const int32_t end = llama_vocab_eos(vocab_) == LLAMA_TOKEN_NULL ? separator : llama_vocab_eos(vocab_);
  TokenText tokens;
  Status status;
  const auto append = [&](std::string_view text) {
    if (!status.ok()) return;
    const auto made = tokenizer_.tokenize(text, {.cancel = &cancel});
    status = made.status();
    if (status.ok()) tokens.insert(tokens.end(), made->tokens.begin(), made->tokens.end());
  };
  if (llama_vocab_get_add_bos(vocab_)) tokens.push_back(llama_vocab_bos(vocab_));
  append(query);
  if (ends) tokens.push_back(end);
  if (llama_vocab_get_add_sep(vocab_)) tokens.push_back(separator);
  append(document);
  if (ends) tokens.push_back(end);
  if (!status.ok()) return status;
  std::erase(tokens, LLAMA_TOKEN_NULL);
  return tokens;
}

// llama.cpp applies the softmax for these.
bool LlamaEmbedder::scores_are_probabilities() const { return architecture_ == "qwen3" || architecture_ == "qwen3vl"; }

bool LlamaEmbedder::has(PoolingType pooling) const {
  const MutexLock lock(mutex_);
  return contexts_.contains(pooling);
}

uint64_t LlamaEmbedder::rough_bytes() const {
  const uint64_t own = std::strtoull(meta(model_, architecture_ + ".feed_forward_length").c_str(), nullptr, 10);
  const uint64_t usual = 4 * static_cast<uint64_t>(llama_model_n_embd(model_));
  return EmbeddingContext::rough_bytes(model_, params_, own > 0 ? own : usual);
}

Result<Publish> LlamaEmbedder::make(PoolingType pooling) {
  auto made = EmbeddingContext::create(weights_, params_, pooling);
  if (!made.ok()) return made.status();
  return Publish([this, pooling, context = std::shared_ptr(*std::move(made))] {
    keep(pooling, context);
    return Status();
  });
}

void LlamaEmbedder::keep(PoolingType pooling, std::shared_ptr<EmbeddingContext> context) {
  const MutexLock lock(mutex_);
  contexts_.try_emplace(pooling, std::move(context));
}

MemoryUse LlamaEmbedder::memory() const {
  const MutexLock lock(mutex_);
  MemoryUse use;
  for (const auto& [pooling, context] : contexts_) add_use(use, context->memory());
  return use;
}

Result<std::vector<std::vector<float>>> LlamaEmbedder::compute(PoolingType pooling, const std::vector<TokenText>& texts,
                                                               const CancelFlag& cancel) {
  EmbeddingContext* context = nullptr;
  {
    const MutexLock lock(mutex_);
    context = contexts_.at(pooling).get();
  }
  return context->compute(texts, cancel);
}

}  // namespace lh
