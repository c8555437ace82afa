#include "gguf/control_vector.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

#include "base/text/path.h"

namespace lh {
namespace {

constexpr std::string_view kDirection = "direction.";

Status unfit(const GgufFile& file, const std::string& what) {
  return {Code::kAdapterIncompatible, file.path() + " does not fit the model: " + what};
}

// 0: not the name of a direction.
int32_t layer_of(const std::string& name) {
  if (!name.starts_with(kDirection) || name.substr(kDirection.size()).starts_with('0')) return 0;
  const char* const end = name.data() + name.size();
  int32_t layer = 0;
  const auto [last, error] = std::from_chars(name.data() + kDirection.size(), end, layer);
  return error == std::errc() && last == end && layer > 0 ? layer : 0;
}

}  // namespace

bool is_control_vector(const GgufFile& file) {
  const GgufValue* value = file.find("general.architecture");
  return value != nullptr && value->type == GgufType::kString && !value->is_array &&
         file.strings(*value)[0] == "controlvector";
}

Result<ControlVector> read_control_vector(const GgufFile& file, const SteeredModel& model) {
  if (model.architecture == "plamo2") return unfit(file, "llama.cpp steers no model of the architecture 'plamo2'");
  ControlVector vector;
  const auto width = static_cast<size_t>(model.width);
  vector.values.resize(width * static_cast<size_t>(std::max(model.layers - 1, 0)));
  std::ifstream in(to_path(file.path()), std::ios::binary);
  for (const GgufTensor& tensor : file.tensors()) {
    const std::string what = "tensor '" + tensor.name + "'";
    const int32_t layer = layer_of(tensor.name);
    if (layer == 0)
      return file.invalid(what + " is not a direction of a control vector (direction.1, direction.2, ...)");
    if (tensor.type->name != std::string_view("F32")) {
      return file.invalid(what + " is of type " + tensor.type->name + ", but directions must be of type F32");
    }
    if (layer >= model.layers) {
      return unfit(file, what + " is of a layer that it does not have: it has " + std::to_string(model.layers) +
                             ", counted from 0");
    }
    if (tensor.bytes != width * sizeof(float) || tensor.shape.size() != 1) {
      return unfit(file, what + " has " + std::to_string(tensor.bytes / sizeof(float)) +
                             " numbers, and its layers give " + std::to_string(model.width));
    }
    float* const out = vector.values.data() + static_cast<size_t>(layer - 1) * width;
    in.seekg(static_cast<std::streamoff>(tensor.offset));
    in.read(reinterpret_cast<char*>(out), static_cast<std::streamsize>(tensor.bytes));
    if (!in) return file.invalid(what + " could not be read");
    if (!std::all_of(out, out + width, [](float number) { return std::isfinite(number); })) {
      return file.invalid(what + " holds numbers that are not finite");
    }
    ++vector.directions;
  }
  if (vector.directions == 0) return file.invalid("the file steers no layer");
  return vector;
}

}  // namespace lh
