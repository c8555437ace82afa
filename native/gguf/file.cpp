// The GGUF parser. Every count and length in the file is only a claim until it fits into the rest of the file.
// Must not: allocate by an unchecked claim, or read further than the header.
#include "gguf/file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <unordered_set>

#include "base/text/path.h"

namespace lh {
namespace {

constexpr uint32_t kOldestVersion = 2;
constexpr uint32_t kNewestVersion = 3;
constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMaxTensorName = 63;  // ggml truncates longer names
constexpr uint32_t kMaxDimensions = 4;
constexpr uint64_t kTensorAlignment = 32;  // alignment of tensors in a mapped file, asserted by ggml
constexpr uint64_t kChunkBytes = 1u << 20;
// Real headers are below 32 MiB. A larger header has a corrupt length that happens to lie within a large file.
constexpr uint64_t kMaxHeaderBytes = 512u << 20;

static_assert(std::endian::native == std::endian::little, "GGUF values are read as they lie in the file");

// Types by number, as in ggml.h. A llama.cpp release that adds a type needs a line here.
constexpr TensorType kTensorTypes[] = {
    {0, "F32", 1, 4, true},         {1, "F16", 1, 2, true},         {2, "Q4_0", 32, 18, true},
    {3, "Q4_1", 32, 20, true},      {6, "Q5_0", 32, 22, true},      {7, "Q5_1", 32, 24, true},
    {8, "Q8_0", 32, 34, true},      {9, "Q8_1", 32, 36, false},     {10, "Q2_K", 256, 84, true},
    {11, "Q3_K", 256, 110, true},   {12, "Q4_K", 256, 144, true},   {13, "Q5_K", 256, 176, true},
    {14, "Q6_K", 256, 210, true},   {15, "Q8_K", 256, 292, false},  {16, "IQ2_XXS", 256, 66, true},
    {17, "IQ2_XS", 256, 74, true},  {18, "IQ3_XXS", 256, 98, true}, {19, "IQ1_S", 256, 50, true},
    {20, "IQ4_NL", 32, 18, true},   {21, "IQ3_S", 256, 110, true},  {22, "IQ2_S", 256, 82, true},
    {23, "IQ4_XS", 256, 136, true}, {24, "I8", 1, 1, false},        {25, "I16", 1, 2, false},
    {26, "I32", 1, 4, false},       {27, "I64", 1, 8, false},       {28, "F64", 1, 8, false},
    {29, "IQ1_M", 256, 56, true},   {30, "BF16", 1, 2, true},       {34, "TQ1_0", 256, 54, true},
    {35, "TQ2_0", 256, 66, true},   {39, "MXFP4", 32, 17, true},    {40, "NVFP4", 64, 36, true},
    {41, "Q1_0", 128, 18, true},    {42, "Q2_0", 64, 18, true},
};

const TensorType* tensor_type(uint32_t number) {
  const auto* found = std::find_if(std::begin(kTensorTypes), std::end(kTensorTypes),
                                   [&](const TensorType& t) { return t.number == number; });
  return found == std::end(kTensorTypes) ? nullptr : found;
}

struct ValueType {
  const char* name;
  uint64_t bytes;  // 0: variable length
};
constexpr std::array<ValueType, 13> kValueTypes = {{{"u8", 1},
                                                    {"i8", 1},
                                                    {"u16", 2},
                                                    {"i16", 2},
                                                    {"u32", 4},
                                                    {"i32", 4},
                                                    {"f32", 4},
                                                    {"bool", 1},
                                                    {"string", 0},
                                                    {"array", 0},
                                                    {"u64", 8},
                                                    {"i64", 8},
                                                    {"f64", 8}}};

std::string in_quotes(std::string_view text) {
  // Names come from a file that may be corrupt: keep the message short and printable.
  std::string result = "'";
  for (const char c : text.substr(0, 80)) result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return result + (text.size() > 80 ? "...'" : "'");
}

std::string errno_text(int error) { return error == 0 ? "cannot be read" : std::generic_category().message(error); }

}  // namespace

const char* gguf_type_name(GgufType type) {
  const auto index = static_cast<size_t>(type);
  return index < kValueTypes.size() ? kValueTypes[index].name : "unknown";
}

// Reads one file from front to back. After the first failure every read fails, and that failure is reported.
class GgufParser {
 public:
  explicit GgufParser(const std::string& path) { file_.path_ = path; }

  Result<GgufFile> run() {
    if (Status status = open(); !status.ok()) return status;
    if (read_preamble() && read_values() && read_tensors()) return std::move(file_);
    return Status(code_, file_.path_ + ": " + failure_);
  }

 private:
  Status open() {
    const std::filesystem::path path = to_path(file_.path_);
    std::error_code error;
    const auto kind = std::filesystem::status(path, error);
    if (!error && !std::filesystem::is_regular_file(kind)) {
      return not_found(std::filesystem::is_directory(kind) ? "is a directory" : "is not a regular file");
    }
    if (!error) file_.file_bytes_ = std::filesystem::file_size(path, error);
    if (error) return not_found(error.message());
    errno = 0;
    in_.open(path, std::ios::binary);
    if (!in_) return not_found(errno_text(errno));
    return {};
  }

  Status not_found(const std::string& why) const { return Status(Code::kModelFileNotFound, file_.path_ + ": " + why); }

  bool fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
    return false;
  }

  // Makes the next `bytes` bytes available at header_[at_]. `what` names them in the message.
  bool need(uint64_t bytes, std::string_view what) {
    if (!failure_.empty()) return false;
    if (bytes > file_.file_bytes_ - at_) {
      return fail("the file is truncated or corrupt: " + std::string(what) + " needs " + std::to_string(bytes) +
                  " bytes at offset " + std::to_string(at_) + ", and the file ends at " +
                  std::to_string(file_.file_bytes_));
    }
    const uint64_t end = at_ + bytes;
    if (end > kMaxHeaderBytes) {
      return fail("the file is corrupt: " + std::string(what) + " would make the header larger than 512 MiB");
    }
    const uint64_t have = file_.header_.size();
    if (end <= have) return true;
    const uint64_t want = std::min(std::max(end, have + std::max(have, kChunkBytes)), file_.file_bytes_);
    file_.header_.resize(want);
    errno = 0;
    in_.read(file_.header_.data() + have, static_cast<std::streamsize>(want - have));
    if (in_) return true;
    code_ = Code::kModelFileNotFound;
    return fail(errno_text(errno));
  }

  template <typename T>
  bool take(T& value, std::string_view what) {
    if (!need(sizeof(T), what)) return false;
    std::memcpy(&value, file_.header_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }

  bool take_string(std::string_view& text, std::string_view what) {
    uint64_t length = 0;
    if (!take(length, what) || !need(length, what)) return false;
    text = std::string_view(file_.header_.data() + at_, length);
    at_ += length;
    return true;
  }

  bool read_preamble() {
    if (file_.file_bytes_ == 0) return fail("not a GGUF file: it is empty");
    std::array<char, 4> magic{};
    if (!take(magic, "the magic")) return false;
    if (std::string_view(magic.data(), magic.size()) != "GGUF") {
      return fail("not a GGUF file: it does not begin with 'GGUF'");
    }
    uint32_t version = 0;
    if (!take(version, "the version")) return false;
    if ((version & 0xffffu) == 0) return fail("a big-endian GGUF file; only little-endian ones can be loaded");
    if (version < kOldestVersion || version > kNewestVersion) {
      return fail("GGUF version " + std::to_string(version) + " is not supported (2 and 3 are)");
    }
    return take(tensor_count_, "the number of tensors") && take(value_count_, "the number of keys");
  }

  bool read_values() {
    std::unordered_set<std::string> seen;
    for (uint64_t i = 0; i < value_count_; ++i) {
      std::string_view key;
      if (!take_string(key, "key " + std::to_string(i) + " of " + std::to_string(value_count_))) return false;
      // llama.cpp compares keys and names as C strings, so a NUL would make different ones equal.
      if (key.empty() || key.find('\0') != std::string_view::npos) {
        return fail("the file is corrupt: key " + std::to_string(i) + " is " + (key.empty() ? "empty" : "not text"));
      }
      GgufValue value;
      value.key = key;
      if (!seen.insert(value.key).second) return fail("key " + in_quotes(value.key) + " appears twice");
      if (!read_value(value)) return false;
      file_.values_.push_back(std::move(value));
    }
    const GgufValue* alignment = file_.find("general.alignment");
    if (alignment == nullptr) return true;
    if (alignment->type != GgufType::kUint32 || alignment->is_array)
      return fail("key 'general.alignment' is not a u32");
    alignment_ = file_.element<uint32_t>(*alignment);
    if (std::has_single_bit(alignment_)) return true;
    return fail("key 'general.alignment' is " + std::to_string(alignment_) + ", which is not a power of two");
  }

  bool read_value(GgufValue& value) {
    const std::string what = "the value of key " + in_quotes(value.key);
    if (!take_type(value, what)) return false;
    if (value.type == GgufType::kArray) {
      value.is_array = true;
      if (!take_type(value, what) || !take(value.count, what)) return false;
      if (value.type == GgufType::kArray) return fail(what + " is an array of arrays");
    }
    value.offset = at_;
    if (value.type == GgufType::kString) {
      if (!need(0, what) || value.count > (file_.file_bytes_ - at_) / sizeof(uint64_t)) return too_many(value);
      std::string_view text;
      for (uint64_t i = 0; i < value.count; ++i) {
        if (!take_string(text, what)) return false;
      }
      return true;
    }
    const uint64_t size = kValueTypes[static_cast<size_t>(value.type)].bytes;
    if (value.count > (file_.file_bytes_ - at_) / size) return too_many(value);
    if (!need(value.count * size, what)) return false;
    at_ += value.count * size;
    return true;
  }

  bool take_type(GgufValue& value, const std::string& what) {
    uint32_t number = 0;
    if (!take(number, what)) return false;
    if (number >= kValueTypes.size()) return fail(what + " has the unknown type " + std::to_string(number));
    value.type = static_cast<GgufType>(number);
    return true;
  }

  bool too_many(const GgufValue& value) {
    return fail("the file is truncated or corrupt: key " + in_quotes(value.key) + " claims " +
                std::to_string(value.count) + " elements, more than the file has room for");
  }

  bool read_tensors() {
    std::unordered_set<std::string> seen;
    std::vector<uint64_t> offsets;
    for (uint64_t i = 0; i < tensor_count_; ++i) {
      GgufTensor tensor;
      uint64_t offset = 0;
      if (!read_tensor(tensor, offset, i)) return false;
      if (!seen.insert(tensor.name).second) return fail("tensor " + in_quotes(tensor.name) + " appears twice");
      file_.tensors_.push_back(std::move(tensor));
      offsets.push_back(offset);
    }
    return place_tensors(offsets);
  }

  bool read_tensor(GgufTensor& tensor, uint64_t& offset, uint64_t index) {
    std::string_view name;
    const std::string number = "tensor " + std::to_string(index) + " of " + std::to_string(tensor_count_);
    if (!take_string(name, "the name of " + number)) return false;
    if (name.size() > kMaxTensorName || name.find('\0') != std::string_view::npos) {
      return fail("the file is corrupt: the name of " + number + " is " +
                  (name.size() > kMaxTensorName ? "longer than 63 bytes" : "not text"));
    }
    tensor.name = name;
    const std::string what = "tensor " + in_quotes(name);
    uint32_t dimensions = 0;
    if (!take(dimensions, what)) return false;
    if (dimensions > kMaxDimensions) return fail(what + " has " + std::to_string(dimensions) + " dimensions");
    tensor.shape.resize(dimensions);
    for (uint64_t& extent : tensor.shape) {
      if (!take(extent, what)) return false;
      if (extent == 0) return fail(what + " has a dimension of 0");
    }
    uint32_t type = 0;
    if (!take(type, what)) return false;
    tensor.type = tensor_type(type);
    if (tensor.type == nullptr) return fail(what + " has the unknown type " + std::to_string(type));
    return measure(tensor, what) && take(offset, what);
  }

  bool measure(GgufTensor& tensor, const std::string& what) {
    const uint64_t row = tensor.shape.empty() ? 1 : tensor.shape[0];
    if (row % tensor.type->block_elements != 0) {
      return fail(what + " has rows of " + std::to_string(row) + " elements, not a multiple of the " +
                  std::to_string(tensor.type->block_elements) + " that " + tensor.type->name + " packs together");
    }
    // Multiplies only up to the size of the file, so that the products cannot overflow.
    tensor.bytes = tensor.type->block_bytes;
    std::vector<uint64_t> factors = tensor.shape;
    if (!factors.empty()) factors[0] /= tensor.type->block_elements;
    for (const uint64_t factor : factors) {
      if (factor > file_.file_bytes_ / tensor.bytes) return fail(what + " is larger than the file");
      tensor.bytes *= factor;
    }
    return true;
  }

  // ggml accepts neither gaps nor another order: each tensor begins where the one before it, padded, ends.
  bool place_tensors(const std::vector<uint64_t>& offsets) {
    const uint64_t data = padded(at_);
    uint64_t expected = 0;
    for (size_t i = 0; i < offsets.size(); ++i) {
      GgufTensor& tensor = file_.tensors_[i];
      const std::string what = "tensor " + in_quotes(tensor.name);
      if (offsets[i] != expected) {
        return fail(what + " begins at offset " + std::to_string(offsets[i]) + " of the data instead of " +
                    std::to_string(expected));
      }
      if (data > file_.file_bytes_ || tensor.bytes > file_.file_bytes_ - data ||
          expected > file_.file_bytes_ - data - tensor.bytes) {
        return fail("the file is truncated: " + what + " ends past the end of the file, which has " +
                    std::to_string(file_.file_bytes_) + " bytes");
      }
      if ((data + expected) % kTensorAlignment != 0) {
        return fail(what + " begins at offset " + std::to_string(data + expected) +
                    " of the file, which is not a multiple of " + std::to_string(kTensorAlignment));
      }
      tensor.offset = data + expected;
      expected += padded(tensor.bytes);
    }
    return true;
  }

  // The sum cannot overflow: the position is bounded by the file, and the alignment is a u32.
  [[nodiscard]] uint64_t padded(uint64_t bytes) const { return (bytes + alignment_ - 1) / alignment_ * alignment_; }

  GgufFile file_;
  std::ifstream in_;
  uint64_t at_ = 0;
  uint64_t tensor_count_ = 0;
  uint64_t value_count_ = 0;
  uint64_t alignment_ = kDefaultAlignment;
  Code code_ = Code::kModelFileInvalid;
  std::string failure_;
};

Result<GgufFile> GgufFile::read(const std::string& path) { return GgufParser(path).run(); }

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const GgufValue& v) { return v.key == key; });
  return found == values_.end() ? nullptr : &*found;
}

std::vector<std::string_view> GgufFile::strings(const GgufValue& value) const {
  std::vector<std::string_view> result;
  result.reserve(value.count);
  const char* at = header_.data() + value.offset;
  for (uint64_t i = 0; i < value.count; ++i) {
    uint64_t length = 0;
    std::memcpy(&length, at, sizeof(length));
    result.emplace_back(at + sizeof(length), length);
    at += sizeof(length) + length;
  }
  return result;
}

Status GgufFile::invalid(const std::string& what) const { return Status(Code::kModelFileInvalid, path_ + ": " + what); }

}  // namespace lh
