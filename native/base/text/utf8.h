// UTF-8 as models produce it: cut anywhere, and sometimes invalid.
// Must not: drop a byte silently; invalid bytes become U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lh {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// The first character, or invalid sequence, of some bytes.
struct Utf8Step {
  enum class Kind {
    kCharacter,  // a whole character
    kBroken,     // a maximal invalid sequence
    kCut,        // an incomplete character at the end of the bytes
  };
  Kind kind;
  size_t length;
};

// Reads one step of `bytes`, which must not be empty.
Utf8Step utf8_step(std::string_view bytes);

// True if `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

// Well-formed copy: each maximal broken sequence becomes one U+FFFD.
std::string to_utf8(std::string_view bytes);

// The length of the prefix of `bytes` without an incomplete last character.
size_t whole_utf8_prefix(std::string_view bytes);

// The longest prefix of `text` that has at most `most` bytes and ends with a complete character.
std::string_view first_characters(std::string_view text, size_t most);

// Joins the bytes of successive tokens into text that never splits a character.
class Utf8Assembler {
 public:
  // Appends `bytes` and returns the text that is now complete, maybe empty.
  std::string push(std::string_view bytes);
  // Returns the rest, with an incomplete character as U+FFFD; empty if there is none.
  std::string flush();

 private:
  std::string pending_;
};

}  // namespace lh
