// Prepares text for llama.cpp's tokenizer of WordPiece vocabularies (BERT).
#pragma once

#include <string>
#include <string_view>

namespace lh {

// Prepares a text for the WordPiece tokenizer. That tokenizer strips accents: of a character with several parts it
// keeps the first. The parts of a Hangul syllable are letters, so they are taken apart before. The tokenizer also
// mistakes U+2581 in a text for its mark of the beginning of a word; another block replaces that character. It also
// strips vowel signs of Indian scripts, which is not corrected.
[[nodiscard]] std::string for_word_pieces(std::string_view text);

}  // namespace lh
