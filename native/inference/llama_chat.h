// Chat templates: a conversation to prompt text, tool grammar and output parser, all by libllama-common.
// Must not: know of sequences, sampling or hooks.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "chat.h"
#include "inference/generator.h"
#include "inference/llama_handles.h"
#include "inference/llama_schema.h"

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

// Of one chat; while a prompt lives, no other chat has it.
using ChatIdentity = std::shared_ptr<const char>;

class LlamaPrompt final : public Prompt {
 public:
  LlamaPrompt(ChatIdentity maker, std::string text, std::vector<int32_t> tokens, GrammarSpec grammar,
              std::vector<std::string> stops, std::unique_ptr<OutputFormat> format)
      : maker_(std::move(maker)),
        text_(std::move(text)),
        tokens_(std::move(tokens)),
        grammar_(std::move(grammar)),
        stops_(std::move(stops)),
        format_(std::move(format)) {}

  const std::string& text() const override { return text_; }
  const std::vector<int32_t>& tokens() const override { return tokens_; }
  const OutputFormat& format() const override { return *format_; }
  const std::vector<std::string>& stops() const override { return stops_; }
  const GrammarSpec& grammar() const { return grammar_; }
  const ChatIdentity& maker() const { return maker_; }

 private:
  ChatIdentity maker_;
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
  // The prompt as this chat made it; null when another one did.
  [[nodiscard]] const LlamaPrompt* own(const Prompt& prompt) const;
  [[nodiscard]] std::string source() const;

 private:
  LlamaChat(const llama_model* model, common_chat_templates_ptr templates);
  Result<std::unique_ptr<Prompt>> render(const PromptRequest& request, const SamplingParams& params) const;
  Result<std::unique_ptr<Prompt>> raw(const PromptRequest& request, const SamplingParams& params) const;
  Result<common_chat_params> apply(common_chat_templates_inputs& inputs) const;
  [[nodiscard]] Status check_calls(const std::vector<common_chat_msg>& messages) const;
  void warn_of_undescribed_tools() const;

  const ChatIdentity identity_;
  const llama_vocab* vocab_;
  common_chat_templates_ptr templates_;
  std::map<std::string, bool> abilities_;       // of the template, as llama.cpp found them out
  mutable std::atomic<bool> short_ids_{false};  // the template refused a call's id, and took nine letters and digits
  mutable std::atomic<bool> warned_{false};
  mutable SchemaCompiler schemas_;
  mutable Mutex mutex_;  // templates are rendered by one thread at a time
};

}  // namespace lh
