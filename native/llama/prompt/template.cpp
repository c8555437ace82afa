#include "llama/prompt/template.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include "base/caught.h"
#include "base/instead.h"
#include "base/shortage.h"
#include "base/text/names.h"
#include "base/text/utf8.h"
#include "base/threads/cancel.h"
#include "chat-auto-parser.h"
#include "llama/jinja/chat_templates.h"
#include "llama/jinja/known_caps.h"
#include "llama/jinja/limits.h"
#include "llama/jinja/make_templates.h"
#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/changes.h"
#include "llama/prompt/call_ids.h"
#include "llama/prompt/fit/probes.h"
#include "llama/prompt/fit/schemas.h"

namespace lh {
namespace {

constexpr const char* kHere = " for these messages";
constexpr size_t kMostWords = 2000;  // of an error's message; a template can raise an exception of any length

std::string cut(std::string_view words) { return std::string(first_characters(words, kMostWords)); }

// The message of a template's exception, without the parser's position.
std::string words_of(const std::exception& error) {
  const std::string_view words = error.what();
  constexpr std::string_view kRaised = "Jinja Exception: ";
  const size_t at = words.rfind(kRaised);
  return cut(at == std::string_view::npos ? words : words.substr(at + kRaised.size()));
}

Status status_of(const TemplateStop& stop, Code code, const std::string& where) {
  if (stop.cancelled != nullptr) return {stop.cancelled->why(), cut(stop.message)};
  return {code, stop.message + where};
}

bool has_calls(const common_chat_templates_inputs& inputs) {
  return std::ranges::any_of(inputs.messages, [](const auto& message) { return !message.tool_calls.empty(); });
}

std::string key_of(const std::vector<common_chat_tool>& tools) {
  FormatKey key;
  for (const common_chat_tool& tool : tools) key.add(tool.name).add(tool.description).add(tool.parameters);
  return key.text();
}

// The part of a generation prompt that opens or closes the reasoning; empty if there is none.
std::string_view reasoning_part(const common_chat_params& chat, std::string_view opening) {
  size_t at = chat.thinking_start_tag.empty() ? std::string_view::npos : opening.find(chat.thinking_start_tag);
  for (const std::string& end : chat.thinking_end_tags) at = std::min(at, opening.find(end));
  return at == std::string_view::npos ? std::string_view() : opening.substr(at);
}

// True if an answer behind `turn` begins in the same way as behind the generation prompt.
bool opens_like(const common_chat_params& chat, std::string_view turn) {
  const std::string_view part = reasoning_part(chat, chat.generation_prompt);
  return !part.empty() && part == reasoning_part(chat, turn);
}

}  // namespace

LlamaTemplate::LlamaTemplate(common_chat_templates_ptr templates)
    : templates_(std::move(templates)),
      abilities_(common_chat_templates_get_caps(templates_.get())),
      rendering_(rendering_of(*templates_, *templates_->template_default)),
      fit_(key().text(), source()) {
  if (templates_->template_tool_use) with_tools_ = rendering_of(*templates_, *templates_->template_tool_use);
}

Result<std::unique_ptr<LlamaTemplate>> LlamaTemplate::create(const llama_model* model,
                                                             const std::string& override_template) {
  const Shortage shortage;
  const bool own = override_template.empty();
  try {
    const TemplateBudget budget(limits_to_make());
    std::unique_ptr<LlamaTemplate> made(new LlamaTemplate(make_chat_templates(model, override_template)));
    if (shortage.seen()) return shortage.status();  // llama.cpp takes a failed analysis for a template without tools
    const common_chat_template& parsed = *made->templates_->template_default;
    known_caps().keep(parsed.src, parsed.caps);
    return made;
  } catch (const TemplateStop& stop) {
    if (own) return status_of(stop, Code::kModelFileInvalid, ": the model's own, tokenizer.chat_template");
    return status_of(stop, Code::kTemplateFailed, ": the one that the option " + shown_field("chat_template") + " has");
  } catch (const std::exception& error) {
    if (const Status why = caught(); why.code() == Code::kInsufficientMemory) return why;
    return Status(Code::kTemplateFailed, "the chat template does not parse: " + cut(error.what()));
  }
}

FormatKey LlamaTemplate::key() const {
  FormatKey key;
  key.add(templates_->add_bos).add(templates_->add_eos);
  for (const auto* each : {templates_->template_default.get(), templates_->template_tool_use.get()}) {
    if (each != nullptr) key.add(each->source()).add(each->bos_token()).add(each->eos_token());
  }
  return key;
}

std::string LlamaTemplate::source() const { return common_chat_templates_source(templates_.get()); }

bool LlamaTemplate::able(const std::string& what) const {
  const auto found = abilities_.find(what);
  return found != abilities_.end() && found->second;
}

// A template without a handler is rendered from the messages as they are, whether pure content is requested or not. A
// handler may change messages, and the end of the prompt. It uses the choice of tools only for parser and grammar, and
// shows the schema only to templates that read it.
LlamaTemplate::Rendering LlamaTemplate::rendering_of(const common_chat_templates& all,
                                                     const common_chat_template& parsed) {
  const std::string& source = parsed.source();
  Rendering rendering;
  rendering.shows_schema = source.find("response_format") != std::string::npos;
  try {
    autoparser::generation_params nothing;
    nothing.messages = common_json::array();
    rendering.pure = !common_chat_try_specialized_template(parsed, source, nothing);
  } catch (const std::exception&) {  // from a handler that got no messages
    pass_on_no_memory();
  }
  rendering.turns = std::make_unique<TurnRenderer>(parsed, rendering.pure, all.add_bos, all.add_eos);
  return rendering;
}

Fit::Render LlamaTemplate::rendering() const {
  return [this](common_chat_templates_inputs& inputs) -> std::optional<std::string> {
    auto rendered = render_as_it_is(inputs);
    if (!rendered.ok()) return std::nullopt;
    return std::move(rendered->prompt);
  };
}

int LlamaTemplate::known_mend(const std::vector<common_chat_tool>& tools) const {
  if (tools.empty() || !mends_.load(std::memory_order_relaxed)) return 0;
  return known_mends_.find(key_of(tools)).value_or(0);
}

// llama.cpp finds the beginning of the assistant's turn by comparing the prompt with one without it. Some templates end
// the assistant's last message in another way there, so the text behind a user message decides, and the values that
// llama.cpp derives from it. Other templates begin a turn in another way behind a tool's result, where handlers of
// llama.cpp expect the text that follows a user message.
Result<common_chat_params> LlamaTemplate::fitted(common_chat_templates_inputs& inputs, Attempt attempt) const {
  fit_.apply(inputs, rendering());
  auto made = mended(inputs, attempt);
  if (!made.ok() || !inputs.add_generation_prompt || inputs.messages.empty() || inputs.messages.back().role == "user") {
    return made;
  }
  const std::string turn = fit_.turn(inputs, rendering());
  const bool begins = is_assistant(inputs.messages.back()) ? made->prompt.ends_with(turn) : opens_like(*made, turn);
  if (turn == made->generation_prompt || !begins) return made;
  const Instead asked(inputs.messages, probe_of_turn());
  auto answered = mended(inputs, attempt);
  if (!answered.ok() || answered->generation_prompt != turn) return made;
  answered->prompt = std::move(made->prompt);
  return answered;
}

// The template gets the original schema where it can render it. The mend of a set of tools depends on that set only.
Result<common_chat_params> LlamaTemplate::mended(common_chat_templates_inputs& inputs, Attempt attempt) const {
  const int known = known_mend(inputs.tools);
  std::optional<Status> failed;
  if (known == 0) {
    auto plain = (this->*attempt)(inputs);
    if (plain.ok() || inputs.tools.empty() || plain.status().code() != Code::kTemplateFailed) return plain;
    failed = plain.status();
  }
  std::vector<common_chat_tool> tools = inputs.tools;
  for (int mend = std::max(known, 1); mend <= kSchemaMends && !CancelScope::cancelled(); ++mend) {
    if (!mend_schemas(mend, inputs.tools)) continue;
    auto mended = (this->*attempt)(inputs);
    if (mended.ok()) {
      inputs.tools = std::move(tools);
      known_mends_.keep(key_of(inputs.tools), mend);
      mends_.store(true, std::memory_order_relaxed);
      return mended;
    }
    if (!failed) failed = mended.status();
  }
  inputs.tools = std::move(tools);
  return failed ? *failed : (this->*attempt)(inputs);
}

Result<common_chat_params> LlamaTemplate::apply(common_chat_templates_inputs& inputs) const {
  return fitted(inputs, &LlamaTemplate::apply_as_it_is);
}

// Template programs share values. If one changes a value that it was given, the destructor drops all of them.
class LlamaTemplate::ForgetsChanged {
 public:
  explicit ForgetsChanged(const LlamaTemplate& of) : of_(of) {}
  ~ForgetsChanged() {
    if (changes().given == given_) return;
    of_.rendering_.turns->forget();
    if (of_.with_tools_) of_.with_tools_->turns->forget();
  }
  ForgetsChanged(const ForgetsChanged&) = delete;
  ForgetsChanged& operator=(const ForgetsChanged&) = delete;

 private:
  const LlamaTemplate& of_;
  const uint64_t given_ = changes().given;
};

Result<common_chat_params> LlamaTemplate::apply_as_it_is(common_chat_templates_inputs& inputs) const {
  const MutexLock lock(mutex_);
  const ForgetsChanged forgets(*this);
  return apply_locked(inputs, limits_to_render(inputs));
}

Result<common_chat_params> LlamaTemplate::apply_locked(common_chat_templates_inputs& inputs,
                                                       TemplateLimits limits) const {
  try {
    return applied(inputs, limits);
  } catch (const TemplateStop& stop) {
    return status_of(stop, Code::kTemplateFailed, kHere);
  }
}

// Throws TemplateStop.
Result<common_chat_params> LlamaTemplate::applied(common_chat_templates_inputs& inputs, TemplateLimits limits) const {
  const Shortage shortage;
  const bool calls = has_calls(inputs);
  if (calls && short_ids_) shorten_call_ids(inputs.messages);
  const TemplateBudget budget(limits);
  try {
    common_chat_params applied = common_chat_templates_apply(templates_.get(), inputs);
    if (shortage.seen()) return shortage.status();
    return applied;
  } catch (const std::exception& error) {
    pass_on_no_memory();
    if (shortage.seen()) return shortage.status();
    const Status failed(Code::kTemplateFailed, "the chat template failed on these messages: " + words_of(error));
    if (!calls || short_ids_) return failed;
    shorten_call_ids(inputs.messages);
    try {
      common_chat_params applied = common_chat_templates_apply(templates_.get(), inputs);
      short_ids_ = true;
      return applied;
    } catch (const std::exception&) {
      pass_on_no_memory();
      return failed;
    }
  }
}

Result<common_chat_params> LlamaTemplate::render(common_chat_templates_inputs& inputs) const {
  return fitted(inputs, &LlamaTemplate::render_as_it_is);
}

Result<common_chat_params> LlamaTemplate::render_as_it_is(common_chat_templates_inputs& inputs) const {
  const Rendering& how = !inputs.tools.empty() && with_tools_ ? *with_tools_ : rendering_;
  const MutexLock lock(mutex_);
  if (short_ids_ && has_calls(inputs)) shorten_call_ids(inputs.messages);
  const TemplateLimits limits = limits_to_render(inputs);
  const Instead pure(inputs.force_pure_content, how.pure);
  const Instead choice(inputs.tool_choice, COMMON_CHAT_TOOL_CHOICE_NONE);
  const Instead schema(inputs.json_schema, how.shows_schema && !how.pure ? inputs.json_schema : std::string());
  const auto apply_to_sample = [&](common_chat_templates_inputs& sample) LH_NO_THREAD_SAFETY_ANALYSIS {
    const bool short_ids = short_ids_;
    auto made = applied(sample, limits);
    if (made.ok() && short_ids != short_ids_)
      return Result<common_chat_params>(Status(Code::kTemplateFailed, "ids were refused"));
    return made;
  };
  const ForgetsChanged forgets(*this);
  try {
    if (auto rendered = how.turns->render(inputs, limits, apply_to_sample)) return *std::move(rendered);
  } catch (const TemplateStop& stop) {
    return status_of(stop, Code::kTemplateFailed, kHere);
  } catch (const std::exception&) {  // llama.cpp's rendering reports the error, or succeeds with other ids
    pass_on_no_memory();
  }
  return apply_locked(inputs, limits);
}

}  // namespace lh
