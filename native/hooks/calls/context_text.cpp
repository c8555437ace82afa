#include "hooks/calls/context_text.h"

#include <array>
#include <charconv>
#include <utility>

namespace lh {
namespace {

constexpr std::string_view kMetaKey = R"({"meta":)";
constexpr size_t kKeptCapacity = 1U << 20U;  // a larger buffer is freed

thread_local std::string
    spare;  // empty while a dispatch on this thread uses it; a nested dispatch then creates another

void append_number(std::string& out, int64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

// `key` includes comma, quotes and colon: one append instead of three, several times per token.
void append_text_or_null(std::string& out, std::string_view key, std::string_view text) {
  out += key;
  if (text.empty()) {
    out += "null";
  } else {
    append_json_string(out, text);
  }
}

void append_number_or_null(std::string& out, std::string_view key, int number) {
  out += key;
  if (number < 0) {
    out += "null";
  } else {
    append_number(out, number);
  }
}

void append_meta(std::string& out, const PointInfo& point, const Scope& scope, uint64_t seq, int64_t time_us) {
  out += R"({"point":)";
  append_number(out, point.number);
  out += R"(,"name":")";
  out += point.name;
  out += R"(","seq":)";
  append_number(out, static_cast<int64_t>(seq));
  out += R"(,"time_us":)";
  append_number(out, time_us);
  append_text_or_null(out, R"(,"run_id":)", scope.run_id);
  append_text_or_null(out, R"(,"parent_run_id":)", scope.parent_run_id);
  append_text_or_null(out, R"(,"session_id":)", scope.session_id);
  append_text_or_null(out, R"(,"model_id":)", scope.model_id);
  append_text_or_null(out, R"(,"tier":)", scope.tier);
  append_number_or_null(out, R"(,"depth":)", scope.depth);
  append_number_or_null(out, R"(,"iteration":)", scope.iteration);
  if (!scope.resumes.empty()) {
    out += R"(,"resumes":)";
    append_json_string(out, scope.resumes);
  }
  if (!scope.tags.empty()) {
    out += R"(,"tags":)";
    out += scope.tags.text();
  }
  out += '}';
}

}  // namespace

ContextText::ContextText(const PointInfo& point, const Scope& scope, uint64_t seq, int64_t time_us,
                         ContextBuilder build, const FieldSet& wanted) {
  text_.swap(spare);
  text_.clear();
  text_ += kMetaKey;
  append_meta(text_, point, scope, seq, time_us);
  meta_end_ = text_.size();
  text_ += ',';
  build(text_, wanted);
  if (text_.size() == meta_end_ + 1) text_.pop_back();
  text_ += '}';
}

ContextText::~ContextText() {
  if (text_.capacity() <= kKeptCapacity && text_.capacity() > spare.capacity()) spare.swap(text_);
}

std::string_view ContextText::meta_json() const noexcept {
  return std::string_view(text_).substr(kMetaKey.size(), meta_end_ - kMetaKey.size());
}

std::string_view ContextText::members_of(std::string_view text) const noexcept {
  text.remove_prefix(meta_end_);
  if (text.starts_with(',')) text.remove_prefix(1);
  return text;
}

std::string ContextText::with_members(std::string_view members) const {
  std::string text;
  text.reserve(meta_end_ + members.size() + 2);
  text.append(text_, 0, meta_end_);
  if (!members.empty()) text += ',';
  text += members;
  text += '}';
  return text;
}

std::string ContextText::cut(std::string_view text, const FieldSet& fields) const {
  const std::string members = fields.cut(members_of(text));
  return text_.substr(0, meta_end_) + (members == "}" ? "" : ",") + members;
}

}  // namespace lh
