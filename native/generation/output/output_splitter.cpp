#include "generation/output/output_splitter.h"

#include <algorithm>

#include "base/text/white_space.h"

namespace lh {
namespace {

// The length of the longest suffix of `text` with which one of `stops` may begin, at least `longest`.
size_t possible_stop(const std::string& text, const std::vector<std::string>& stops, size_t longest) {
  for (const std::string& stop : stops) {
    for (size_t length = std::min(text.size(), stop.size() - 1); length > longest; --length) {
      if (text.compare(text.size() - length, length, stop, 0, length) == 0) longest = length;
    }
  }
  return longest;
}

}  // namespace

std::string OutputSplitter::take_text(std::string_view text) {
  if (stops_.anywhere.empty() && stops_.in_content.empty()) return std::string(text);
  held_ += text;
  size_t first = std::string::npos;
  const auto is_first = [&](const std::string& stop, size_t at) {
    if (at >= first) return;
    first = at;
    stop_text_ = stop;
  };
  for (const std::string& stop : stops_.anywhere) is_first(stop, held_.find(stop));
  for (const std::string& stop : stops_.in_content) {
    size_t at = held_.find(stop);
    while (at < first && !is_content(at, stop)) at = held_.find(stop, at + 1);
    is_first(stop, at);
  }
  if (first != std::string::npos) {
    stopped_ = true;
    std::string before = held_.substr(0, first);
    held_.clear();
    return before;
  }
  const size_t keep = possible_stop(held_, stops_.in_content, possible_stop(held_, stops_.anywhere, 0));
  std::string released = held_.substr(0, held_.size() - keep);
  held_.erase(0, released.size());
  return released;
}

// True if the stop text at that place of the held text is content, as a letter behind it is.
bool OutputSplitter::is_content(size_t at, const std::string& stop) const {
  if (format_.plain()) return true;
  const std::string_view more = std::string_view(held_).substr(0, at + stop.size());
  if (under_way_ && format_.goes_on(more)) return under_way_ == PieceKind::kContent;
  constexpr char kLetter = 'x';
  const auto parsed = format_.parse(text_ + std::string(more) + kLetter, true);
  if (!parsed.ok()) return under_way_ != PieceKind::kToolCall;
  return parsed->content.ends_with(stop + kLetter);
}

std::vector<Piece>& OutputSplitter::push(std::string_view bytes) {
  pieces_.clear();
  const std::string text = take_text(utf8_.push(bytes));
  if (!text.empty()) attribute(text);
  if (pieces_.empty()) pieces_.emplace_back();
  return pieces_;
}

std::vector<Piece>& OutputSplitter::finish(bool complete) {
  pieces_.clear();
  std::string rest = stopped_ ? std::string() : take_text(utf8_.flush());
  if (!stopped_) rest += held_;
  held_.clear();
  if (format_.plain()) {
    if (!rest.empty()) attribute(rest);
    output_.content = text_;
    return pieces_;
  }
  text_ += rest;
  pending_ += rest;
  if (text_.empty() && !complete) return pieces_;
  if (Status status = take_apart(!complete); !status.ok()) give_up(std::move(status));
  if (!complete) take_begun();
  // An incomplete call is not a call: it must not run with half its arguments.
  std::erase_if(output_.tool_calls, [](const ToolCall& call) { return call.args.is_null(); });
  return pieces_;
}

Result<std::vector<ToolCall>> OutputSplitter::edited_calls(const std::vector<Edit>& edits, Extent extent) const {
  const std::string_view text = extent == Extent::kGrowing ? passed_on() : text_;
  auto parsed = format_.parse(with_edits(edits, text), extent != Extent::kComplete);
  if (!parsed.ok()) return parsed.status();
  if (one_call_ && parsed->tool_calls.size() > 1) parsed->tool_calls.resize(1);
  return std::move(parsed->tool_calls);
}

// Parsing costs time proportional to the text, so parsing at each token would cost its square. Between marks the text
// only continues the current part.
void OutputSplitter::attribute(const std::string& text) {
  const size_t begin = text_.size();
  text_ += text;
  if (format_.plain()) {
    pieces_.push_back({PieceKind::kContent, text, begin, text_.size()});
  } else if (under_way_ && format_.goes_on(text)) {
    if (under_way_ == PieceKind::kContent) output_.content += text;
    if (under_way_ == PieceKind::kReasoning) output_.reasoning += text;
    if (under_way_ == PieceKind::kToolCall) call_text_ += text;
    pieces_.push_back({*under_way_, text, begin, text_.size()});
  } else {
    pending_ += text;
    static_cast<void>(take_apart(true));  // the next token may complete text that fails here
  }
}

// Keeps all of the model's text, once, and no partial call. If the failure does not depend on the text, the unread text
// is not part of the content.
void OutputSplitter::give_up(Status why) {
  status_ = std::move(why);
  output_.tool_calls.clear();
  if (!OutputFormat::is_of_text(status_)) return;
  output_.content += call_text_ + pending_;
  if (!pending_.empty()) {
    pieces_.push_back({PieceKind::kContent, pending_, text_.size() - pending_.size(), text_.size()});
  }
  pending_.clear();
}

Status OutputSplitter::take_apart(bool partial) {
  under_way_.reset();
  ++parses_;
  auto parsed = format_.parse(text_, partial);
  if (!parsed.ok()) return parsed.status();
  // A parser that gives up on a partial text returns nothing; the known parts then stay.
  const bool nothing = parsed->content.empty() && parsed->reasoning.empty() && parsed->tool_calls.empty();
  if (partial && nothing) return {};
  size_t at = 0;  // text before it in pending_ is part of a piece, or markup
  add_growth(PieceKind::kReasoning, output_.reasoning, parsed->reasoning, at);
  add_growth(PieceKind::kContent, output_.content, parsed->content, at);
  add_call_text(parsed->tool_calls, at);
  pending_.erase(0, at);
  output_ = *std::move(parsed);
  if (one_call_ && output_.tool_calls.size() > 1) {
    output_.tool_calls.resize(1);
    stopped_ = true;
  }
  under_way_ = part_under_way();
  return {};
}

// If the text was cut off within a mark, the beginning of the mark is text of the part around it, as before a letter.
void OutputSplitter::take_begun() {
  if (!status_.ok() || pending_.empty()) return;
  constexpr char kLetter = 'x';
  auto parsed = format_.parse(text_ + kLetter, true);
  if (!parsed.ok() || parsed->tool_calls.size() != output_.tool_calls.size()) return;
  const auto take = [this](PieceKind kind, std::string& before, std::string& now) {
    if (!now.ends_with(kLetter) || !now.starts_with(before)) return;
    now.pop_back();
    if (now.size() <= before.size()) return;
    const std::string_view begun = without_space_before(std::string_view(now).substr(before.size()));
    if (!pending_.ends_with(begun) || !format_.begins_mark(begun)) return;
    size_t at = 0;
    add_growth(kind, before, now, at);
    pending_.erase(0, at);
    before = std::move(now);
  };
  take(PieceKind::kReasoning, output_.reasoning, parsed->reasoning);
  take(PieceKind::kContent, output_.content, parsed->content);
}

// Adds the part of `now` beyond `before`. A parser may revise an uncertain result; then nothing is added until it has
// caught up, and the end corrects the rest.
void OutputSplitter::add_growth(PieceKind kind, const std::string& before, const std::string& now, size_t& at) {
  if (now.size() <= before.size() || !now.starts_with(before)) return;
  std::string growth = now.substr(before.size());
  const size_t found = pending_.find(growth, at);
  const bool located = found != std::string::npos;
  at = located ? found + growth.size() : pending_.size();
  const size_t before_pending = text_.size() - pending_.size();
  const size_t begin = located ? before_pending + found : Piece::kNowhere;
  pieces_.push_back({kind, std::move(growth), begin, before_pending + at});
}

// After a text that grew, the rest belongs to a call only if a call begins or continues there; otherwise it is the
// markup that ends the text.
void OutputSplitter::add_call_text(const std::vector<ToolCall>& calls, size_t& at) {
  if (calls.empty() || at == pending_.size()) return;
  const bool goes_on = calls.size() > output_.tool_calls.size() || calls.back().args.is_null();
  if (!pieces_.empty() && !goes_on) return;
  pieces_.push_back({PieceKind::kToolCall, pending_.substr(at), text_.size() - pending_.size() + at, text_.size()});
  call_text_ += pieces_.back().text;
  at = pending_.size();
}

// Certain if the last piece reaches the end of the text, or the text ends inside the arguments of a call. Not certain
// if the piece ends with a mark: the parser may hold back another such byte, as in "<<" before a tag.
std::optional<PieceKind> OutputSplitter::part_under_way() const {
  if (pieces_.empty()) return std::nullopt;
  const Piece& last = pieces_.back();
  if (last.kind == PieceKind::kToolCall) {
    return output_.tool_calls.back().args.is_null() ? std::optional(last.kind) : std::nullopt;
  }
  const bool certain =
      text_.ends_with(last.text) && format_.goes_on(std::string_view(last.text).substr(last.text.size() - 1));
  return certain ? std::optional(last.kind) : std::nullopt;
}

}  // namespace lh
