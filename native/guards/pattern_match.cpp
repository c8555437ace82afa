#include "guards/pattern_match.h"

#include <algorithm>
#include <string>
#include <vector>

namespace lh {
namespace {

// Follows all ways at once: a set of places of the text becomes the set of those where the pattern may end.
class Matcher {
 public:
  using Places = std::vector<bool>;

  Matcher(const std::u32string& text, const std::function<bool(size_t)>& spend) : text_(text), spend_(spend) {}

  Places ends(const Pattern& pattern, const Places& from) {
    Places out(from.size(), false);
    if (!spend_(1 + (from.size() / 16))) return out;
    switch (pattern.kind) {
      case Pattern::Kind::kCharacter:
        for (size_t i = 0; i < text_.size(); ++i) out[i + 1] = from[i] && contains(pattern.characters, text_[i]);
        return out;
      case Pattern::Kind::kSequence:
        out = from;
        for (const Pattern& part : pattern.parts) out = ends(part, out);
        return out;
      case Pattern::Kind::kChoice:
        for (const Pattern& part : pattern.parts) add(out, ends(part, from));
        return out;
      case Pattern::Kind::kRepeat: return repeat_ends(pattern, from);
    }
    return out;
  }

 private:
  // True if that made the set larger.
  static bool add(Places& all, const Places& more) {
    bool larger = false;
    for (size_t i = 0; i < all.size(); ++i) {
      larger = larger || (more[i] && !all[i]);
      all[i] = all[i] || more[i];
    }
    return larger;
  }

  Places repeat_ends(const Pattern& pattern, const Places& from) {
    Places last = from;
    for (int i = 0; i < pattern.least; ++i) {
      Places next = ends(pattern.parts.front(), last);
      if (next == last) break;
      last = std::move(next);
    }
    Places out = last;
    for (int i = pattern.least; pattern.most == Pattern::kNoEnd || i < pattern.most; ++i) {
      last = ends(pattern.parts.front(), last);
      if (!add(out, last)) break;
    }
    return out;
  }

  const std::u32string& text_;
  const std::function<bool(size_t)>& spend_;
};

}  // namespace

bool matches(const Pattern& pattern, std::string_view text, const std::function<bool(size_t)>& spend) {
  const std::u32string characters = utf32_of(text);
  if (!spend(1 + (characters.size() / 16))) return false;
  Matcher::Places from(characters.size() + 1, false);
  from.front() = true;
  return Matcher(characters, spend).ends(pattern, from).back();
}

}  // namespace lh
