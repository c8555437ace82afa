#include "generation/output/typed_output.h"

#include <algorithm>

#include "base/json/mended_json.h"

namespace lh {
namespace {

// The arguments of a call, if they are written to their end.
Result<Json> args_of(const ToolCall& call, bool complete) {
  if (complete && call.written.empty()) return Json::object();  // a call without arguments may come without any text
  auto args = parse_mended_json(call.written, "the arguments of the model's call of " + call.name);
  if (!args.ok()) return Status(Code::kDecodeFailed, args.status().message());
  if (args->is_object()) return args;
  return Status(Code::kDecodeFailed, "the arguments of the model's call of " + call.name + " are no JSON object");
}

}  // namespace

std::vector<Piece>& TypedOutput::push(const TypedPiece& piece) {
  pieces_.clear();
  const size_t begin = text_.size();
  if (piece.kind == PieceKind::kToolCall) {
    if (!add_to_call(piece, begin)) return pieces_;
  } else {
    (piece.kind == PieceKind::kContent ? output_.content : output_.reasoning) += piece.text;
  }
  if (piece.text.empty()) return pieces_;
  text_ += piece.text;
  pieces_.push_back({piece.kind, piece.text, begin, text_.size()});
  return pieces_;
}

bool TypedOutput::add_to_call(const TypedPiece& piece, size_t begin) {
  auto found = std::ranges::find(calls_, piece.call, &Call::number);
  if (found == calls_.end()) {
    if (one_call_ && !calls_.empty()) {
      stopped_ = true;
      return false;
    }
    output_.tool_calls.emplace_back();
    found = calls_.insert(calls_.end(), Call{piece.call, {}, {}, {}});
  }
  last_call_ = piece.call;
  if (found->id.empty()) found->id = piece.call_id;
  if (found->name.empty()) found->name = piece.call_name;
  found->ranges.emplace_back(begin, begin + piece.text.size());
  ToolCall& call = output_.tool_calls[static_cast<size_t>(found - calls_.begin())];
  call.id = found->id;
  call.name = found->name;
  call.written += piece.text;
  return true;
}

std::vector<Piece>& TypedOutput::finish(bool complete) {
  pieces_.clear();
  for (ToolCall& call : output_.tool_calls) {
    // A call is whole if something comes after it.
    const bool whole = complete || stopped_ || &call != &output_.tool_calls.back();
    auto args = args_of(call, whole);
    if (args.ok()) {
      call.args = *std::move(args);
    } else if (complete && status_.ok()) {
      status_ = args.status();
    }
  }
  if (status_.ok()) {
    // An incomplete call is not a call: it must not run with half its arguments.
    std::erase_if(output_.tool_calls, [](const ToolCall& call) { return call.args.is_null(); });
  } else {
    for (const ToolCall& call : output_.tool_calls) output_.content += call.written;
    output_.tool_calls.clear();
  }
  return pieces_;
}

// An edit lies within the pieces of one call: the reader lets no hook hold text from one call to the next.
Result<std::vector<ToolCall>> TypedOutput::edited_calls(const std::vector<Edit>& edits, Extent extent) const {
  std::vector<ToolCall> calls;
  for (const Call& one : calls_) {
    ToolCall call{one.id, one.name, Json()};
    bool had_text = false;  // if hooks have removed it, nothing is left that could run
    size_t edited_to = 0;   // an edit may reach over several pieces
    for (const auto& [begin, end] : one.ranges) {
      had_text = had_text || begin < end;
      size_t at = std::max(begin, edited_to);
      for (const Edit& edit : edits) {
        if (edit.begin < at || edit.begin >= end) continue;
        call.written.append(text_, at, edit.begin - at);
        call.written += edit.text;
        at = edited_to = edit.end;
      }
      if (at < end) call.written.append(text_, at, end - at);
    }
    if (extent != Extent::kGrowing) {
      const bool whole = extent == Extent::kComplete || stopped_ || &one != &calls_.back();
      auto args = args_of(call, whole && !had_text);
      if (args.ok()) call.args = *std::move(args);
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace lh
