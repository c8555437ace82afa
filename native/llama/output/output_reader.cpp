#include "llama/output/output_reader.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/text/white_space.h"
#include "chat-peg-parser.h"
#include "llama/output/hiding_text.h"

namespace lh {
namespace {

constexpr size_t kNowhere = std::string_view::npos;
// Each is a parse of the whole text.
constexpr size_t kMostHidden = 32;
constexpr int kMostMessages = 32;

std::unique_ptr<common_chat_peg_mapper> mapper_for(common_chat_format format, common_chat_msg& message) {
  if (format == COMMON_CHAT_FORMAT_PEG_GEMMA4) return std::make_unique<common_chat_peg_gemma4_mapper>(message);
  if (format == COMMON_CHAT_FORMAT_PEG_MINIMAX_M3) return std::make_unique<common_chat_peg_minimax_m3_mapper>(message);
  return std::make_unique<common_chat_peg_mapper>(message);
}

}  // namespace

// Text that went somewhere.
struct OutputReader::Span {
  size_t begin;
  size_t end;
  bool is_content;
  bool is_call = false;
};

// One parse of a text.
struct OutputReader::Pass {
  common_peg_parse_result_type type = COMMON_PEG_PARSE_RESULT_FAIL;
  size_t end = 0;
  common_chat_msg message = {};
  std::vector<Span> spans = {};  // in order
  bool is_loose = false;
  size_t dubious = kNowhere;  // where an argument has what looks like its end

  [[nodiscard]] bool failed() const { return type == COMMON_PEG_PARSE_RESULT_FAIL; }
  [[nodiscard]] bool succeeded() const { return type == COMMON_PEG_PARSE_RESULT_SUCCESS; }
};

// The text of one message, behind the end of the prompt, which begins it.
struct OutputReader::Message {
  std::string_view text;
  size_t prompt = 0;  // the length of the part that is the prompt's
  size_t at = 0;      // where the text begins in the whole output, for a message behind another one
  int number = 0;
};

OutputReader::OutputReader(const common_chat_parser_params& params, std::vector<std::string> openers)
    : params_(params), openers_(std::move(openers)), marks_(params.parser), bare_ends_(bare_ends(params.parser)) {}

std::optional<Reading> OutputReader::read(std::string_view text, bool partial) const {
  const std::string whole = params_.generation_prompt + std::string(text);
  auto reading = read_message({whole, params_.generation_prompt.size()}, partial);
  if (reading && reading->unread) {
    reading->unread->at -= params_.generation_prompt.size();
    reading->unread->rest = std::string(text.substr(reading->unread->at));
  }
  return reading;
}

std::optional<common_chat_msg> OutputReader::read_all(std::string_view text) const {
  const std::string whole = params_.generation_prompt + std::string(text);
  Pass pass = parse_with(params_.parser, whole);
  if (pass.failed() || pass.dubious != kNowhere) return std::nullopt;
  Reading reading = settle({whole, params_.generation_prompt.size()}, std::move(pass), whole.size(), false);
  if (reading.unread) return std::nullopt;
  return std::move(reading.message);
}

// A mark that begins nothing is text: it is hidden from the parser, which then reads on behind it.
std::optional<Reading> OutputReader::read_message(const Message& message, bool partial, bool anew) const {
  HidingText text{std::string(message.text)};
  std::vector<size_t> hidden = anew ? std::vector<size_t>() : false_marks_.of(message.text);
  if (std::ranges::any_of(hidden, [&text](size_t at) { return !text.hide(at); })) hidden.clear();
  const size_t known = hidden.size();
  std::optional<Pass> best;
  size_t first = known > 0 ? std::ranges::min(hidden) : kNowhere;
  size_t next = kNowhere;
  bool certain = partial;  // more text would not turn the hidden text into a call
  while (true) {
    Pass pass = parse(text.shown());
    if (pass.dubious != kNowhere) {
      first = std::min(first, pass.dubious);
      certain = false;
    }
    const size_t mark = false_mark(message, text.shown(), pass, partial);
    next = next_message(message, pass);
    if (!pass.failed()) best = std::move(pass);
    if (next != kNowhere || mark == kNowhere || hidden.size() == kMostHidden || !text.hide(mark)) break;
    first = std::min(first, mark);
    hidden.push_back(mark);
  }
  if (!best && next == kNowhere) return known > 0 ? read_message(message, partial, true) : std::nullopt;
  if (certain && best && hidden.size() > known) false_marks_.add(message.text, std::move(hidden));
  if (!best) best.emplace(Pass{.type = COMMON_PEG_PARSE_RESULT_SUCCESS, .end = message.prompt});  // it reads nothing
  text.reveal(best->message.content);
  text.reveal(best->message.reasoning_content);
  for (common_chat_tool_call& call : best->message.tool_calls) text.reveal_in_json(call.arguments);
  Reading reading = settle(message, *std::move(best), std::min(next, message.text.size()), partial);
  if (first != kNowhere && (!reading.unread || first + message.at < reading.unread->at)) {
    reading.unread = unread_at(message.at + first);
  }
  if (next != kNowhere) read_on(message, next, partial, reading);
  return reading;
}

// Adds the message that begins at `next`.
void OutputReader::read_on(const Message& message, size_t next, bool partial, Reading& reading) const {
  const Message behind{message.text.substr(next), params_.generation_prompt.size(), message.at + next,
                       message.number + 1};
  auto more = read_message(behind, partial);
  if (!more && partial) return;
  if (!more) {
    more.emplace();
    more->message.content = behind.text;
    more->unread = unread_at(behind.at);
  }
  const auto join = [](std::string& to, const std::string& text) {
    if (!to.empty() && !text.empty()) to += "\n\n";
    to += text;
  };
  join(reading.message.content, more->message.content);
  join(reading.message.reasoning_content, more->message.reasoning_content);
  std::ranges::copy(more->message.tool_calls, std::back_inserter(reading.message.tool_calls));
  if (!reading.unread) reading.unread = std::move(more->unread);
}

Unread OutputReader::unread_at(size_t at) const {
  return {.format = common_chat_format_name(params_.format), .at = at, .rest = {}};
}

// An argument that contains the mark of its end may have swallowed the text behind it. The text is then parsed again
// with marks that need no white space around them.
OutputReader::Pass OutputReader::parse(const std::string& shown) const {
  Pass pass = parse_with(params_.parser, shown);
  if (pass.dubious == kNowhere) return pass;
  std::call_once(loosened_, [this] { loose_ = loose_parser(params_.parser); });
  Pass loose = parse_with(loose_, shown);
  if (loose.failed() || loose.dubious != kNowhere) return pass;
  const bool whole = !loose.succeeded() || marks_.are_all(std::string_view(shown).substr(loose.end));
  if (!whole || loose.message.tool_calls.size() < pass.message.tool_calls.size()) return pass;
  loose.dubious = pass.dubious;
  loose.is_loose = true;
  return loose;
}

size_t OutputReader::dubious_place(const common_peg_ast_node& argument) const {
  for (const std::string& end : bare_ends_) {
    for (size_t at = argument.text.find(end); at != kNowhere; at = argument.text.find(end, at + 1)) {
      if (marks_.begin(argument.text.substr(behind_space(argument.text, at + end.size())))) return argument.start + at;
    }
  }
  return kNowhere;
}

// Parses like common_chat_parse(), which does not return the place where it ended.
OutputReader::Pass OutputReader::parse_with(const common_peg_arena& parser, const std::string& shown) const {
  common_peg_parse_context context(shown, COMMON_PEG_PARSE_FLAG_LENIENT);
  const common_peg_parse_result result = parser.parse(context);
  Pass pass;
  pass.type = result.type;
  pass.end = result.end;
  pass.message.role = "assistant";
  if (pass.failed()) return pass;
  mapper_for(params_.format, pass.message)->from_ast(context.ast, result);
  context.ast.visit(result, [this, &pass](const common_peg_ast_node& node) {
    if (node.tag == common_chat_peg_builder::TOOL_ARG_STRING_VALUE) {
      pass.dubious = std::min(pass.dubious, dubious_place(node));
    }
    if (node.tag.empty() || node.tag == common_chat_peg_builder::REASONING_BLOCK) return;
    std::vector<Span>& spans = pass.spans;
    if (spans.empty() || node.start >= spans.back().end) {
      spans.push_back({node.start, node.end, node.tag == common_chat_peg_builder::CONTENT,
                       node.tag == common_chat_peg_builder::TOOL});
    }
  });
  // An incomplete call is read, too, and may be dropped later.
  size_t calls = pass.message.tool_calls.size();
  std::erase_if(pass.spans, [&calls](const Span& span) {
    if (!span.is_call) return false;
    if (calls == 0) return true;
    --calls;
    return false;
  });
  return pass;
}

// The place of a mark that begins nothing: where the parser stopped reading, or where a call seems to begin but does
// not continue as one.
size_t OutputReader::false_mark(const Message& message, const std::string& shown, const Pass& pass,
                                bool partial) const {
  if (pass.dubious != kNowhere && !pass.is_loose) {  // the text is not really a call
    size_t last = kNowhere;
    for (const std::string& opener : openers_) {
      const size_t found = shown.rfind(opener, pass.dubious);
      if (found != kNowhere && found >= message.prompt && (last == kNowhere || found > last)) last = found;
    }
    return last;
  }
  if (pass.type == COMMON_PEG_PARSE_RESULT_NEED_MORE_INPUT) return kNowhere;
  const size_t at = behind_space(shown, pass.end);
  if (at >= message.prompt && at < shown.size()) {
    const std::string_view rest = std::string_view(shown).substr(at);
    if (pass.succeeded() && is_markup(rest)) return kNowhere;
    if (partial && marks_.may_go_on(rest, params_.generation_prompt)) return kNowhere;
    if (marks_.begin(rest)) return at;
  }
  if (pass.succeeded() || partial) return kNowhere;
  size_t first = kNowhere;
  for (const std::string& opener : openers_) first = std::min(first, shown.find(opener, message.prompt));
  return first;
}

// The place where another message of the model begins, as the end of the prompt would begin it.
size_t OutputReader::next_message(const Message& message, const Pass& pass) const {
  const std::string& prompt = params_.generation_prompt;
  const bool waits = !pass.failed() && !pass.succeeded();
  if (waits || prompt.empty() || message.number == kMostMessages) return kNowhere;
  const size_t from = std::max(pass.failed() ? 0 : pass.end, message.prompt);
  const size_t at = message.text.find(prompt, from);
  if (at == kNowhere) return kNowhere;
  return pass.failed() || marks_.are_all(message.text.substr(from, at - from)) ? at : kNowhere;
}

// Some prompts end in white space that the parser adds to the text behind it.
void OutputReader::drop_prompt(const Message& message, Pass& pass) {
  const auto first = std::ranges::find_if(pass.spans, &Span::is_content);
  if (first == pass.spans.end() || first->begin >= message.prompt) return;
  const size_t end = std::min(first->end, message.prompt);
  const std::string_view space = message.text.substr(first->begin, end - first->begin);
  if (!only_space(space) || !pass.message.content.starts_with(space)) return;
  pass.message.content.erase(0, space.size());
  first->begin = end;
}

Reading OutputReader::settle(const Message& message, Pass pass, size_t end, bool partial) const {
  drop_prompt(message, pass);
  Reading reading;
  std::string content;
  size_t at = message.prompt;
  const auto keep = [&](size_t begin, std::string_view left) {
    const size_t skipped = content.empty() ? behind_space(left, 0) : 0;
    if (!reading.unread) reading.unread = unread_at(message.at + begin + skipped);
    content += left.substr(skipped);
  };
  for (const Span& span : pass.spans) {
    const std::string_view gap = span.begin > at ? message.text.substr(at, span.begin - at) : std::string_view();
    if (!partial && !marks_.are_all(gap)) keep(at, gap);
    if (span.is_content) content += message.text.substr(span.begin, span.end - span.begin);
    at = std::max(at, span.end);
  }
  const std::string_view left = left_behind(message, pass, at, end, partial);
  if (!left.empty()) keep(end - left.size(), left);
  if (reading.unread) pass.message.content = std::move(content);
  reading.message = std::move(pass.message);
  return reading;
}

// The unread text from `from`, where the last part of the message ends, to `end`.
std::string_view OutputReader::left_behind(const Message& message, const Pass& pass, size_t from, size_t end,
                                           bool partial) const {
  if (from >= end) return {};
  const std::string_view tail = message.text.substr(from, end - from);
  if (only_space(tail)) return {};
  if (pass.succeeded()) {
    const size_t read = std::clamp(pass.end, from, end) - from;
    const std::string_view unread = tail.substr(read);
    const std::string_view behind = tail.substr(0, read);
    const bool calls_nothing = pass.message.tool_calls.empty() && first_opener(behind) != kNowhere;
    if (!partial && (calls_nothing || !marks_.are_all(behind))) return tail;
    const bool open = partial && marks_.may_go_on(unread, params_.generation_prompt);
    return open || is_markup(unread) ? std::string_view() : unread;
  }
  if (partial) return {};
  // The text ended where the parser waits for more.
  const bool has_calls = !pass.message.tool_calls.empty();
  const size_t opener = first_opener(tail);
  if (opener == kNowhere) {
    const bool begun = has_calls && marks_.begun_by(tail.substr(behind_space(tail, 0)));
    return begun || marks_.are_all(tail) ? std::string_view() : tail;
  }
  return has_calls && marks_.are_all(tail.substr(0, opener)) ? tail.substr(opener) : tail;
}

// The place of the first mark that begins a call.
size_t OutputReader::first_opener(std::string_view text) const {
  size_t first = marks_.first_opener(text);
  for (const std::string& opener : openers_) first = std::min(first, text.find(opener));
  return first;
}

// True if nothing is lost without the unread text: marks, none of which begins a call.
bool OutputReader::is_markup(std::string_view text) const {
  return marks_.are_all(text) && first_opener(text) == kNowhere;
}

}  // namespace lh
