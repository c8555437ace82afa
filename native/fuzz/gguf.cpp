// A model file by a description (gguf_recipe.h; with "complete": true, see gguf_complete.h): the checks, then
// llama.cpp's load of what passes, then a few tokens and an embedding.
#include <cstdio>
#include <cstdlib>

#include "fuzz/fuzz.h"
#include "fuzz/gguf_complete.h"
#include "fuzz/gguf_recipe.h"

namespace lh::fuzz {
namespace {

lh_status call(lh_status (*function)(lh_engine*, const char*, const lh_task_callbacks*, lh_task**, char**),
               const char* request) {
  lh_status status = -1;
  lh_task* task = nullptr;
  const lh_task_callbacks callbacks = callbacks_into(status);
  const lh_status begun = function(bare_engine(), request, &callbacks, &task, nullptr);
  if (begun != LH_OK) return begun;
  wait_or_cancel(task);
  return status;
}

// Whole batches and single tokens, more than one sequence, and what only embeddings compute.
void use_model() {
  char* out = nullptr;
  static_cast<void>(lh_tokenize(bare_engine(), "g", R"({"text": "Hello, W\u00f6rld <s>\n 12", "add_special": true,
                                                        "parse_special": true})",
                                &out, nullptr));
  lh_free(out);
  out = nullptr;
  static_cast<void>(lh_detokenize(bare_engine(), "g", R"({"tokens": [0, 1, 2, 3, 100]})", &out, nullptr));
  lh_free(out);
  static_cast<void>(call(lh_generate, R"({"prompt": "Hello 12", "params": {"max_tokens": 3, "temperature": 0}})"));
  static_cast<void>(
      call(lh_generate, R"({"messages": [{"role": "user", "content": "Hi"}], "params": {"max_tokens": 2}})"));
  static_cast<void>(call(lh_embed, R"({"texts": ["Hello", "World 12"]})"));
  static_cast<void>(call(lh_rerank, R"({"query": "a", "documents": ["b"]})"));
}

// Prints progress if LH_FUZZ_TELL is set, for repeating an input.
void tell(const char* what) {
  if (std::getenv("LH_FUZZ_TELL") != nullptr) std::fprintf(stderr, "gguf: %s\n", what);
}

}  // namespace

void fuzz_gguf(std::string_view input) {
  Result<Json> recipe = parse_json(input, "recipe");
  if (!recipe.ok() || !recipe->is_object()) return;
  if (recipe->value("complete", Json(false)) == true && !complete(*recipe)) return tell("not completed");
  const std::string path = file_with(write_gguf(*recipe));
  const std::string options = R"({"path": ")" + path +
                              R"(", "context_size": 64, "parallel": 2, "batch_size": 32, "threads": 1, "mmap": )" +
                              (input.size() % 2 == 0 ? "true}" : "false}");
  lh_status status = -1;
  lh_task* task = nullptr;
  const lh_task_callbacks callbacks = callbacks_into(status);
  if (lh_model_load(bare_engine(), "g", options.c_str(), &callbacks, &task, nullptr) != LH_OK) return;
  wait_or_cancel(task);
  require(status != LH_ERR_INTERNAL, "no file is a defect of the library");
  if (status != LH_OK) return tell(lh_status_name(status));
  tell("loaded");
  use_model();
  if (lh_model_unload(bare_engine(), "g", nullptr, &callbacks, &task, nullptr) == LH_OK) wait_or_cancel(task);
}

}  // namespace lh::fuzz
