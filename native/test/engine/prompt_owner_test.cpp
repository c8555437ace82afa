// A model accepts only prompts that it has made: those of another have tokens, a grammar and a parser that do not fit.
// Arguments: the folder of llama.cpp's libraries, a model.
#include <memory>
#include <string>
#include <string_view>

#include "base/threads/cancel.h"
#include "check.h"
#include "gguf/check.h"
#include "llama/base/runtime.h"
#include "llama/generator.h"

namespace {

std::unique_ptr<lh::Generator> load(const std::string& path) {
  auto file = lh::check_gguf(path, [](std::string_view) { return true; });
  if (!CHECK(file.ok())) return nullptr;
  lh::LoadParams params;
  params.context_size = 256;
  params.threads = 1;
  lh::WeightsTable table;
  auto generator = lh::load_generator(table, path, {*file, {}}, params, [](float) { return true; });
  return CHECK(generator.ok()) ? *std::move(generator) : nullptr;
}

std::unique_ptr<lh::Prompt> prepare(const lh::Generator& generator) {
  lh::PromptRequest request;
  request.raw = "Hello";
  auto prompt = generator.prepare(request, {});
  return CHECK(prompt.ok()) ? *std::move(prompt) : nullptr;
}

class Made final : public lh::Prompt {  // made by no model
 public:
  explicit Made(const lh::Prompt& like) : like_(like) {}
  const std::string& text() const override { return like_.text(); }
  int64_t length() const override { return like_.length(); }
  const lh::OutputFormat& format() const override { return like_.format(); }
  const std::vector<std::string>& stops() const override { return like_.stops(); }

 private:
  const lh::Prompt& like_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || !CHECK(lh::init_runtime({argv[1], ""}).ok())) return 1;
  auto one = load(argv[2]);
  const auto other = load(argv[2]);
  if (!one || !other) return 1;
  const auto own = prepare(*one);
  const auto foreign = prepare(*other);
  if (!own || !foreign) return 1;
  lh::CancelFlag cancel;
  CHECK(one->start(*own, {}, cancel, 0, {}).ok());
  CHECK(one->start(*foreign, {}, cancel, 0, {}).status().code() == lh::Code::kInvalidArgument);
  CHECK(one->start(Made(*own), {}, cancel, 0, {}).status().code() == lh::Code::kInvalidArgument);
  return check_result("prompt_owner_test");
}
