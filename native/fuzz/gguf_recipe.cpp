#include "fuzz/gguf_recipe.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "ggml.h"

namespace lh::fuzz {
namespace {

constexpr size_t kMostItems = 1200;         // of an array in the file
constexpr uint64_t kMostData = 4ULL << 20;  // of all tensors
constexpr std::string_view kTypes[] = {"u8",   "i8",  "u16", "i16", "u32", "i32", "f32",
                                       "bool", "str", "arr", "u64", "i64", "f64"};
constexpr uint32_t kString = 8;
constexpr uint32_t kArray = 9;

template <typename T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void put_text(std::string& out, std::string_view text) {
  put<uint64_t>(out, text.size());
  out += text;
}

uint32_t type_number(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name);
  return static_cast<uint32_t>(found - std::begin(kTypes));  // one too many: an unknown type
}

double number_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_number() ? value.get<double>() : 0;
}

int64_t whole(const Json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  return static_cast<int64_t>(std::clamp(number_of(value), -9e18, 9e18));
}

void put_value(std::string& out, uint32_t type, const Json& value) {
  switch (type) {
    case 0:
    case 1:
    case 7: put(out, static_cast<uint8_t>(whole(value))); break;
    case 2:
    case 3: put(out, static_cast<uint16_t>(whole(value))); break;
    case 6: put(out, static_cast<float>(std::clamp(number_of(value), -3e38, 3e38))); break;
    case kString: put_text(out, value.is_string() ? value.get<std::string>() : dump_json(value)); break;
    case 10:
    case 11: put(out, whole(value)); break;
    case 12: put(out, number_of(value)); break;
    default: put(out, static_cast<uint32_t>(whole(value)));
  }
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// The characters that byte-level vocabularies write bytes with.
std::vector<std::string> letters() {
  std::vector<std::string> all;
  uint32_t next = 256;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool own = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    append_utf8(all.emplace_back(), own ? byte : next++);
  }
  return all;
}

std::vector<Json> items_of(const Json& list) {
  std::vector<Json> items;
  if (!list.is_array()) return items;
  for (const Json& item : list) {
    if (!item.is_object()) {
      items.push_back(item);
    } else if (item.contains("bytes")) {
      constexpr char kDigits[] = "0123456789ABCDEF";
      for (int i = 0; i < 256; ++i) items.emplace_back(std::string("<0x") + kDigits[i / 16] + kDigits[i % 16] + ">");
    } else if (item.contains("letters")) {
      for (std::string& letter : letters()) items.emplace_back(std::move(letter));
    } else {
      const auto times = std::clamp<int64_t>(whole(item.value("times", Json(1))), 0, kMostItems);
      for (int64_t i = 0; i < times; ++i) {
        if (item.contains("count"))
          items.emplace_back("t" + std::to_string(i));
        else
          items.push_back(item.value("repeat", Json(0)));
      }
    }
    if (items.size() > kMostItems) break;
  }
  return items;
}

bool put_pair(std::string& out, const Json& pair) {
  if (!pair.is_array() || pair.size() != 3 || !pair[0].is_string() || !pair[1].is_string()) return false;
  put_text(out, pair[0].get_ref<const std::string&>());
  std::string type = pair[1];
  if (!type.starts_with("arr:")) {
    put(out, type_number(type));
    put_value(out, type_number(type), pair[2]);
    return true;
  }
  const uint32_t inner = type_number(type.substr(4));
  const std::vector<Json> items = items_of(pair[2]);
  put(out, kArray);
  put(out, inner);
  put<uint64_t>(out, items.size());
  for (const Json& item : items) put_value(out, inner, item);
  return true;
}

struct Tensor {
  uint64_t bytes = 0;
  bool floats = false;
};

// Uses the sizes that ggml defines: a file with other sizes would be refused before anything of interest.
bool put_tensor(std::string& out, const Json& tensor, uint64_t offset, Tensor& made) {
  if (!tensor.is_array() || tensor.size() != 3 || !tensor[0].is_string() || !tensor[2].is_array()) return false;
  auto type = GGML_TYPE_F32;
  for (int i = 0; i < GGML_TYPE_COUNT && tensor[1].is_string(); ++i) {
    const char* const name = ggml_type_name(static_cast<ggml_type>(i));
    if (name != nullptr && tensor[1].get_ref<const std::string&>() == name) type = static_cast<ggml_type>(i);
  }
  uint64_t elements = 1;
  std::string shape;
  for (const Json& size : tensor[2]) {
    const auto dimension = static_cast<uint64_t>(whole(size));
    put(shape, dimension);
    elements = dimension > kMostData ? kMostData * 8 : std::min(elements * dimension, kMostData * 8);
  }
  const auto block = static_cast<uint64_t>(std::max<int64_t>(ggml_blck_size(type), 1));
  made.bytes = (elements + block - 1) / block * ggml_type_size(type);
  made.floats = type == GGML_TYPE_F32;
  if (offset + made.bytes > kMostData) return false;
  put_text(out, tensor[0].get_ref<const std::string&>());
  put(out, static_cast<uint32_t>(tensor[2].size()));
  out += shape;
  put(out, static_cast<uint32_t>(type));
  put(out, offset);
  return true;
}

// Small numbers around 0, so that the model computes something; zeros in other types.
void put_data(std::string& out, const Tensor& tensor) {
  if (!tensor.floats) {
    out.append(tensor.bytes, '\0');
    return;
  }
  uint32_t state = 12345;
  for (uint64_t i = 0; i + sizeof(float) <= tensor.bytes; i += sizeof(float)) {
    state = state * 1664525U + 1013904223U;
    put(out, (static_cast<float>(state >> 8) / 8388608.0F - 1.0F) * 0.1F);
  }
}

}  // namespace

std::string write_gguf(const Json& recipe) {
  std::string pairs;
  uint64_t pair_count = 0;
  const Json none = Json::array();
  const auto list = [&](const char* name) -> const Json& {
    const auto found = recipe.is_object() ? recipe.find(name) : recipe.end();
    return found == recipe.end() ? none : *found;
  };
  for (const Json& pair : list("kv")) pair_count += put_pair(pairs, pair) ? 1 : 0;
  std::string infos;
  std::vector<Tensor> tensors;
  uint64_t offset = 0;
  for (const Json& tensor : list("tensors")) {
    Tensor made;
    if (!put_tensor(infos, tensor, offset, made)) continue;
    tensors.push_back(made);
    offset += (made.bytes + 31) / 32 * 32;
  }
  std::string file = "GGUF";
  put<uint32_t>(file, 3);
  put<uint64_t>(file, tensors.size());
  put<uint64_t>(file, pair_count);
  file += pairs;
  file += infos;
  for (const Tensor& tensor : tensors) {
    file.resize((file.size() + 31) / 32 * 32, '\0');
    put_data(file, tensor);
  }
  file.resize((file.size() + 31) / 32 * 32, '\0');
  const uint64_t cut = recipe.is_object() ? static_cast<uint64_t>(whole(recipe.value("cut", Json(0)))) : 0;
  file.resize(file.size() - std::min<uint64_t>(cut, file.size()));
  return file;
}

}  // namespace lh::fuzz
