// Arbitrary text as a model's answer, in the formats of the templates that come with llama.cpp. The first byte chooses
// the format.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/text/utf8.h"
#include "fuzz/fuzz.h"
#include "generation/output/output_splitter.h"
#include "llama/output/output.h"
#include "llama/prompt/template.h"

namespace lh::fuzz {
namespace {

std::vector<std::string> template_sources() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(LH_FUZZ_TEMPLATES)) {
    if (entry.path().extension() == ".jinja") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<std::string> sources{""};  // the template of the bundled model
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    sources.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return sources;
}

std::unique_ptr<OutputFormat> format_of(const std::string& source) {
  const auto made = LlamaTemplate::create(vocabulary_model(), source);
  if (!made.ok()) return nullptr;
  common_chat_templates_inputs inputs;
  common_chat_msg user;
  user.role = "user";
  user.content = "Weather?";
  inputs.messages.push_back(user);
  inputs.tools.push_back({"weather", "Tells the weather.",
                          R"({"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}})"});
  inputs.tools.push_back({"stop", "Stops.", R"({"type":"object","properties":{}})"});
  inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
  const auto applied = (*made)->apply(inputs);
  return applied.ok() ? make_chat_format(*applied, inputs.tools) : nullptr;
}

const OutputFormat* format(size_t number) {
  static const std::vector<std::string> sources = template_sources();
  static std::vector<std::pair<bool, std::unique_ptr<OutputFormat>>> formats(sources.size());
  auto& [known, made] = formats[number % sources.size()];
  if (!known) made = format_of(sources[number % sources.size()]);
  known = true;
  return made.get();
}

}  // namespace

void fuzz_tool_calls(std::string_view input) {
  Bytes bytes(input);
  const OutputFormat* const read = format(bytes.next());
  if (read == nullptr) return;
  const size_t step = 1 + bytes.next() % 32;
  const std::string text = to_utf8(bytes.rest());
  static_cast<void>(read->parse(text, false));
  static_cast<void>(read->parse_calls(text));
  OutputSplitter splitter(*read, {});
  const auto look = [](const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) require(is_utf8(piece.text), "a piece is UTF-8");
  };
  for (size_t at = 0; at < text.size(); at += step) look(splitter.push(std::string_view(text).substr(at, step)));
  look(splitter.finish(true));
  require(splitter.text() == text, "the splitter keeps the text");
  for (const ToolCall& call : splitter.output().tool_calls) {
    require(call.args.is_object(), "a call's arguments are an object");
  }
}

}  // namespace lh::fuzz
