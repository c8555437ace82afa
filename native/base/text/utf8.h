// UTF-8 as models produce it: cut anywhere, and sometimes broken.
// Must not: drop a byte silently; what cannot be text becomes U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lh {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// What stands at the front of some bytes.
struct Utf8Step {
  enum class Kind {
    kCharacter,  // a whole character
    kBroken,     // a maximal sequence that is no character and cannot become one
    kCut,        // the beginning of a character, and the bytes end
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

// The length of the prefix of `bytes` that holds only whole characters: everything but a cut last one.
size_t whole_utf8_prefix(std::string_view bytes);

// The longest beginning of `text` that is at most `most` bytes of whole characters.
std::string_view first_characters(std::string_view text, size_t most);

// Joins the bytes of successive tokens into text that never cuts a character.
class Utf8Assembler {
 public:
  // Appends `bytes` and returns the text that is complete now, perhaps empty.
  std::string push(std::string_view bytes);
  // What is left at the end, as U+FFFD; empty when nothing is.
  std::string flush();

 private:
  std::string pending_;
};

}  // namespace lh
