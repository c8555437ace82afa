// Reads the header of one GGUF file: its key-values and its tensor table, every length checked against the file.
// Must not: read tensor data, trust a length, include a llama.cpp header, or judge what the values mean.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace lh {

// The value types of the GGUF format, with its numbers.
enum class GgufType : uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

const char* gguf_type_name(GgufType type);

struct GgufValue {
  std::string key;
  GgufType type = GgufType::kUint8;  // of the elements, for an array
  bool is_array = false;
  uint64_t count = 1;   // elements of an array; 1 for a scalar
  uint64_t offset = 0;  // where the first element begins in the file
};

// How a tensor type of ggml stores its elements.
struct TensorType {
  uint32_t number;
  const char* name;
  uint32_t block_elements;
  uint32_t block_bytes;
  bool is_weight;  // false: ggml has the type, but no kernel reads model weights of it (it aborts)
};

struct GgufTensor {
  std::string name;
  std::vector<uint64_t> shape;  // 0 to 4 dimensions, none of them 0
  const TensorType* type = nullptr;
  uint64_t bytes = 0;
  uint64_t offset = 0;  // where its data begin in the file
};

// A header in memory, found consistent: keys and tensor names are unique and hold no NUL, every value lies in the file,
// and the tensors lie one after the other inside the file.
class GgufFile {
 public:
  [[nodiscard]] static Result<GgufFile> read(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const std::vector<GgufTensor>& tensors() const { return tensors_; }

  // The value of a key, or nullptr. Valid as long as this file.
  [[nodiscard]] const GgufValue* find(std::string_view key) const;

  // The element `index` of a value that is not of strings. `T` must be of the size of its type.
  template <typename T>
  [[nodiscard]] T element(const GgufValue& value, uint64_t index = 0) const {
    T result;
    std::memcpy(&result, header_.data() + value.offset + index * sizeof(T), sizeof(T));
    return result;
  }

  // The strings of a value of strings (one, for a scalar). Views into this file.
  [[nodiscard]] std::vector<std::string_view> strings(const GgufValue& value) const;

  // MODEL_FILE_INVALID, with the path in front.
  [[nodiscard]] Status invalid(const std::string& what) const;

 private:
  friend class GgufParser;

  std::string path_;
  uint64_t file_bytes_ = 0;
  std::vector<char> header_;
  std::vector<GgufValue> values_;
  std::vector<GgufTensor> tensors_;
};

}  // namespace lh
