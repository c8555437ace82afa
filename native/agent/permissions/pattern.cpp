#include "agent/permissions/pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/text/utf8.h"

namespace lh {
namespace {

constexpr uint32_t kNoCharacter = 0x110000;  // added to a byte that belongs to no character

// Removes the first character, or a byte that belongs to none, from `text`.
uint32_t take_character(std::string_view& text) {
  const Utf8Step step = utf8_step(text);
  uint32_t value = static_cast<uint8_t>(text.front());
  size_t length = 1;
  if (step.kind != Utf8Step::Kind::kCharacter) {
    value += kNoCharacter;
  } else if (step.length > 1) {
    length = step.length;
    value &= 0x7FU >> length;
    for (size_t i = 1; i < length; ++i) value = value << 6 | (static_cast<uint8_t>(text[i]) & 0x3FU);
  }
  text.remove_prefix(length);
  return value;
}

// Follows all ways to match at once: the time is at most the length of the text times that of the pattern. Going back
// to the last * takes the square of the text's length, and the text comes from a model.
class PatternMatch {
 public:
  PatternMatch(std::string_view pattern, bool folders) : folders_(folders) {
    while (!pattern.empty()) add_part(pattern);
    parts_.push_back({Kind::kEnd, 0, true});
    for (size_t i = parts_.size() - 1; i-- > 0;) parts_[i].may_end = may_end(i);
    reached_.resize(parts_.size());
  }

  bool matches(std::string_view text) {
    reach(0);
    while (!text.empty() && !next_.empty()) {
      now_.swap(next_);
      next_.clear();
      enter_folders();
      ++step_;
      const uint32_t character = take_character(text);
      for (const uint32_t part : now_) follow(part, character);
    }
    return std::ranges::any_of(next_, [this](uint32_t part) { return parts_[part].may_end; });
  }

 private:
  enum class Kind : uint8_t { kCharacter, kOne, kName, kAnything, kFolders, kInFolder, kEnd };

  struct Part {
    Kind kind;
    uint32_t character;  // of kCharacter
    bool may_end;        // this part and those after it match the empty text
  };

  void add_part(std::string_view& pattern) {
    const bool at_name = parts_.empty() || (parts_.back().kind == Kind::kCharacter && parts_.back().character == '/') ||
                         parts_.back().kind == Kind::kInFolder;
    if (folders_ && at_name && pattern.starts_with("**/")) {
      parts_.push_back({Kind::kFolders, 0, false});
      parts_.push_back({Kind::kInFolder, 0, false});
      pattern.remove_prefix(3);
    } else if (pattern.starts_with("**")) {
      parts_.push_back({Kind::kAnything, 0, false});
      pattern.remove_prefix(2);
    } else if (pattern.starts_with('*') || pattern.starts_with('?')) {
      parts_.push_back({pattern.front() == '*' ? Kind::kName : Kind::kOne, 0, false});
      pattern.remove_prefix(1);
    } else {
      parts_.push_back({Kind::kCharacter, take_character(pattern), false});
    }
  }

  // The folder x is in "x/**".
  [[nodiscard]] bool may_end(size_t part) const {
    const auto& [kind, character, _] = parts_[part];
    if (kind == Kind::kName || kind == Kind::kAnything) return parts_[part + 1].may_end;
    if (kind != Kind::kFolders && (!folders_ || kind != Kind::kCharacter || character != '/')) return false;
    if (kind == Kind::kFolders) ++part;
    ++part;
    while (parts_[part].kind == Kind::kFolders) part += 2;
    return parts_[part].kind == Kind::kAnything && parts_[part].may_end;
  }

  // Adds the part to those that the next character may be at, and also the following parts if this part may match
  // nothing.
  void reach(uint32_t part) {
    for (; reached_[part] != step_; ++part) {
      reached_[part] = step_;
      next_.push_back(part);
      if (parts_[part].kind != Kind::kName && parts_[part].kind != Kind::kAnything) return;
    }
  }

  // "**/" also matches no folder at all where a name begins: then the part that follows it may match the next
  // character.
  void enter_folders() {
    for (size_t i = 0; i < now_.size(); ++i) {
      if (parts_[now_[i]].kind != Kind::kFolders) continue;
      next_.clear();
      reach(now_[i] + 2);
      now_.insert(now_.end(), next_.begin(), next_.end());
    }
    next_.clear();
  }

  void in_folder(uint32_t folders, bool slash) {
    reach(slash ? folders : folders + 1);
    if (slash) reach(folders + 2);
  }

  void follow(uint32_t part, uint32_t character) {
    const bool slash = character == '/';
    switch (parts_[part].kind) {
      case Kind::kCharacter:
        if (character == parts_[part].character) reach(part + 1);
        return;
      case Kind::kOne:
        if (!slash && character < kNoCharacter) reach(part + 1);
        return;
      case Kind::kName:
        if (!slash) reach(part);
        return;
      case Kind::kAnything: return reach(part);
      case Kind::kFolders: return in_folder(part, slash);
      case Kind::kInFolder: return in_folder(part - 1, slash);
      case Kind::kEnd: return;
    }
  }

  const bool folders_;
  std::vector<Part> parts_;
  std::vector<uint32_t> now_;
  std::vector<uint32_t> next_;
  std::vector<uint64_t> reached_;  // by part: the last step that added it
  uint64_t step_ = 1;
};

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  return PatternMatch(pattern, false).matches(text);
}

bool matches_path(std::string_view pattern, std::string_view path) { return PatternMatch(pattern, true).matches(path); }

}  // namespace lh
