#include "llama/prompt/content_marks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/json/json.h"
#include "llama/prompt/inspected_texts.h"

namespace lh {
namespace {

constexpr size_t kMostSigns = 64;  // kinds of marks in one conversation; further tokens get the mark of any token

// Calls visit(text, is_json) for each text of a conversation that the template may write, without those of the first
// messages.
template <typename Inputs, typename Visit>
void each_text(Inputs& inputs, Visit&& visit, size_t first = 0) {
  for (size_t i = first; i < inputs.messages.size(); ++i) {
    auto& message = inputs.messages[i];
    visit(message.content, false);
    visit(message.reasoning_content, false);
    visit(message.tool_name, false);
    visit(message.tool_call_id, false);
    for (auto& call : message.tool_calls) {
      visit(call.name, false);
      visit(call.id, false);
      visit(call.arguments, true);
    }
  }
  for (auto& tool : inputs.tools) {
    visit(tool.name, false);
    visit(tool.description, false);
    visit(tool.parameters, true);
  }
  visit(inputs.json_schema, true);
  for (auto& [name, value] : inputs.chat_template_kwargs) visit(value, true);
}

// Calls visit(begin, end) for each string of a JSON text, without its quotes.
template <typename Visit>
void each_string(std::string_view json, Visit&& visit) {
  for (size_t at = json.find('"'); at != json.npos; at = json.find('"', at)) {
    const size_t begin = ++at;
    while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
    if (at >= json.size()) return;
    visit(begin, at++);
  }
}

// The text of a JSON string; `held` keeps it if the string has escapes.
std::string_view string_text(std::string_view inside, std::string& held) {
  if (inside.find('\\') == inside.npos) return inside;
  const Json parsed = Json::parse("\"" + std::string(inside) + "\"", nullptr, false);
  if (!parsed.is_string()) return inside;
  held = parsed.get<std::string>();
  return held;
}

std::string utf8_of(uint32_t code) {
  std::string bytes;
  if (code < 0x10000) {
    bytes += static_cast<char>(0xE0 | (code >> 12));
  } else {
    bytes += static_cast<char>(0xF0 | (code >> 18));
    bytes += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
  }
  bytes += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  bytes += static_cast<char>(0x80 | (code & 0x3F));
  return bytes;
}

// The form of a character in a template's tojson(ensure_ascii=true), in small letters.
std::string escaped(std::string_view sign) {
  const std::string text = Json(sign).dump(-1, ' ', true);
  return text.substr(1, text.size() - 2);
}

// Codes for internal use (U+FDD0 to U+FDEF), then for private use. `used`: code points that the inputs have, as
// characters or escaped.
class FreeCodes {
 public:
  explicit FreeCodes(const common_chat_templates_inputs& inputs) {
    each_text(inputs, [this](const std::string& text, bool) { note(text); });
  }

  // 0 if there is none left.
  uint32_t next() {
    while (code_ <= 0x10FFFD) {
      const uint32_t code = code_++;
      if (code_ == 0xFDF0) code_ = 0xE000;
      if (code_ == 0xF900) code_ = 0xF0000;
      if (!used_.contains(code)) return code;
    }
    return 0;
  }

 private:
  void note(std::string_view text) {
    for (size_t at = 0; at + 2 < text.size(); ++at) {
      const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[at + i])); };
      if (byte(0) == 0xEE || byte(0) == 0xEF) {
        used_.insert(((byte(0) & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F));
      } else if (byte(0) >= 0xF3 && at + 3 < text.size()) {
        used_.insert(((byte(0) & 0x07) << 18) | ((byte(1) & 0x3F) << 12) | ((byte(2) & 0x3F) << 6) | (byte(3) & 0x3F));
      } else if (text[at] == '\\' && text[at + 1] == 'u' && at + 5 < text.size()) {
        // A half of a code above U+FFFF rules out none of these: its other half would have to be there, too.
        uint32_t code = 0;
        for (size_t i = 2; i < 6; ++i) {
          const char digit = text[at + i];
          const int value = digit >= '0' && digit <= '9'   ? digit - '0'
                            : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                            : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                           : 16;
          code = code * 16 + static_cast<uint32_t>(value);
        }
        used_.insert(code);
      }
    }
  }

  std::set<uint32_t> used_;
  uint32_t code_ = 0xFDD0;
};

// Gives each kind of mark its sign.
class Signs {
 public:
  explicit Signs(const common_chat_templates_inputs& inputs) : free_(inputs) {}

  // Empty if there is none left.
  std::string_view sign_of(int32_t token) {
    const auto found = std::ranges::find(tokens, token);
    if (found != tokens.end()) return signs[static_cast<size_t>(found - tokens.begin())];
    if (tokens.size() >= kMostSigns) return sign_of(-1);
    const uint32_t code = free_.next();
    if (code == 0) return {};
    tokens.push_back(token);
    return signs.emplace_back(utf8_of(code));
  }

  std::vector<std::string> signs;
  std::vector<int32_t> tokens;

 private:
  FreeCodes free_;
};

// Empty if all signs are used up.
std::optional<std::string> with_marks(std::string_view text, const TokenMarks& marks, Signs& signs) {
  std::string marked;
  size_t from = 0;
  for (const TokenMark& mark : marks) {
    const std::string sign(signs.sign_of(mark.token));
    if (sign.empty()) return std::nullopt;
    marked += text.substr(from, mark.at - from);
    marked += sign;
    from = mark.at;
  }
  marked += text.substr(from);
  return marked;
}

}  // namespace

std::string unused_character(const common_chat_templates_inputs& inputs) {
  const uint32_t code = FreeCodes(inputs).next();
  return code == 0 ? std::string() : utf8_of(code);
}

ContentMarks::ContentMarks(const SpecialTokenTable& tokens, std::string_view source)
    : finder_(tokens, inspected_texts(source)) {}

// After a cancel it looks at no further text.
Result<std::optional<MarkedInputs>> ContentMarks::mark(const common_chat_templates_inputs& inputs, size_t clean,
                                                       const CancelFlag* cancel) const {
  bool any = false;
  std::string held;
  const auto find = [&](std::string_view text) {
    return cancel != nullptr && cancel->cancelled() ? TokenMarks() : finder_.find(text);
  };
  const auto look = [&](const std::string& text, bool json) {
    if (any) return;
    if (!json) {
      any = !find(text).empty();
      return;
    }
    each_string(text, [&](size_t begin, size_t end) {
      any = any || !find(string_text(std::string_view(text).substr(begin, end - begin), held)).empty();
    });
  };
  each_text(inputs, look, clean);
  if (Status status = cancelled_while_tokenizing(cancel); !status.ok()) return status;
  if (!any) return std::optional<MarkedInputs>();

  common_chat_templates_inputs marked = inputs;
  Signs signs(inputs);
  bool failed = false;
  const auto changed = [&](std::string_view text) -> std::optional<std::string> {
    const TokenMarks marks = find(text);
    if (marks.empty()) return std::nullopt;
    auto with = with_marks(text, marks, signs);
    failed = failed || !with;
    return with;
  };
  each_text(marked, [&](std::string& text, bool json) {
    if (!json) {
      if (auto with = changed(text)) text = *std::move(with);
      return;
    }
    std::string whole;
    size_t from = 0;
    each_string(text, [&](size_t begin, size_t end) {
      const auto with = changed(string_text(std::string_view(text).substr(begin, end - begin), held));
      if (!with) return;
      const std::string dumped = Json(*with).dump();
      whole += text.substr(from, begin - from);
      whole += dumped.substr(1, dumped.size() - 2);
      from = end;
    });
    if (from > 0) text = whole + text.substr(from);
  });
  if (Status status = cancelled_while_tokenizing(cancel); !status.ok()) return status;
  if (failed) {
    return Status(Code::kTemplateFailed,
                  "the messages spell out control tokens, and have every private character of Unicode besides, so that "
                  "none is left to keep the two apart");
  }
  return std::optional<MarkedInputs>(std::in_place, std::move(marked), std::move(signs.signs), std::move(signs.tokens));
}

Status MarkedInputs::without_marks(const Status& status) const {
  std::string message = status.message();
  take_out(message);
  return {status.code(), std::move(message)};
}

TokenMarks MarkedInputs::take_out(std::string& text) const {
  ByteTrie forms;
  for (size_t i = 0; i < signs_.size(); ++i) {
    forms.add(signs_[i], static_cast<int32_t>(i));
    forms.add(escaped(signs_[i]), static_cast<int32_t>(i));
  }
  TokenMarks marks;
  std::string without;
  without.reserve(text.size());
  size_t from = 0;
  for (size_t at = forms.skip(text, 0); at < text.size(); at = forms.skip(text, at)) {
    size_t end = at + 1;
    int32_t sign = -1;
    forms.walk(text, at, [&](int32_t found, size_t last) {
      sign = found;
      end = last;
    });
    if (sign >= 0) {
      without.append(text, from, at - from);
      marks.push_back({without.size(), tokens_[static_cast<size_t>(sign)]});
      from = end;
    }
    at = end;
  }
  without.append(text, from);
  text = std::move(without);
  return marks;
}

}  // namespace lh
