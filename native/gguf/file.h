// Reads the header of one GGUF file: its key-values and its tensor table, with every length checked against the file.
// Must not: read tensor data, or trust a length.
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
  GgufType type = GgufType::kUint8;  // type of the value, or of an array's elements
  bool is_array = false;
  uint64_t count = 1;   // elements of an array; 1 for a scalar
  uint64_t offset = 0;  // of the first element in the file
};

// The layout in which a tensor type of ggml stores its elements.
struct TensorType {
  uint32_t number;
  const char* name;
  uint32_t block_elements;
  uint32_t block_bytes;
  bool is_weight;  // false: no kernel of ggml reads model weights of this type (it aborts)
};

struct GgufTensor {
  std::string name;
  std::vector<uint64_t> shape;  // 0 to 4 dimensions, none of them 0
  const TensorType* type = nullptr;
  uint64_t bytes = 0;
  uint64_t offset = 0;  // of its data in the file
};

// A consistent header in memory: keys and tensor names are unique and contain no NUL, every value lies in the file, and
// the tensors follow each other inside the file.
class GgufFile {
 public:
  [[nodiscard]] static Result<GgufFile> read(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const std::vector<GgufTensor>& tensors() const { return tensors_; }

  // The value of a key, or nullptr. Valid as long as this file.
  [[nodiscard]] const GgufValue* find(std::string_view key) const;

  // The element `index` of a value that does not hold strings. `T` must have the size of the value's type.
  template <typename T>
  [[nodiscard]] T element(const GgufValue& value, uint64_t index = 0) const {
    T result;
    std::memcpy(&result, header_.data() + value.offset + index * sizeof(T), sizeof(T));
    return result;
  }

  // The strings of a string value (one for a scalar). Views into this file.
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
