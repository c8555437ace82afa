// Chat templates: a conversation to prompt text, tool grammar and output parser, all by libllama-common.
// Must not: know of sequences, sampling or hooks.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "chat.h"
#include "base/mutex.h"
#include "inference/generator.h"
#include "inference/llama_handles.h"

namespace lh {

// How the prompt constrains the sampler.
struct GrammarSpec {
  common_grammar grammar;
  bool lazy = false;
  std::vector<common_grammar_trigger> triggers;
  std::set<llama_token> preserved;  // special tokens that are rendered as text, because the parser reads them
  std::string generation_prompt;
  // Of the reasoning tags, as tokens: a tool call inside reasoning is thought about, and triggers nothing.
  std::vector<llama_token> reasoning_start;
  std::vector<std::vector<llama_token>> reasoning_ends;
};

class LlamaPrompt final : public Prompt {
 public:
  LlamaPrompt(std::string text, std::vector<int32_t> tokens, GrammarSpec grammar, std::vector<std::string> stops,
              std::unique_ptr<OutputFormat> format)
      : text_(std::move(text)),
        tokens_(std::move(tokens)),
        grammar_(std::move(grammar)),
        stops_(std::move(stops)),
        format_(std::move(format)) {}

  const std::string& text() const override { return text_; }
  const std::vector<int32_t>& tokens() const override { return tokens_; }
  const OutputFormat& format() const override { return *format_; }
  const std::vector<std::string>& stops() const override { return stops_; }
  const GrammarSpec& grammar() const { return grammar_; }

 private:
  std::string text_;
  std::vector<int32_t> tokens_;
  GrammarSpec grammar_;
  std::vector<std::string> stops_;
  std::unique_ptr<OutputFormat> format_;
};

class LlamaChat {
 public:
  // The model's own template, or `override_template`. Fails with kTemplateFailed when it does not parse.
  static Result<std::unique_ptr<LlamaChat>> create(const llama_model* model, const std::string& override_template);

  Result<std::unique_ptr<Prompt>> prepare(const PromptRequest& request, const SamplingParams& params) const;
  [[nodiscard]] std::string source() const;

 private:
  LlamaChat(const llama_model* model, common_chat_templates_ptr templates);
  Result<std::unique_ptr<Prompt>> render(const PromptRequest& request, const SamplingParams& params) const;
  Result<std::unique_ptr<Prompt>> raw(const PromptRequest& request, const SamplingParams& params) const;

  const llama_vocab* vocab_;
  common_chat_templates_ptr templates_;
  mutable Mutex mutex_;  // templates are rendered by one thread at a time
};

}  // namespace lh
