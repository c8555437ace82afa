#include "llama/output/wrapped_output.h"

#include <algorithm>
#include <utility>

#include "base/text/white_space.h"

namespace lh {
namespace {

// The length of the suffix of `text` that may begin `mark`.
size_t begun(std::string_view text, std::string_view mark) {
  for (size_t length = std::min(text.size(), mark.size()); length > 0; --length) {
    if (text.ends_with(mark.substr(0, length))) return length;
  }
  return 0;
}

class WrappedFormat final : public OutputFormat {
 public:
  WrappedFormat(std::unique_ptr<OutputFormat> within, AnswerMarks marks, std::vector<std::string> calls, bool tools)
      : within_(std::move(within)), marks_(std::move(marks)), calls_(std::move(calls)), tools_(tools) {}

  bool plain() const override { return false; }
  const Marks& marks() const override { return within_->marks(); }
  bool begins_mark(std::string_view text) const override {
    return within_->begins_mark(text) || (text.size() < marks_.close.size() && marks_.close.starts_with(text));
  }
  Result<ParsedOutput> parse_calls(std::string_view text) const override { return within_->parse_calls(text); }

  Result<ParsedOutput> parse(std::string_view text, bool partial) const override {
    const std::string_view said = unwrapped(text, partial);
    const size_t call = tools_ ? call_in(said) : std::string_view::npos;
    ParsedOutput output;
    if (call == std::string_view::npos) {
      output.content = partial && tools_ ? held(said) : said;
      return output;
    }
    auto calls = within_->parse(said.substr(call), partial);
    if (!calls.ok()) return calls.status();
    output = *std::move(calls);
    if (output.unread) output.unread->at += static_cast<size_t>(said.data() - text.data()) + call;
    output.content.insert(0, without_space_behind(said.substr(0, call)));
    return output;
  }

 private:
  std::string_view unwrapped(std::string_view text, bool partial) const {
    for (bool found = true; found;) {
      found = false;
      const std::string_view rest = without_space_before(text);
      for (const std::string& mark : {marks_.prompt, marks_.open}) {
        if (partial && std::string_view(mark).starts_with(rest)) return {};
        if (found || !rest.starts_with(mark)) continue;
        text = rest.substr(mark.size());
        found = true;
      }
    }
    const std::string_view whole = without_space_behind(text);
    if (whole.ends_with(marks_.close)) return whole.substr(0, whole.size() - marks_.close.size());
    return partial ? text.substr(0, text.size() - begun(text, marks_.close)) : text;
  }

  // If no opening marks of calls are known, everything is a call.
  size_t call_in(std::string_view text) const {
    size_t first = calls_.empty() ? 0 : std::string_view::npos;
    for (const std::string& call : calls_) first = std::min(first, text.find(call));
    return first;
  }

  std::string_view held(std::string_view text) const {
    size_t most = 0;
    for (const std::string& call : calls_) most = std::max(most, begun(text, call));
    return text.substr(0, text.size() - most);
  }

  const std::unique_ptr<OutputFormat> within_;
  const AnswerMarks marks_;
  const std::vector<std::string> calls_;
  const bool tools_;
};

}  // namespace

std::optional<AnswerMarks> answer_marks(std::string_view generation_prompt, const std::vector<std::string>& tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string& open = tokens[i];
    if (open.empty() || !generation_prompt.ends_with(open)) continue;
    return AnswerMarks{std::string(generation_prompt), open, tokens[i + 1]};
  }
  return std::nullopt;
}

std::unique_ptr<OutputFormat> make_wrapped_format(std::unique_ptr<OutputFormat> within, AnswerMarks marks,
                                                  std::vector<std::string> calls, bool tools) {
  return std::make_unique<WrappedFormat>(std::move(within), std::move(marks), std::move(calls), tools);
}

}  // namespace lh
