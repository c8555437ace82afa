// Chat templates: converts a conversation to prompt text, tool grammar and output parser, with libllama-common.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chat.h"
#include "llama/base/handles.h"
#include "llama/base/tokenizer.h"
#include "llama/grammar/schema.h"
#include "llama/prompt/clean_messages.h"
#include "llama/prompt/content_marks.h"
#include "llama/prompt/formats.h"
#include "llama/prompt/prompt_tokens.h"
#include "llama/prompt/template.h"
#include "model/generator.h"

namespace lh {

// Identifies a chat; unique while one of its prompts lives.
using ChatIdentity = std::shared_ptr<const char>;

class LlamaPrompt final : public Prompt {
 public:
  struct Tokens {
    std::vector<int32_t> all;  // if there are so many that they cannot fit, maybe not all
    int64_t length = 0;        // Prompt::length()
    bool whole = true;         // false: it is far too long, and these are not all tokens
  };

  LlamaPrompt(ChatIdentity maker, std::string text, Tokens tokens, AnswerFormat answer)
      : maker_(std::move(maker)), text_(std::move(text)), tokens_(std::move(tokens)), answer_(std::move(answer)) {}

  const std::string& text() const override { return text_; }
  // Empty if the prompt is far too long for the context, or if only its text was asked for.
  const std::vector<int32_t>& tokens() const { return tokens_.all; }
  int64_t length() const override { return tokens_.length; }
  bool is_whole() const { return tokens_.whole; }
  const OutputFormat& format() const override { return *answer_.output; }
  bool one_call() const override { return answer_.one_call; }
  const std::vector<std::string>& stops() const override { return answer_.stops; }
  const std::vector<std::string>& tools() const { return answer_.tools; }
  const GrammarSpec& grammar() const { return *answer_.grammar; }
  const ChatIdentity& maker() const { return maker_; }

 private:
  ChatIdentity maker_;
  std::string text_;
  Tokens tokens_;
  AnswerFormat answer_;
};

class LlamaChat {
 public:
  // Uses the template of the model file, or `override_template`. `context_size`: tokens, above which prompts need not
  // be tokenized. Errors: kTemplateFailed if it does not parse.
  static Result<std::unique_ptr<LlamaChat>> create(const llama_model* model, const std::string& override_template,
                                                   int32_t context_size);

  Result<std::unique_ptr<Prompt>> prepare(const PromptRequest& request, const SamplingParams& params) const;
  [[nodiscard]] Status check_tool(const Tool& tool, bool strict) const;
  // The prompt if this chat made it; otherwise null.
  [[nodiscard]] const LlamaPrompt* own(const Prompt& prompt) const;
  [[nodiscard]] std::string source() const;
  // LlamaTemplate::folds().
  [[nodiscard]] std::vector<std::string> folds() const { return template_->folds(); }
  [[nodiscard]] const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  // A prompt, and the marks that were taken out of it.
  struct Rendered {
    common_chat_params chat;
    std::optional<MarkedInputs> marked;
    TokenMarks marks;
  };

  LlamaChat(const llama_model* model, std::unique_ptr<LlamaTemplate> chat_template, int32_t context_size);
  Result<Rendered> render_marked(const PromptRequest& request, const SamplingParams& params,
                                 common_chat_templates_inputs& inputs) const;
  Result<std::unique_ptr<Prompt>> render(const PromptRequest& request, const SamplingParams& params) const;
  Result<std::unique_ptr<Prompt>> render_continued(const PromptRequest& request, const SamplingParams& params,
                                                   common_chat_templates_inputs inputs) const;
  Result<std::unique_ptr<Prompt>> prompt_of(const PromptRequest& request, const SamplingParams& params,
                                            std::string text, const TokenMarks& marks, AnswerFormat answer) const;
  Result<std::unique_ptr<Prompt>> raw(const PromptRequest& request, const SamplingParams& params) const;
  [[nodiscard]] Result<std::shared_ptr<const CompiledSchema>> compile_tool(const Tool& tool, bool strict) const;
  [[nodiscard]] Status compile_tools(const PromptRequest& request, const SamplingParams& params,
                                     common_chat_templates_inputs& inputs) const;
  Result<TemplateAnswerPtr> answer_of(const common_chat_templates_inputs& written, common_chat_templates_inputs& inputs,
                                      bool callable, const FormatKey& key, common_chat_params& rendered) const;
  Result<std::shared_ptr<const AnswerFormat>> make_format(const PromptRequest& request, const SamplingParams& params,
                                                          common_chat_templates_inputs& inputs,
                                                          const std::string& answer_grammar, const FormatKey& key,
                                                          common_chat_params& rendered) const;
  Result<std::shared_ptr<const AnswerFormat>> format_of_marked(const PromptRequest& request,
                                                               const SamplingParams& params,
                                                               common_chat_templates_inputs& inputs,
                                                               const std::string& answer_grammar, const FormatKey& key,
                                                               MarkedInputs& marked, TokenMarks& marks,
                                                               common_chat_params& rendered) const;
  [[nodiscard]] Status check_whole(const GrammarSpec& spec, bool has_tools) const;
  [[nodiscard]] bool one_call_a_message() const;
  void warn_of_undescribed_tools() const;
  [[nodiscard]] Result<LlamaPrompt::Tokens> tokens_of(const std::string& text, const PromptRequest& request,
                                                      const TokenMarks& marks) const;

  const ChatIdentity identity_;
  const llama_vocab* vocab_;
  const int32_t context_size_;
  const Tokenizer tokenizer_;
  const std::unique_ptr<const LlamaTemplate> template_;
  const ContentMarks content_marks_;
  mutable CleanMessages clean_;
  mutable std::atomic<bool> warned_{false};
  mutable SchemaCompiler schemas_;
  mutable RecentValues<std::shared_ptr<const AnswerFormat>> formats_{64, 16UL << 20};
  mutable RecentValues<bool> checked_{64, 8UL << 20};  // grammars that passed check_whole()
  mutable PromptTokenizer prompt_tokens_;
};

}  // namespace lh
