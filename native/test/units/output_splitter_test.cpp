// Parsing output at marks only must give the same as parsing it at each token, for any division into tokens.
#include "generation/output/output_splitter.h"

#include <algorithm>
#include <string>
#include <vector>

#include "check.h"

namespace {

using lh::Json;
using lh::PieceKind;

constexpr std::string_view kOpen = "<call>";
constexpr std::string_view kClose = "</call>";

// Calls between tags, the rest is content. Like real parsers it holds back possible beginnings of tags.
class Tagged final : public lh::OutputFormat {
 public:
  explicit Tagged(bool at_marks_only) {
    if (!at_marks_only) marks_.set();
    for (const char c : {'<', '>', '/'}) marks_.set(static_cast<unsigned char>(c));
  }

  bool plain() const override { return false; }
  const Marks& marks() const override { return marks_; }

  mutable int parses = 0;

  lh::Result<lh::ParsedOutput> parse(std::string_view text, bool partial) const override {
    ++parses;
    lh::ParsedOutput output;
    while (!text.empty()) {
      const size_t open = text.find(kOpen);
      if (open == std::string_view::npos) {
        output.content += text.substr(0, text.size() - (partial ? held_back(text) : 0));
        break;
      }
      output.content += text.substr(0, open);
      text.remove_prefix(open + kOpen.size());
      const size_t close = text.find(kClose);
      const Json args = close == std::string_view::npos ? Json() : Json{{"is", std::string(text.substr(0, close))}};
      output.tool_calls.push_back({"", "call", args});
      text.remove_prefix(close == std::string_view::npos ? text.size() : close + kClose.size());
    }
    return output;
  }

 private:
  static size_t held_back(std::string_view text) {
    for (size_t length = std::min(text.size(), kOpen.size() - 1); length > 0; --length) {
      if (text.ends_with(kOpen.substr(0, length))) return length;
    }
    return 0;
  }

  Marks marks_;
};

// The same, but a complete text must end its calls.
class Strict final : public lh::OutputFormat {
 public:
  bool plain() const override { return false; }
  const Marks& marks() const override {
    static const Marks kAll = Marks().set();
    return kAll;
  }
  lh::Result<lh::ParsedOutput> parse(std::string_view text, bool partial) const override {
    auto parsed = Tagged(true).parse(text, partial);
    const bool open = parsed.ok() && !parsed->tool_calls.empty() && parsed->tool_calls.back().args.is_null();
    if (!partial && open) return lh::Status(lh::Code::kDecodeFailed, "a call without an end");
    return parsed;
  }
};

struct Outcome {
  std::string streamed[3];  // by kind
  std::string content;
  std::string calls;
  bool operator==(const Outcome&) const = default;
};

Outcome split(const std::vector<std::string>& tokens, bool at_marks_only, bool complete) {
  const Tagged format(at_marks_only);
  lh::OutputSplitter splitter(format, {});
  Outcome outcome;
  const auto take = [&outcome](const std::vector<lh::Piece>& pieces) {
    for (const lh::Piece& piece : pieces) outcome.streamed[static_cast<size_t>(piece.kind)] += piece.text;
  };
  for (const std::string& token : tokens) take(splitter.push(token));
  take(splitter.finish(complete));
  outcome.content = splitter.output().content;
  for (const lh::ToolCall& call : splitter.output().tool_calls) outcome.calls += lh::dump_json(call.args);
  return outcome;
}

std::vector<std::string> cut(const std::string& text, size_t length, size_t first) {
  std::vector<std::string> tokens = {text.substr(0, first)};
  for (size_t at = first; at < text.size(); at += length) tokens.push_back(text.substr(at, length));
  return tokens;
}

void comes_to_the_same(const std::string& text) {
  for (size_t length = 1; length <= 5; ++length) {
    for (size_t first = 1; first <= length; ++first) {
      for (const bool complete : {true, false}) {
        const std::vector<std::string> tokens = cut(text, length, first);
        const Outcome outcome = split(tokens, true, complete);
        if (!CHECK(outcome == split(tokens, false, complete)))
          std::fprintf(stderr, "  %s by %zu\n", text.c_str(), length);
        CHECK(outcome.streamed[static_cast<size_t>(PieceKind::kContent)] == outcome.content);
      }
    }
  }
}

}  // namespace

int main() {
  for (const char* text :
       {"cout << x;", "1 << 3", "a<<<b", "<<call>x</call>", "see <call>Oslo</call> and <call>Rome</call>.",
        "<call>cut o", "words and words, no mark", "ends with <", "ends with <cal", "Zürich <ü> 日本 <call>ü</call>"}) {
    comes_to_the_same(text);
  }
  // A byte like the one that was held back, alone in its token.
  CHECK(split({"cout", "<<", " x", ";"}, true, true).streamed[0] == "cout<< x;");
  CHECK(split({"1", " <", "<", " 3"}, true, true).streamed[0] == "1 << 3");

  // Text that does not end by its format is content, and no part of it is a call.
  const Strict strict;
  lh::OutputSplitter broken(strict, {});
  for (const char* token : {"see ", "<call>Oslo</call>", "<call>Ro"}) broken.push(token);
  CHECK(broken.finish(true).empty());
  CHECK(!broken.status().ok());
  CHECK(broken.output().content == "see <call>Oslo</call><call>Ro");
  CHECK(broken.output().tool_calls.empty());

  // A token that ends a text and begins a call gives two pieces, each at its position in the text.
  const Tagged tagged(true);
  lh::OutputSplitter both(tagged, {});
  both.push("see ");
  const std::vector<lh::Piece>& pieces = both.push("it<call>Os");
  CHECK(pieces.size() == 2);
  CHECK(pieces[0].kind == PieceKind::kContent && pieces[0].text == "it" && pieces[0].begin == 4);
  CHECK(pieces[1].kind == PieceKind::kToolCall && pieces[1].text == "<call>Os" && pieces[1].begin == 6);

  // A stop text within a part that certainly continues needs no parse.
  const Tagged within(true);
  lh::OutputSplitter stopped(within, {{}, {"END"}});
  stopped.push("<call>Oslo");
  const int parses = within.parses;
  for (int i = 0; i < 9; ++i) stopped.push(" END,");
  CHECK(within.parses == parses);
  CHECK(!stopped.stopped());
  stopped.push("</call>");
  stopped.push("and");
  stopped.push(" END,");
  CHECK(stopped.stopped() && stopped.output().content == "and ");
  return check_result("output_splitter_test");
}
