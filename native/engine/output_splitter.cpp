#include "engine/output_splitter.h"

#include <algorithm>

namespace lh {
namespace {

// The length of the longest suffix of `text` with which one of `stops` may begin.
size_t possible_stop(const std::string& text, const std::vector<std::string>& stops) {
  size_t longest = 0;
  for (const std::string& stop : stops) {
    for (size_t length = std::min(text.size(), stop.size() - 1); length > longest; --length) {
      if (text.compare(text.size() - length, length, stop, 0, length) == 0) longest = length;
    }
  }
  return longest;
}

// Adds what `now` has beyond `before`. A parser may take back what it was not sure of; then nothing is added until it
// has caught up, and the end corrects the rest.
void add_growth(std::vector<Piece>& pieces, PieceKind kind, const std::string& before, const std::string& now) {
  if (now.size() > before.size() && now.starts_with(before)) pieces.push_back({kind, now.substr(before.size())});
}

}  // namespace

const char* piece_kind_name(PieceKind kind) {
  switch (kind) {
    case PieceKind::kReasoning: return "reasoning";
    case PieceKind::kToolCall: return "tool_call";
    case PieceKind::kContent: break;
  }
  return "content";
}

std::string OutputSplitter::take_text(std::string_view text) {
  if (stops_.empty()) return std::string(text);
  held_ += text;
  size_t first = std::string::npos;
  for (const std::string& stop : stops_) first = std::min(first, held_.find(stop));
  if (first != std::string::npos) {
    stopped_ = true;
    std::string before = held_.substr(0, first);
    held_.clear();
    return before;
  }
  const size_t keep = possible_stop(held_, stops_);
  std::string released = held_.substr(0, held_.size() - keep);
  held_.erase(0, released.size());
  return released;
}

std::vector<Piece> OutputSplitter::push(std::string_view bytes) {
  std::vector<Piece> pieces = attribute(take_text(utf8_.push(bytes)), true);
  if (pieces.empty()) pieces.emplace_back();
  return pieces;
}

std::vector<Piece> OutputSplitter::finish(bool complete) {
  std::string rest = stopped_ ? std::string() : take_text(utf8_.flush());
  if (!stopped_) rest += held_;
  held_.clear();
  std::vector<Piece> pieces = attribute(rest, !complete);
  if (format_.plain()) output_.content = text_;
  // A call that was cut off is no call: nobody may run it with half its arguments.
  Json calls = Json::array();
  for (Json& call : output_.tool_calls) {
    if (!call["args"].is_null()) calls.push_back(std::move(call));
  }
  output_.tool_calls = std::move(calls);
  return pieces;
}

std::vector<Piece> OutputSplitter::attribute(const std::string& text, bool partial) {
  std::vector<Piece> pieces;
  text_ += text;
  if (format_.plain()) {
    if (!text.empty()) pieces.push_back({PieceKind::kContent, text});
    return pieces;
  }
  if (text.empty() && partial) return pieces;
  pending_ += text;
  auto parsed = format_.parse(text_, partial);
  if (!parsed.ok()) {
    status_ = parsed.status();
    if (partial) return pieces;  // the next token may make sense of it
    output_.content = text_;     // nothing of what the model wrote is lost
    return pieces;
  }
  status_ = Status();
  // A parser that gives up on a partial text comes back with nothing: what is known stays.
  const bool nothing = parsed->content.empty() && parsed->reasoning.empty() && parsed->tool_calls.empty();
  if (partial && nothing) return pieces;
  add_growth(pieces, PieceKind::kReasoning, output_.reasoning, parsed->reasoning);
  add_growth(pieces, PieceKind::kContent, output_.content, parsed->content);
  const bool in_tool_call = !parsed->tool_calls.empty();
  if (pieces.empty() && in_tool_call && !pending_.empty()) pieces.push_back({PieceKind::kToolCall, pending_});
  if (!pieces.empty()) pending_.clear();
  output_ = *std::move(parsed);
  return pieces;
}

}  // namespace lh
