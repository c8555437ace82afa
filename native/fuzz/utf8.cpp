// Bytes of a model, cut anywhere: the assembler, and the splitter with stop strings and with the tokens of a model.
#include <vector>

#include "base/text/utf8.h"
#include "fuzz/fuzz.h"
#include "generation/output/output_splitter.h"
#include "llama/base/vocab.h"
#include "llama/output/output.h"

namespace lh::fuzz {
namespace {

void split(std::string_view bytes, Bytes cuts, std::vector<std::string> stops) {
  static const std::unique_ptr<OutputFormat> plain = make_plain_format();
  OutputSplitter splitter(*plain, {std::move(stops)});
  std::string said;
  const auto add = [&](std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      require(is_utf8(piece.text), "a piece is UTF-8");
      said += piece.text;
    }
  };
  for (size_t at = 0; at < bytes.size() && !splitter.stopped();) {
    const std::string_view part = bytes.substr(at, 1 + cuts.next() % 7);
    at += part.size();
    add(splitter.push(part));
  }
  add(splitter.finish(true));
  require(said == splitter.text(), "the pieces are the text");
  require(splitter.output().content == said, "plain output is content");
}

void assemble(std::string_view bytes, Bytes cuts) {
  Utf8Assembler assembler;
  std::string joined;
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view part = bytes.substr(at, 1 + cuts.next() % 5);
    at += part.size();
    const std::string text = assembler.push(part);
    require(is_utf8(text), "assembled text is UTF-8");
    joined += text;
  }
  joined += assembler.flush();
  require(joined == to_utf8(bytes), "cuts change nothing");
  require(is_utf8(joined) && (!is_utf8(bytes) || joined == bytes), "UTF-8 stays as it is");
  require(whole_utf8_prefix(bytes) <= bytes.size(), "a prefix is no longer than its text");
  const std::string_view first = first_characters(joined, bytes.size() / 2);
  require(first.size() <= bytes.size() / 2 && is_utf8(first), "characters are cut as a whole");
}

void use_tokens(Bytes bytes) {
  const int32_t count = llama_vocab_n_tokens(vocabulary());
  std::string written;
  for (int i = 0; i < 40 && !bytes.rest().empty(); ++i) {
    const int32_t token = (bytes.next() * 256 + bytes.next()) % count;
    written += token_bytes(vocabulary(), token, bytes.next() % 2 == 0);
  }
  split(written, bytes, {});
}

}  // namespace

void fuzz_utf8(std::string_view input) {
  Bytes bytes(input);
  const std::string_view cuts = bytes.take(bytes.next() % 16);
  std::vector<std::string> stops;
  for (int i = bytes.next() % 4; i > 0; --i) {
    if (std::string stop = to_utf8(bytes.take(1 + bytes.next() % 6)); !stop.empty()) stops.push_back(std::move(stop));
  }
  assemble(bytes.rest(), Bytes(cuts));
  split(bytes.rest(), Bytes(cuts), stops);
  if (cuts.size() > 8) use_tokens(bytes);
  const std::string text = to_utf8(bytes.rest().substr(0, 400));  // as all text from JSON: the tokenizer throws else
  const auto tokens = tokenize(vocabulary(), text, cuts.size() % 2 == 0, cuts.size() % 3 == 0);
  std::string back;
  for (const int32_t token : tokens) back += token_bytes(vocabulary(), token, true);
}

}  // namespace lh::fuzz
