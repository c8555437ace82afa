// A random conversation, and edits of it: the guarded program of a template (llama/jinja) renders each as llama.cpp's
// nodes do, while it remembers the renderings before.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "fuzz/fuzz.h"
#include "jinja/caps.h"
#include "jinja/lexer.h"
#include "jinja/parser.h"
#include "llama/jinja/make_templates.h"
#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/variables.h"
#include "llama/jinja/once.h"

namespace lh::fuzz {
namespace {

struct Program {
  std::string source;
  jinja::program plain;
  common_chat_template guarded;
};

std::vector<Program> all_programs() {
  std::vector<Program> programs;
  for (const auto& file : std::filesystem::directory_iterator(LH_FUZZ_TEMPLATES)) {
    if (file.path().extension() != ".jinja") continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const TemplateBudget budget({.steps = 1'000'000'000, .bytes = 1UL << 30});
    common_chat_template guarded = make_chat_template(source, "<s>", "</s>", chat_template_caps());
    render_once(guarded.prog, guarded.src);
    jinja::lexer lexer;
    const jinja::lexer_result lexed = lexer.tokenize(source);
    programs.push_back({guarded.src, jinja::parse_from_tokens(lexed), std::move(guarded)});
  }
  return programs;
}

// Short texts; templates look for some of them.
std::string text(Bytes& bytes) {
  static const std::vector<std::string> known = {
      "", " a ", "\n", "<think>", "</think>", "thought</think>\n\nsaid", "<tool_response>x", "{\"a\": 1}", "/no_think"};
  const uint8_t which = bytes.next();
  return which < 200 ? known[which % known.size()] : std::string(1 + which % 7, static_cast<char>('a' + which % 26));
}

common_json message(Bytes& bytes) {
  static const std::vector<std::string> roles = {"user", "assistant", "assistant", "tool", "tool", "system"};
  common_json made = common_json::object();
  const std::string role = roles[bytes.next() % roles.size()];
  made["role"] = role;
  made["content"] = text(bytes);
  const uint8_t parts = bytes.next();
  if (role == "tool") {
    made["tool_call_id"] = std::string("call0000") + static_cast<char>('0' + parts % 10);
    made["name"] = std::string("look");
  }
  if (role != "assistant") return made;
  if ((parts & 1) != 0) made["reasoning_content"] = text(bytes);
  common_json calls = common_json::array();
  for (int i = 0; i < (parts >> 1 & 3) - 1; ++i) {
    common_json arguments = common_json::object();
    arguments["name"] = text(bytes);
    arguments["limit"] = static_cast<int64_t>(bytes.next());
    common_json function = common_json::object();
    function["name"] = std::string("look");
    function["arguments"] = std::move(arguments);
    common_json call = common_json::object();
    call["type"] = std::string("function");
    call["id"] = std::string("call0000") + static_cast<char>('0' + i);
    call["function"] = std::move(function);
    calls.push_back(std::move(call));
  }
  if (calls.size() > 0) made["tool_calls"] = std::move(calls);
  return made;
}

common_json variables(const std::vector<common_json>& messages, uint8_t options) {
  common_json list = common_json::array();
  for (const common_json& one : messages) list.push_back(one);
  common_json all = common_json::object();
  all["messages"] = std::move(list);
  all["bos_token"] = std::string("<s>");
  all["eos_token"] = std::string("</s>");
  all["enable_thinking"] = (options & 1) != 0;
  if ((options & 2) != 0) {
    all["tools"] = common_json::parse(
        R"([{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object",)"
        R"("properties":{"name":{"type":"string","description":"What"},"limit":{"type":"integer"}},)"
        R"("required":["name"]}}}])");
  }
  if ((options & 4) != 0) all["add_generation_prompt"] = true;
  return all;
}

// The text; none if the template fails.
std::optional<std::string> render(const jinja::program& program, const std::string& source, const common_json& given) {
  jinja::context context(source);
  jinja::global_from_json(context, given, true);
  try {
    jinja::runtime runtime(context);
    return jinja::runtime::gather_string_parts(runtime.execute(program))->as_string().str();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Without and with the generation prompt; none if a rendering fails.
std::optional<std::vector<std::string>> render_without_and_with(const Program& program, const common_json& given) {
  jinja::context context(program.source);
  jinja::global_from_json(context, given, true);
  try {
    PromptTexts texts = render_both(program.guarded.prog, program.source, variables_of(context)->val_obj);
    return std::vector{std::move(texts.without), std::move(texts.with)};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<std::vector<std::string>> plain_without_and_with(const Program& program, common_json given) {
  std::optional<std::string> without = render(program.plain, program.source, given);
  given["add_generation_prompt"] = true;
  std::optional<std::string> with = render(program.plain, program.source, given);
  if (!without || !with) return std::nullopt;
  return std::vector{*std::move(without), *std::move(with)};
}

}  // namespace

void fuzz_rendering(std::string_view input) {
  static const std::vector<Program> programs = all_programs();
  Bytes bytes(input);
  const Program& program = programs[bytes.next() % programs.size()];
  std::vector<common_json> messages;
  const Renderings remembered;
  for (int turn = 0; turn < 6 && !bytes.rest().empty(); ++turn) {
    const uint8_t edit = bytes.next();
    if (edit < 32 && !messages.empty()) messages[edit % messages.size()] = message(bytes);
    if (edit >= 240 && !messages.empty()) messages.erase(messages.begin() + edit % static_cast<int>(messages.size()));
    for (int added = 0; added < 1 + edit % 4; ++added) messages.push_back(message(bytes));
    const uint8_t options = bytes.next();
    for (const uint8_t with : {0, 4, 0}) {
      const common_json given = variables(messages, static_cast<uint8_t>((options & 3) | with));
      const TemplateBudget budget({.steps = 1'000'000'000, .bytes = 1UL << 30});
      require(render(program.guarded.prog, program.source, given) == render(program.plain, program.source, given),
              "a guarded program renders as llama.cpp's own");
    }
    const TemplateBudget budget({.steps = 1'000'000'000, .bytes = 1UL << 30});
    const common_json given = variables(messages, options & 3);
    require(render_without_and_with(program, given) == plain_without_and_with(program, given),
            "a program rendered in both ways at once prints what llama.cpp's own prints in each");
  }
}

}  // namespace lh::fuzz
