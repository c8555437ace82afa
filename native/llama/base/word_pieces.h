// Prepares text for llama.cpp's tokenizer of WordPiece vocabularies (BERT).
#pragma once

#include <string>
#include <string_view>

namespace lh {

// That tokenizer strips accents: of a character with several parts it keeps the first. The parts of a Hangul syllable
// are letters, so they are taken apart before. It also takes the mark by which it knows the beginning of a word
// (U+2581) in a text for its own; another block replaces it. It strips vowel signs of Indian scripts, too; that stays
// wrong.
[[nodiscard]] std::string for_word_pieces(std::string_view text);

}  // namespace lh
