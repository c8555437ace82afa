#include "agent/permissions/nfc.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text/utf8.h"
#include "nfc_table.h"

namespace lh {
namespace {

// The first and the number of the Hangul syllables and of the letters that they are made of.
constexpr char32_t kSyllables = 0xAC00;
constexpr char32_t kLeading = 0x1100;
constexpr char32_t kVowels = 0x1161;
constexpr char32_t kTrailing = 0x11A7;  // one before the first: no trailing letter
constexpr char32_t kLeadingCount = 19;
constexpr char32_t kVowelCount = 21;
constexpr char32_t kTrailingCount = 28;
constexpr char32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;

struct Character {
  char32_t code;
  unsigned char rank;  // 0: begins anew; marks of a higher rank come after marks of a lower rank
};

template <typename Row>
const Row* row_of(const Row& first, size_t count, char32_t code) {
  const Row* end = &first + count;
  const Row* found =
      std::lower_bound(&first, end, code, [](const Row& row, char32_t wanted) { return row.code < wanted; });
  return found != end && found->code == code ? found : nullptr;
}

Character character(char32_t code) {
  const auto* found = row_of(*kCombiningRanks, std::size(kCombiningRanks), code);
  return {code, found == nullptr ? static_cast<unsigned char>(0) : found->rank};
}

void decompose(char32_t code, std::vector<Character>& out) {
  if (const char32_t syllable = code - kSyllables; code >= kSyllables && syllable < kSyllableCount) {
    out.push_back({kLeading + syllable / (kVowelCount * kTrailingCount), 0});
    out.push_back({kVowels + syllable / kTrailingCount % kVowelCount, 0});
    if (syllable % kTrailingCount != 0) out.push_back({kTrailing + syllable % kTrailingCount, 0});
  } else if (const auto* found = row_of(*kDecompositions, std::size(kDecompositions), code)) {
    for (const char32_t part : found->to) {
      if (part != 0) out.push_back(character(part));
    }
  } else {
    out.push_back(character(code));
  }
}

// 0: the two make no character.
char32_t composed(char32_t first, char32_t second) {
  const char32_t leading = first - kLeading;
  const char32_t vowel = second - kVowels;
  if (first >= kLeading && leading < kLeadingCount && second >= kVowels && vowel < kVowelCount) {
    return kSyllables + (leading * kVowelCount + vowel) * kTrailingCount;
  }
  const char32_t syllable = first - kSyllables;
  if (first >= kSyllables && syllable < kSyllableCount && syllable % kTrailingCount == 0 && second > kTrailing &&
      second - kTrailing < kTrailingCount) {
    return first + second - kTrailing;
  }
  const auto before = [](const Composition& row, const std::pair<char32_t, char32_t>& wanted) {
    return std::pair(row.first, row.second) < wanted;
  };
  const auto* found =
      std::lower_bound(std::begin(kCompositions), std::end(kCompositions), std::pair(first, second), before);
  return found != std::end(kCompositions) && found->first == first && found->second == second ? found->code : 0;
}

// Composes in place: each mark joins the last character that begins anew, unless a mark of its rank or a higher one is
// between them.
void compose(std::vector<Character>& text) {
  size_t length = 0;
  size_t starter = text.size();  // none yet
  for (const Character& next : text) {
    const bool blocked = length > starter + 1 && text[length - 1].rank >= next.rank;
    const char32_t whole = starter < text.size() && !blocked ? composed(text[starter].code, next.code) : 0;
    if (whole != 0) {
      text[starter].code = whole;
      continue;
    }
    if (next.rank == 0) starter = length;
    text[length++] = next;
  }
  text.resize(length);
}

char32_t decode(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0xFFU >> (character.size() + 1));
  for (const char byte : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
  return code;
}

void encode(char32_t code, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | code >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xF0U | code >> 18);
    tail(12), tail(6), tail(0);
  }
}

void append_nfc(std::string_view text, std::string& out) {
  std::vector<Character> characters;
  for (size_t length; !text.empty(); text.remove_prefix(length)) {
    length = utf8_step(text).length;
    decompose(decode(text.substr(0, length)), characters);
  }
  for (auto from = characters.begin(); from != characters.end();) {
    const auto to = std::find_if(from + 1, characters.end(), [](const Character& one) { return one.rank == 0; });
    std::stable_sort(from->rank == 0 ? from + 1 : from, to,
                     [](const Character& a, const Character& b) { return a.rank < b.rank; });
    from = to;
  }
  compose(characters);
  for (const Character& one : characters) encode(one.code, out);
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

}  // namespace

std::string nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t whole = 0;
    Utf8Step step{Utf8Step::Kind::kCharacter, 0};
    while (whole < text.size() && (step = utf8_step(text.substr(whole))).kind == Utf8Step::Kind::kCharacter) {
      whole += step.length;
    }
    append_nfc(text.substr(0, whole), out);
    if (whole < text.size()) out.append(text.substr(whole, step.length)), whole += step.length;
    text.remove_prefix(whole);
  }
  return out;
}

}  // namespace lh
