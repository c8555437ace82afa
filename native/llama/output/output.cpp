#include "llama/output/output.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <optional>
#include <set>
#include <variant>

#include "base/caught.h"
#include "base/json/mended_json.h"
#include "base/system/log.h"
#include "base/text/white_space.h"
#include "chat-peg-parser.h"
#include "guards/output_nesting.h"
#include "llama/output/output_reader.h"
#include "llama/output/raw_arguments.h"
#include "llama/output/wrapped_output.h"
#include "model/plain_format.h"

namespace lh {
namespace {

constexpr std::string_view kClosing = "}]>)";
constexpr std::string_view kProse = " .,;:!?'\"()-";

// True if the format writes strings without quotes.
bool has_raw_strings(const common_peg_arena& parser) {
  for (size_t id = 0; id < parser.size(); ++id) {
    const auto* tag = std::get_if<common_peg_tag_parser>(&parser.get(id));
    if (tag != nullptr && tag->tag == common_chat_peg_builder::TOOL_ARG_STRING_VALUE) return true;
  }
  return false;
}

class ChatFormat final : public OutputFormat {
 public:
  ChatFormat(const common_chat_params& params, const std::vector<common_chat_tool>& tools)
      : params_(params), must_call_(!tools.empty() && !params.grammar.empty() && !params.grammar_lazy) {
    for (const common_chat_tool& tool : tools) tools_.push_back(tool.name);
    params_.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
    if (params.parser.empty()) {
      params_.parser = build_chat_peg_parser([](common_chat_peg_builder& p) { return p.content(p.rest()) + p.end(); });
    } else {
      params_.parser.load(params.parser);
    }
    if (has_raw_strings(params_.parser)) raw_.emplace(tools);
    // Tags contain more than words.
    for (int byte = 0; byte < 0x80; ++byte) marks_[byte] = std::isalnum(byte) == 0 && kProse.find(byte) == kProse.npos;
    mark(params.thinking_start_tag);
    for (const std::string& tag : params.thinking_end_tags) mark(tag);
    for (const common_grammar_trigger& trigger : params.grammar_triggers) {
      if (trigger.type != COMMON_GRAMMAR_TRIGGER_TYPE_WORD) {
        always_opened_ = false;
        continue;
      }
      mark(trigger.value);
      openers_.push_back(trigger.value);
    }
    always_opened_ = always_opened_ && !openers_.empty();
    words_ = openers_.size();
    reader_ = std::make_unique<const OutputReader>(params_, openers_);
    openers_.insert(openers_.end(), params.preserved_tokens.begin(), params.preserved_tokens.end());
    if (!params.thinking_end_tags.empty()) end_of_thought_ = params.thinking_end_tags.front();
    plain_ = tools_.empty() && !params.supports_thinking && takes_words_as_content();
  }

  bool plain() const override { return plain_; }

  const Marks& marks() const override { return marks_; }

  bool begins_mark(std::string_view text) const override { return reader_->begins_mark(text); }

  Result<ParsedOutput> parse(std::string_view text, bool partial) const override {
    if (Status status = check_depth(text); !status.ok()) return status;
    try {
      auto reading = reader_->read(text, partial);
      if (!partial && (!reading || reading->unread)) {
        log_line(LogLevel::kDebug, "output that does not follow its format: " + std::string(text));
      }
      if (!reading) {
        return Status(Code::kDecodeFailed, std::string("the model's output does not follow its format, ") +
                                               common_chat_format_name(params_.format));
      }
      auto output = parsed(std::move(reading->message), partial);
      if (!output.ok()) return output;
      output->unread = std::move(reading->unread);
      if (must_call_ && !partial && output->tool_calls.empty()) find_call(text, *output);
      return output;
    } catch (const std::exception&) {
      return caught_as(Code::kDecodeFailed);
    }
  }

  // Finds the first position after which the parser finds only calls. The format's opening marks come first, because
  // some parsers skip text before a call.
  Result<ParsedOutput> parse_calls(std::string_view text) const override {
    if (Status status = check_depth(text); !status.ok()) return status;
    size_t most_ends = kMostEnds;
    for (const std::set<size_t>& places : beginnings(text)) {
      for (const size_t begin : places) {
        for (const size_t end : ends(text, begin, most_ends)) {
          ParsedOutput output = calls_alone(text.substr(begin, end - begin));
          if (output.tool_calls.empty()) continue;
          output.reasoning.clear();
          output.content = std::string(before_calls(text.substr(0, begin))) + std::string(text.substr(end));
          if (only_space(output.content)) output.content.clear();
          return output;
        }
      }
      most_ends = kMostEndsOfBrackets;
    }
    return OutputFormat::parse_calls(text);
  }

 private:
  // Each attempt is a parse: a long text that mentions a tool often must not take seconds.
  static constexpr size_t kMostBeginnings = 32;
  static constexpr size_t kMostEnds = 8;
  static constexpr size_t kMostEndsOfBrackets = 2;

  Status check_depth(std::string_view text) const {
    // Names of arguments may contain anything in Gemma's format.
    if (!nests_too_deep(text, params_.format != COMMON_CHAT_FORMAT_PEG_GEMMA4)) return {};
    return {Code::kOutputTooDeep, "the output nests brackets deeper than " + std::to_string(kMaxOutputDepth) +
                                      " levels, and was not searched for tool calls"};
  }

  // A call that the model wrote within its reasoning is one if it had to call.
  void find_call(std::string_view text, ParsedOutput& output) const {
    const auto finds = [&](std::string_view thought) {
      auto found = parse_calls(thought);
      if (!found.ok() || found->tool_calls.empty()) return false;
      output.tool_calls = std::move(found->tool_calls);
      output.reasoning = std::move(found->content);
      return true;
    };
    const bool thought = !output.reasoning.empty();
    if (thought && (finds(output.reasoning) || (only_space(output.content) && finds(text)))) return;
    if (!output.unread) output.unread = Unread{common_chat_format_name(params_.format), text.size(), {}};
  }

  Result<ParsedOutput> parsed(common_chat_msg&& message, bool partial) const {
    ParsedOutput output;
    output.content = std::move(message.content);
    output.reasoning = std::move(message.reasoning_content);
    for (common_chat_tool_call& call : message.tool_calls) {
      if (raw_) raw_->give_types(call.name, call.arguments);
      auto read = partial ? Result<Json>(Json::parse(call.arguments, nullptr, false))
                          : parse_mended_json(call.arguments, "arguments");
      Json args = read.ok() ? *std::move(read) : Json();
      if (!args.is_object()) {
        if (!partial) {
          return Status(Code::kDecodeFailed, "the arguments of the model's call of " + call.name +
                                                 " are not a JSON object: " + call.arguments);
        }
        args = nullptr;
      }
      output.tool_calls.push_back(
          {std::move(call.id), std::move(call.name), std::move(args), std::move(call.arguments)});
    }
    return output;
  }

  // False for a format with marks around an answer even without reasoning and tools.
  bool takes_words_as_content() const {
    const auto output = attempt("Hello");
    return output && output->content == "Hello" && output->reasoning.empty();
  }

  // None: the text, or a part of it, does not follow the format, which is not logged.
  std::optional<ParsedOutput> attempt(const std::string& text) const {
    try {
      auto message = reader_->read_all(text);
      if (!message) return std::nullopt;
      auto output = parsed(*std::move(message), false);
      if (output.ok()) return *std::move(output);
    } catch (const std::exception&) {  // also a valid result
      pass_on_no_memory();
    }
    return std::nullopt;
  }

  // The calls in a text that consists only of calls. If a template opens the model's reasoning itself, text counts as
  // reasoning until that is closed.
  ParsedOutput calls_alone(std::string_view text) const {
    const auto calls_in = [this](const std::string& written, bool thought) -> ParsedOutput {
      auto output = attempt(written);
      const bool alone = output && only_space(output->content) && (thought || only_space(output->reasoning));
      return alone ? *std::move(output) : ParsedOutput();
    };
    ParsedOutput output = calls_in(std::string(text), false);
    if (!output.tool_calls.empty() || end_of_thought_.empty()) return output;
    return calls_in(end_of_thought_ + std::string(text), true);
  }

  // Positions where calls may begin, before the last name of a tool: first at the format's opening marks, then at any
  // bracket.
  std::array<std::set<size_t>, 2> beginnings(std::string_view text) const {
    size_t behind_last_name = 0;
    std::array<std::set<size_t>, 2> found;
    for (const std::string& tool : tools_) {
      const size_t at = text.rfind(tool);
      if (at == std::string_view::npos) continue;
      behind_last_name = std::max(behind_last_name, at + 1);
      add_places(text, tool, found[0]);
    }
    if (behind_last_name == 0) return {};
    const auto is_in_text = [text](const std::string& word) {
      return text.find(without_space_behind(word)) != text.npos;
    };
    const auto words_end = openers_.begin() + static_cast<std::ptrdiff_t>(words_);
    if (always_opened_ && std::none_of(openers_.begin(), words_end, is_in_text)) return {};
    for (const std::string& opener : openers_) add_places(text, opener, found[0]);
    for (const std::string_view mark : {"{", "[", "<", " to="}) add_places(text, mark, found[1]);
    found[1].insert(0);
    for (auto& places : found) places.erase(places.lower_bound(behind_last_name), places.end());
    return found;
  }

  static void add_places(std::string_view text, std::string_view part, std::set<size_t>& places) {
    if (part.empty()) return;
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string_view::npos && count < kMostBeginnings;
         at = text.find(part, at + 1)) {
      places.insert(at);
      ++count;
    }
  }

  // Positions where calls that begin at `begin` may end: the end of the text, or after a closing mark, the last one
  // first. Words after the last mark are not part of a call, though some parsers skip them.
  static std::vector<size_t> ends(std::string_view text, size_t begin, size_t most) {
    const size_t whole = without_space_behind(text).size();
    std::vector<size_t> found = {whole};
    for (size_t end = whole; end > begin && found.size() < most;) {
      const size_t at = text.find_last_of(kClosing, end - 1);
      if (at == std::string_view::npos || at < begin) break;
      if (at + 1 != found.back()) found.push_back(at + 1);
      end = at;
    }
    const std::string_view behind = found.size() > 1 ? text.substr(found[1], whole - found[1]) : std::string_view();
    const bool words = std::ranges::any_of(behind, [](unsigned char c) { return std::isalnum(c) != 0; });
    if (words && behind.find_first_of(kClosing) == std::string_view::npos)
      std::rotate(found.begin(), found.begin() + 1, found.end());
    return found;
  }

  // A hook may have repeated the end of the prompt, or the part of it that marks a call.
  std::string_view before_calls(std::string_view text) const {
    const std::string_view prompt = without_space_behind(params_.generation_prompt);
    size_t marks = prompt.size();
    while (marks > 0 && std::ispunct(static_cast<unsigned char>(prompt[marks - 1])) != 0) --marks;
    for (const std::string_view repeated : {prompt, prompt.substr(marks)}) {
      if (repeated.size() >= 2 && text.ends_with(repeated)) return text.substr(0, text.size() - repeated.size());
    }
    return text;
  }

  void mark(const std::string& tag) {
    if (!tag.empty()) marks_[static_cast<unsigned char>(tag[0])] = true;
  }

  common_chat_parser_params params_;
  std::unique_ptr<const OutputReader> reader_;
  std::optional<RawArguments> raw_;
  const bool must_call_;
  std::vector<std::string> tools_;
  std::vector<std::string> openers_;  // opening marks of calls, first those that the grammar waits for
  size_t words_ = 0;                  // how many of them it waits for
  bool always_opened_ = true;         // the grammar waits for nothing else, so every call has one
  std::string end_of_thought_;
  Marks marks_;
  bool plain_ = false;
};

// True if the parser needs these marks around an answer, although the prompt ends with the first of them. Only a parser
// with calls waits for them: one without calls takes everything as text.
bool waits_for(const OutputFormat& format, const AnswerMarks& marks) {
  const auto answer_of = [&format](const std::string& text) {
    const auto parsed = format.parse(text, false);
    return parsed.ok() && !parsed->unread ? parsed->content : std::string();
  };
  return answer_of("Hello") != "Hello" && answer_of(marks.open + "Hello" + marks.close) == "Hello";
}

}  // namespace

std::unique_ptr<OutputFormat> make_plain_format() { return std::make_unique<PlainFormat>(); }

std::unique_ptr<OutputFormat> make_chat_format(const common_chat_params& params,
                                               const std::vector<common_chat_tool>& tools) {
  const bool callable = !tools.empty();
  std::unique_ptr<OutputFormat> format = std::make_unique<ChatFormat>(params, tools);
  if (!params.thinking_start_tag.empty()) return format;
  auto marks = answer_marks(params.generation_prompt, params.preserved_tokens);
  if (!marks || (callable && !waits_for(*format, *marks))) return format;
  std::vector<std::string> calls;
  for (const common_grammar_trigger& trigger : params.grammar_triggers) {
    if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_WORD) calls.push_back(trigger.value);
  }
  return make_wrapped_format(std::move(format), *std::move(marks), std::move(calls), callable);
}

}  // namespace lh
