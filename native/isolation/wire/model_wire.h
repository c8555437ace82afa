// The types of a model's interface as frames carry them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "model/generator.h"
#include "model/memory_footprint.h"
#include "model/model_runtime.h"

namespace lh {

// {"status": number, "message"}; of success only {"status": 0}.
[[nodiscard]] Json status_to_wire(const Status& status);
[[nodiscard]] Status status_from_wire(const Json& json);

[[nodiscard]] Json use_to_wire(const MemoryUse& use);
[[nodiscard]] MemoryUse use_from_wire(const Json& json);
[[nodiscard]] Json footprint_to_wire(const MemoryFootprint& footprint);
[[nodiscard]] MemoryFootprint footprint_from_wire(const Json& json);

[[nodiscard]] Json devices_to_wire(const std::vector<Device>& devices);
[[nodiscard]] std::vector<Device> devices_from_wire(const Json& json);

[[nodiscard]] Json params_to_wire(const SamplingParams& params);
[[nodiscard]] SamplingParams params_from_wire(const Json& json);
[[nodiscard]] LoadParams load_params_from_wire(const Json& json);

[[nodiscard]] Json adapter_to_wire(const AdapterInfo& adapter);
[[nodiscard]] AdapterInfo adapter_from_wire(const Json& json);

// The parts of a prompt's request, but for its cancel flag.
[[nodiscard]] Json prompt_to_wire(const PromptRequest& request);
// A request, and the objects that it points to.
struct PromptParts {
  Messages messages;
  Tools tools;
  std::string raw;
  Infill infill;
  PromptRequest request;
};
void prompt_from_wire(const Json& json, PromptParts& out);
[[nodiscard]] Json infill_to_wire(const Infill& infill);
[[nodiscard]] Infill infill_from_wire(const Json& json);
[[nodiscard]] Json tool_to_wire(const Tool& tool);
[[nodiscard]] Tool tool_from_wire(const Json& json);

[[nodiscard]] Json output_to_wire(const ParsedOutput& output);
[[nodiscard]] ParsedOutput output_from_wire(const Json& json);

// Numbers as bytes, for lists that may be long.
template <typename T>
[[nodiscard]] std::string_view bytes_of_list(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}
template <typename T>
[[nodiscard]] std::vector<T> list_of(std::string_view bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
  return list;
}

// Tokens as bytes: their bytes may end inside a character, and there are many.
void pack_token(const Token& token, std::string& out);
// Takes the first token off `bytes`. False: there is none.
bool unpack_token(std::string_view& bytes, Token& token);

}  // namespace lh
