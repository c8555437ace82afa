// Writes small GGUF files, valid and damaged, and checks the result of check_gguf: the code, and that the message names
// the file and the fault.
#include "gguf/check.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace fs = std::filesystem;
using lh::Code;

int failures = 0;

#define CHECK(name, condition)                                                  \
  do {                                                                          \
    const bool holds = (condition);                                             \
    std::printf("%s %s\n", holds ? "ok  " : "FAIL", std::string(name).c_str()); \
    if (!holds) ++failures;                                                     \
  } while (false)

// The value types of the format that the tests write.
constexpr uint32_t kU16 = 2, kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7, kString = 8, kArray = 9;

template <typename T>
std::string raw(T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
std::string text(const std::string& value) { return raw<uint64_t>(value.size()) + value; }

struct Value {
  std::string key;
  std::string bytes;  // type and value
};
Value string(const std::string& key, const std::string& value) { return {key, raw(kString) + text(value)}; }
Value u32(const std::string& key, uint32_t value) { return {key, raw(kU32) + raw(value)}; }
Value f32(const std::string& key, float value) { return {key, raw(kF32) + raw(value)}; }
Value boolean(const std::string& key, bool value) { return {key, raw(kBool) + raw<int8_t>(value ? 1 : 0)}; }
Value strings(const std::string& key, const std::vector<std::string>& values) {
  std::string bytes = raw(kArray) + raw(kString) + raw<uint64_t>(values.size());
  for (const std::string& value : values) bytes += text(value);
  return {key, bytes};
}
Value integers(const std::string& key, const std::vector<int32_t>& values) {
  std::string bytes = raw(kArray) + raw(kI32) + raw<uint64_t>(values.size());
  for (const int32_t value : values) bytes += raw(value);
  return {key, bytes};
}

struct Tensor {
  std::string name;
  std::vector<uint64_t> shape;
  uint32_t type = 0;
  int64_t offset_error = 0;
};

// A model as a list of parts that a test changes before it is written.
struct Model {
  std::vector<Value> values;
  std::vector<Tensor> tensors;
  uint32_t version = 3;
  uint64_t extra_values = 0;  // claimed but absent

  Model& set(const Value& value) {
    remove(value.key);
    values.push_back(value);
    return *this;
  }
  Model& remove(const std::string& key) {
    std::erase_if(values, [&](const Value& v) { return v.key == key; });
    return *this;
  }

  [[nodiscard]] std::string bytes() const {
    std::string header =
        "GGUF" + raw(version) + raw<uint64_t>(tensors.size()) + raw<uint64_t>(values.size() + extra_values);
    for (const Value& value : values) header += text(value.key) + value.bytes;
    uint64_t offset = 0;
    for (const Tensor& tensor : tensors) {
      header += text(tensor.name) + raw(static_cast<uint32_t>(tensor.shape.size()));
      uint64_t size = tensor.type == 1 ? 2 : 4;
      for (const uint64_t extent : tensor.shape) {
        header += raw(extent);
        size *= extent;
      }
      header += raw(tensor.type) + raw(offset + static_cast<uint64_t>(tensor.offset_error));
      offset += (size + 31) / 32 * 32;
    }
    header.resize((header.size() + 31) / 32 * 32, '\0');
    return header + std::string(offset, '\0');
  }
};

// Two layers of plain attention with 5 tokens.
Model sound() {
  Model model;
  model.values = {string("general.architecture", "llama"),
                  string("general.name", "tiny"),
                  u32("llama.block_count", 2),
                  u32("llama.context_length", 128),
                  u32("llama.embedding_length", 16),
                  u32("llama.feed_forward_length", 32),
                  u32("llama.attention.head_count", 4),
                  u32("llama.attention.head_count_kv", 2),
                  f32("llama.attention.layer_norm_rms_epsilon", 1e-5f),
                  string("tokenizer.ggml.model", "gpt2"),
                  strings("tokenizer.ggml.tokens", {"a", "b", "ab", "<s>", "</s>"}),
                  strings("tokenizer.ggml.merges", {"a b"}),
                  integers("tokenizer.ggml.token_type", {1, 1, 1, 3, 3}),
                  u32("tokenizer.ggml.bos_token_id", 3),
                  u32("tokenizer.ggml.eos_token_id", 4),
                  boolean("tokenizer.ggml.add_bos_token", false),
                  string("tokenizer.chat_template", "{{ messages }}")};
  model.tensors = {{"token_embd.weight", {16, 5}}, {"output_norm.weight", {16}}};
  for (const char* layer : {"blk.0.", "blk.1."}) {
    const std::string prefix = layer;
    model.tensors.insert(model.tensors.end(), {{prefix + "attn_norm.weight", {16}},
                                               {prefix + "attn_q.weight", {16, 16}},
                                               {prefix + "attn_k.weight", {16, 8}},
                                               {prefix + "attn_v.weight", {16, 8}},
                                               {prefix + "attn_output.weight", {16, 16}}});
  }
  return model;
}

class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() /
              ("lh-gguf-check-" + std::to_string(fs::file_time_type::clock::now().time_since_epoch().count()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name, const std::string& bytes) const {
    const fs::path path = path_ / name;
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path.string();
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

lh::Result<lh::GgufSummary> check(const std::string& path) {
  return lh::check_gguf(path, [](std::string_view architecture) { return architecture == "llama"; });
}

void fails(const std::string& name, const std::string& path, Code code, const std::string& word) {
  const auto result = check(path);
  const std::string message = result.ok() ? "accepted" : result.status().message();
  const bool as_expected = !result.ok() && result.status().code() == code && message.find(word) != std::string::npos &&
                           message.find(fs::path(path).filename().string().substr(0, 4)) != std::string::npos;
  CHECK(name, as_expected);
  if (!as_expected) std::printf("     expected '%s', got: %s\n", word.c_str(), message.c_str());
}

void test_files(const Folder& folder) {
  const std::string whole = sound().bytes();
  fails("a missing file", folder.path("none.gguf"), Code::kModelFileNotFound, "No such file");
  fails("a directory", folder.path(""), Code::kModelFileNotFound, "directory");
  fails("an empty file", folder.file("empty.gguf", ""), Code::kModelFileInvalid, "empty");
  fails("a file that is not GGUF", folder.file("text.gguf", "once upon a time"), Code::kModelFileInvalid,
        "not a GGUF file");
  fails("a truncated header", folder.file("head.gguf", whole.substr(0, 200)), Code::kModelFileInvalid, "truncated");
  fails("truncated tensor data", folder.file("data.gguf", whole.substr(0, whole.size() - 8)), Code::kModelFileInvalid,
        "'blk.1.attn_output.weight' ends past the end");

  Model model = sound();
  model.version = 0x03000000;
  fails("a big-endian file", folder.file("endian.gguf", model.bytes()), Code::kModelFileInvalid, "big-endian");
  model.version = 1;
  fails("an old version", folder.file("version.gguf", model.bytes()), Code::kModelFileInvalid, "version 1");
  model = sound();
  model.extra_values = uint64_t{1} << 60;
  fails("2^60 keys", folder.file("keys.gguf", model.bytes()), Code::kModelFileInvalid, "key");
  model = sound();
  model.set({"huge", raw(kArray) + raw(kI32) + raw(uint64_t{1} << 60)});
  fails("an array of 2^60 elements", folder.file("array.gguf", model.bytes()), Code::kModelFileInvalid, "'huge'");
  model = sound();
  model.values.push_back(model.values.front());
  fails("a key twice", folder.file("twice.gguf", model.bytes()), Code::kModelFileInvalid,
        "'general.architecture' appears twice");
  size_t accepted = 0;
  for (size_t length = 0; length < whole.size(); length += 13) {
    if (check(folder.file("cut.gguf", whole.substr(0, length))).ok()) ++accepted;
  }
  CHECK("no part of a file is a file", accepted == 0);
}

void test_tensors(const Folder& folder) {
  const auto tensor = [&](const std::string& name, const std::string& word,
                          const std::function<void(Tensor&)>& change) {
    Model model = sound();
    change(model.tensors[3]);
    fails(name, folder.file("tensor.gguf", model.bytes()), Code::kModelFileInvalid, word);
  };
  const std::string it = "'blk.0.attn_q.weight'";
  tensor("a tensor offset past the end", it, [](Tensor& t) { t.offset_error = int64_t{1} << 40; });
  tensor("a tensor of an unknown type", it, [](Tensor& t) { t.type = 99; });
  tensor("a tensor of a type not for weights", it, [](Tensor& t) { t.type = 26; });
  tensor("a tensor of 2^80 elements", it, [](Tensor& t) { t.shape = {uint64_t{1} << 40, uint64_t{1} << 40}; });
  tensor("a tensor with a dimension of 0", it, [](Tensor& t) { t.shape = {16, 0}; });
  tensor("a tensor twice", "'token_embd.weight' appears twice", [](Tensor& t) { t.name = "token_embd.weight"; });
  tensor("a tensor that does not fit the heads", it, [](Tensor& t) { t.shape = {16, 12}; });

  Model model = sound();
  model.tensors[1].type = 1;
  fails("a norm that is not F32", folder.file("norm.gguf", model.bytes()), Code::kModelFileInvalid,
        "'output_norm.weight'");
  model = sound();
  model.tensors.clear();
  fails("a vocabulary without a model", folder.file("vocab.gguf", model.bytes()), Code::kModelFileInvalid,
        "no tensors");
}

void test_keys(const Folder& folder) {
  const auto value = [&](const std::string& name, const Value& changed, const std::string& word,
                         Code code = Code::kModelFileInvalid) {
    fails(name, folder.file("value.gguf", sound().set(changed).bytes()), code, word);
  };
  const auto without = [&](const std::string& name, const std::string& key) {
    fails(name, folder.file("value.gguf", sound().remove(key).bytes()), Code::kModelFileInvalid, "'" + key + "'");
  };
  value("an unknown architecture", string("general.architecture", "brontosaurus"), "'brontosaurus'",
        Code::kUnsupportedArchitecture);
  value("an alignment of 24", u32("general.alignment", 24), "'general.alignment'");
  value("513 layers", u32("llama.block_count", 513), "'llama.block_count'");
  value("a key of another type", f32("llama.block_count", 2), "'llama.block_count' is a f32");
  value("a negative epsilon", f32("llama.attention.layer_norm_rms_epsilon", -1),
        "'llama.attention.layer_norm_rms_epsilon'");
  value("an unknown rope scaling", string("llama.rope.scaling.type", "spiral"), "'spiral'");
  value("an odd rotation", u32("llama.rope.dimension_count", 3), "'llama.rope.dimension_count'");
  value("heads for three layers of two", integers("llama.attention.head_count", {4, 4, 4}),
        "'llama.attention.head_count' has 3");
  value("experts used and none there", u32("llama.expert_used_count", 2), "'llama.expert_used_count'");
  without("no architecture", "general.architecture");
  without("no layers", "llama.block_count");

  value("an unknown tokenizer", string("tokenizer.ggml.model", "abacus"), "'abacus'");
  value("a model without vocabulary", string("tokenizer.ggml.model", "none"), "no vocabulary");
  value("a token twice", strings("tokenizer.ggml.tokens", {"a", "b", "ab", "a", "</s>"}),
        "token 0 'a' and token 3 'a'");
  value("two tokens that are one as C strings",
        strings("tokenizer.ggml.tokens", {"a", "b", "ab", std::string("a\0z", 3), "</s>"}), "token 3");
  value("types for three of five tokens", integers("tokenizer.ggml.token_type", {1, 1, 1}),
        "'tokenizer.ggml.token_type' has 3");
  value("a malformed merge", strings("tokenizer.ggml.merges", {"a b", "ab"}), "merge 1");
  value("a special id out of range", u32("tokenizer.ggml.eos_token_id", 5), "'tokenizer.ggml.eos_token_id' is token 5");
  without("no merges", "tokenizer.ggml.merges");
  without("no tokens", "tokenizer.ggml.tokens");
  fails("a BOS token to add and none there",
        folder.file(
            "bos.gguf",
            sound().remove("tokenizer.ggml.bos_token_id").set(boolean("tokenizer.ggml.add_bos_token", true)).bytes()),
        Code::kModelFileInvalid, "'tokenizer.ggml.bos_token_id'");
}

void test_sound(const Folder& folder) {
  const std::string bytes = sound().bytes();
  const auto result = check(folder.file("sound.gguf", bytes));
  CHECK("a sound file is accepted", result.ok());
  if (!result.ok()) {
    std::printf("     %s\n", result.status().message().c_str());
    return;
  }
  const lh::GgufSummary& s = *result;
  CHECK("its names", s.architecture == "llama" && s.name == "tiny" && s.has_chat_template);
  CHECK("its sizes", s.file_bytes == bytes.size() && s.n_parts == 1 && s.n_tensors == 12 && s.tensor_bytes == 6656 &&
                         s.layer_bytes == 6272);
  CHECK("its layers", s.n_layers == 2 && s.n_embd == 16 && s.n_ctx_train == 128 && s.n_vocab == 5);
  CHECK("its heads",
        s.n_head == 4 && s.n_head_kv == 2 && s.head_dim_k == 4 && s.head_dim_v == 4 && s.kv_per_token == 32);
}

void test_parts(const Folder& folder) {
  const auto u16 = [](const std::string& key, uint16_t value) { return Value{key, raw(kU16) + raw(value)}; };
  Model first = sound().set(u16("split.count", 2)).set(u16("split.no", 0));
  Model second;
  second.set(u16("split.count", 2)).set(u16("split.no", 1));
  second.tensors = {{"output.weight", {16, 5}}};
  const std::string path = folder.file("part-00001-of-00002.gguf", first.bytes());
  fails("a missing part", path, Code::kModelFileNotFound, "part-00002-of-00002.gguf");
  const std::string other = folder.file("part-00002-of-00002.gguf", second.bytes());
  const auto result = check(path);
  CHECK("a split model is the sum of its parts",
        result.ok() && result->n_parts == 2 && result->n_tensors == 13 &&
            result->file_bytes == first.bytes().size() + second.bytes().size());
  second.tensors = {{"output_norm.weight", {16}}};
  (void)folder.file("part-00002-of-00002.gguf", second.bytes());
  fails("a tensor in two parts", path, Code::kModelFileInvalid, "'output_norm.weight'");
  (void)folder.file("part-00002-of-00002.gguf", sound().set(u16("split.count", 2)).set(u16("split.no", 1)).bytes());
  fails("a part that is not the first", other, Code::kModelFileInvalid, "part 2 of a split model");
}

}  // namespace

int main() {
  const Folder folder;
  test_files(folder);
  test_tensors(folder);
  test_keys(folder);
  test_sound(folder);
  test_parts(folder);
  std::printf("%d failed\n", failures);
  return failures == 0 ? 0 : 1;
}
