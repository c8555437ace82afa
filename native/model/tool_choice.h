// The tools that the model may or must call: the sampling parameter `tool_choice`.
#pragma once

#include <string>

#include "base/json/object_reader.h"

namespace lh {

struct ToolChoice {
  enum class Kind { kAuto, kNone, kRequired, kTool };

  Kind kind = Kind::kAuto;
  std::string tool;  // for kTool: the name of the only tool that may be called

  static ToolChoice none() { return {Kind::kNone, {}}; }

  [[nodiscard]] bool may_call() const { return kind != Kind::kNone; }
  [[nodiscard]] bool must_call() const { return kind == Kind::kRequired || kind == Kind::kTool; }
};

void read_tool_choice(ObjectReader& reader, const char* key, ToolChoice& out);
Json to_json(const ToolChoice& choice);

}  // namespace lh
