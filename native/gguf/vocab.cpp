// The rules of vocabularies, mainly mirrored from the asserts of llama_vocab::impl::load and ::tokenize.
// Must not: copy the tokens; 150,000 of them are checked in some ten milliseconds.
#include "gguf/vocab.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace lh {
namespace {

constexpr int64_t kNone = -1;
constexpr uint32_t kNoToken = 0xffffffffu;  // the value that converters write for "none"
constexpr int32_t kByteToken = 6;
constexpr uint64_t kMaxTokens = 1u << 24;

// When llama_tokenize adds a special token; it asserts that the token exists.
enum class Adds { kNever, kUnlessTold, kIfTold, kAlways };

struct Tokenizer {
  std::string_view model;  // tokenizer.ggml.model
  int64_t bos;             // ids that are assumed if the file has none
  int64_t eos;
  int64_t sep;
  Adds adds_bos;
  Adds adds_eos;
  Adds adds_sep;
  bool has_merges;
  bool spells_bytes;  // byte tokens are written <0x41>
};

// A BOS is assumed for gpt2, where the pre-tokenizer decides whether one is added by default.
constexpr Tokenizer kTokenizers[] = {
    {"llama", 1, 2, kNone, Adds::kUnlessTold, Adds::kIfTold, Adds::kNever, false, true},
    {"gpt2", 11, 11, kNone, Adds::kUnlessTold, Adds::kIfTold, Adds::kNever, true, true},
    {"hybriddna", 11, 11, kNone, Adds::kUnlessTold, Adds::kIfTold, Adds::kNever, true, true},
    {"whitespace", 11, 11, kNone, Adds::kUnlessTold, Adds::kIfTold, Adds::kNever, true, true},
    {"gemma4", kNone, kNone, kNone, Adds::kAlways, Adds::kIfTold, Adds::kNever, true, true},
    {"bert", 101, kNone, 102, Adds::kAlways, Adds::kNever, Adds::kAlways, false, false},
    {"t5", kNone, 1, kNone, Adds::kIfTold, Adds::kUnlessTold, Adds::kNever, false, true},
    {"rwkv", kNone, kNone, kNone, Adds::kNever, Adds::kNever, Adds::kNever, false, false},
    {"plamo2", 1, 2, kNone, Adds::kNever, Adds::kNever, Adds::kNever, false, false},
    {"test", kNone, kNone, kNone, Adds::kNever, Adds::kNever, Adds::kNever, false, false},
};

class VocabCheck {
 public:
  explicit VocabCheck(const GgufFile& file) : file_(file) {}

  Result<uint64_t> run() {
    for (const auto step :
         {&VocabCheck::tokenizer, &VocabCheck::tokens, &VocabCheck::duplicates, &VocabCheck::scores, &VocabCheck::types,
          &VocabCheck::merges, &VocabCheck::special_tokens, &VocabCheck::byte_coverage, &VocabCheck::spelt_bytes}) {
      if (Status status = (this->*step)(); !status.ok()) return status;
    }
    return static_cast<uint64_t>(tokens_.size());
  }

 private:
  Status tokenizer() {
    const GgufValue* model = nullptr;
    if (Status status = get("tokenizer.ggml.model", false, {GgufType::kString}, true, model); !status.ok())
      return status;
    const std::string_view name = file_.strings(*model)[0];
    const auto* found = std::find_if(std::begin(kTokenizers), std::end(kTokenizers),
                                     [&](const Tokenizer& t) { return t.model == name; });
    if (found != std::end(kTokenizers)) {
      tokenizer_ = found;
      return {};
    }
    if (name == "none" || name == "no_vocab")
      return file_.invalid("the model has no vocabulary, so it cannot read or write text");
    return file_.invalid("key 'tokenizer.ggml.model' names the unknown tokenizer '" + std::string(name.substr(0, 80)) +
                         "'");
  }

  Status tokens() {
    const GgufValue* value = nullptr;
    if (Status status = get("tokenizer.ggml.tokens", true, {GgufType::kString}, true, value); !status.ok())
      return status;
    if (value->count == 0 || value->count > kMaxTokens) {
      return file_.invalid("the vocabulary has " + std::to_string(value->count) + " tokens");
    }
    tokens_ = file_.strings(*value);
    for (uint64_t i = 0; i < tokens_.size(); ++i) {
      // llama.cpp reads tokens as C strings, and names the empty ones; both may make two tokens equal.
      std::string_view& text = tokens_[i];
      text = text.substr(0, text.find('\0'));
      if (text.empty()) text = renamed_.emplace_back("[EMPTY_" + std::to_string(i) + "]");
    }
    return {};
  }

  // Open addressing over indices: a map would allocate for each token, which took longer than everything else.
  Status duplicates() {
    const uint64_t mask = std::bit_ceil(tokens_.size() * 2) - 1;
    std::vector<uint32_t> seen(mask + 1);  // index + 1; 0: free
    for (uint64_t i = 0; i < tokens_.size(); ++i) {
      uint64_t place = std::hash<std::string_view>()(tokens_[i]) & mask;
      for (; seen[place] != 0; place = (place + 1) & mask) {
        const uint64_t other = seen[place] - 1;
        if (tokens_[other] == tokens_[i])
          return file_.invalid("the vocabulary has a token twice: " + token(other) + " and " + token(i));
      }
      seen[place] = static_cast<uint32_t>(i + 1);
    }
    return {};
  }

  Status scores() { return check_length("tokenizer.ggml.scores", {GgufType::kFloat32, GgufType::kInt32}); }

  Status types() {
    const std::string key = "tokenizer.ggml.token_type";
    if (Status status = check_length(key, {GgufType::kInt32}); !status.ok()) return status;
    const GgufValue* value = file_.find(key);
    if (value == nullptr) return {};
    for (uint64_t i = 0; i < tokens_.size(); ++i) {
      if (file_.element<int32_t>(*value, i) != kByteToken) continue;
      if (tokenizer_->model == "bert")
        return file_.invalid(token(i) + " is a byte token, which a bert vocabulary cannot have");
      if (tokenizer_->spells_bytes && tokens_[i].size() < 3)
        return file_.invalid(token(i) + " is a byte token not written like <0x41>");
    }
    return {};
  }

  Status merges() {
    const std::string key = "tokenizer.ggml.merges";
    if (!tokenizer_->has_merges) return {};
    const GgufValue* pre = file_.find("tokenizer.ggml.pre");
    const bool is_optional =
        pre != nullptr && pre->type == GgufType::kString && !pre->is_array && file_.strings(*pre)[0] == "kimi-k2";
    const GgufValue* value = nullptr;
    if (Status status = get(key, true, {GgufType::kString}, !is_optional, value); !status.ok()) return status;
    if (value == nullptr) return {};
    const std::vector<std::string_view> merges = file_.strings(*value);
    for (uint64_t i = 0; i < merges.size(); ++i) {
      // The first byte may itself be a space, if the left half begins with one.
      if (merges[i].find(' ', 1) != std::string_view::npos) continue;
      return file_.invalid("key '" + key + "': merge " + std::to_string(i) + " is not two tokens with a space between");
    }
    return {};
  }

  Status special_tokens() {
    // Without these a model never stops, or stops at random. For other ids llama.cpp falls back to none.
    for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                            "tokenizer.ggml.eom_token_id"}) {
      const GgufValue* value = nullptr;
      if (Status status = get(key, false, {GgufType::kUint32}, false, value); !status.ok()) return status;
      if (value == nullptr) continue;
      const auto id = file_.element<uint32_t>(*value);
      if (id < tokens_.size() || id == kNoToken) continue;
      return file_.invalid("key '" + std::string(key) + "' is token " + std::to_string(id) +
                           ", and the vocabulary has " + std::to_string(tokens_.size()));
    }
    const Tokenizer& t = *tokenizer_;
    for (const auto& [name, fallback, adds] :
         {std::tuple{"bos", t.bos, t.adds_bos}, std::tuple{"eos", t.eos, t.adds_eos},
          std::tuple{"sep", t.sep, t.adds_sep}}) {
      if (Status status = check_added(name, fallback, adds); !status.ok()) return status;
    }
    return {};
  }

  Status check_added(const std::string& name, int64_t fallback, Adds adds) {
    const std::string id_key = "tokenizer.ggml." + std::string(name == "sep" ? "seperator" : name) + "_token_id";
    const std::string add_key = "tokenizer.ggml.add_" + name + "_token";
    const GgufValue* id = nullptr;
    const GgufValue* told = nullptr;
    if (Status status = get(id_key, false, {GgufType::kUint32}, false, id); !status.ok()) return status;
    if (Status status = get(add_key, false, {GgufType::kBool}, false, told); !status.ok()) return status;
    if (adds == Adds::kIfTold || adds == Adds::kUnlessTold) {
      const bool is_added = told == nullptr ? adds == Adds::kUnlessTold : file_.element<int8_t>(*told) != 0;
      adds = is_added ? Adds::kAlways : Adds::kNever;
    }
    const auto is_token = [&](int64_t token) { return token >= 0 && static_cast<uint64_t>(token) < tokens_.size(); };
    const bool exists = is_token(fallback) || (id != nullptr && is_token(file_.element<uint32_t>(*id)));
    if (adds == Adds::kNever || exists) return {};
    return file_.invalid("the tokenizer adds a " + name + " token, and there is none: key '" + id_key +
                         "' is missing (or set '" + add_key + "' to false)");
  }

  // The rwkv tokenizer never ends on a byte that begins a token but is not a token itself; loading tokenizes a newline.
  Status byte_coverage() {
    if (tokenizer_->model != "rwkv") return {};
    std::array<bool, 256> is_token{};
    std::array<std::optional<uint64_t>, 256> begins{};
    for (uint64_t i = 0; i < tokens_.size(); ++i) {
      const std::string bytes = unescape_rwkv(tokens_[i]);
      if (bytes.empty()) continue;
      const auto first = static_cast<unsigned char>(bytes[0]);
      begins[first] = i;
      if (bytes.size() == 1) is_token[first] = true;
    }
    for (size_t byte = 0; byte < begins.size(); ++byte) {
      if (!begins[byte] || is_token[byte]) continue;
      return file_.invalid("the vocabulary has " + token(*begins[byte]) + " and no token for its first byte, " +
                           std::to_string(byte));
    }
    return {};
  }

  // The tokenizer of llama spells text without a token byte by byte, and asserts that each byte is a token: as <0x41>,
  // or as itself. Spaces are written otherwise, and bytes that never occur in UTF-8 are not needed.
  Status spelt_bytes() {
    if (tokenizer_->model != "llama") return {};
    std::array<bool, 256> is_token{};
    for (const std::string_view text : tokens_) {
      if (text.size() == 1) is_token[static_cast<unsigned char>(text[0])] = true;
      unsigned value = 0;
      if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') continue;
      const auto parsed = std::from_chars(text.data() + 3, text.data() + 5, value, 16);
      const bool is_upper = std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'f'; });
      if (parsed.ptr == text.data() + 5 && is_upper) is_token[value] = true;
    }
    for (unsigned byte = 1; byte <= 0xf4; ++byte) {
      if (is_token[byte] || byte == ' ' || byte == 0xc0 || byte == 0xc1) continue;
      char name[8];
      std::snprintf(name, sizeof name, "<0x%02X>", byte);
      return file_.invalid("key 'tokenizer.ggml.tokens' lacks the byte token " + std::string(name) +
                           ", so text with a character that is no token cannot be read");
    }
    return {};
  }

  static std::string unescape_rwkv(std::string_view text) {
    std::string bytes;
    const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        if (text[i] != '\\') bytes += text[i];
        continue;
      }
      const char escaped = text[++i];
      if (escaped != 'x') {
        bytes += escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped;
      } else if (i + 2 < text.size()) {
        bytes += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
        i += 2;
      } else {
        break;
      }
    }
    return bytes;
  }

  // Finds a key of one of `types`. If it is missing, `value` stays nullptr, which is an error for a required key.
  Status get(const std::string& key, bool is_array, std::initializer_list<GgufType> types, bool required,
             const GgufValue*& value) {
    const GgufValue* found = file_.find(key);
    if (found == nullptr) return required ? file_.invalid("key '" + key + "' is missing") : Status();
    if (found->is_array != is_array || std::find(types.begin(), types.end(), found->type) == types.end()) {
      return file_.invalid("key '" + key + "' is " + (found->is_array ? "an array of " : "a ") +
                           gguf_type_name(found->type) + ", expected " + (is_array ? "an array of " : "a ") +
                           gguf_type_name(*types.begin()));
    }
    value = found;
    return {};
  }

  Status check_length(const std::string& key, std::initializer_list<GgufType> types) {
    const GgufValue* value = nullptr;
    if (Status status = get(key, true, types, false, value); !status.ok()) return status;
    if (value == nullptr || value->count >= tokens_.size()) return {};
    return file_.invalid("key '" + key + "' has " + std::to_string(value->count) + " elements for " +
                         std::to_string(tokens_.size()) + " tokens");
  }

  [[nodiscard]] std::string token(uint64_t id) const {
    return "token " + std::to_string(id) + " '" + std::string(tokens_[id].substr(0, 40)) + "'";
  }

  const GgufFile& file_;
  const Tokenizer* tokenizer_ = nullptr;
  std::vector<std::string_view> tokens_;
  std::deque<std::string> renamed_;  // a deque, because its elements never move
};

}  // namespace

Result<uint64_t> check_vocab(const GgufFile& file) { return VocabCheck(file).run(); }

}  // namespace lh
