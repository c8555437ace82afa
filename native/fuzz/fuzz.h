// Shared by the fuzz targets: their list, a vocabulary, an engine, and checks that end the process.
// A target gets arbitrary bytes. It fails by a signal, a sanitizer's report, a failed require(), or by taking too long.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "llama.h"
#include "llama_hooks/engine.h"

namespace lh::fuzz {

void fuzz_grammar(std::string_view input);
void fuzz_gguf(std::string_view input);
void fuzz_gguf_header(std::string_view input);
void fuzz_hooks(std::string_view input);
void fuzz_permissions(std::string_view input);
void fuzz_rendering(std::string_view input);
void fuzz_request(std::string_view input);
void fuzz_schema(std::string_view input);
void fuzz_session_file(std::string_view input);
void fuzz_template(std::string_view input);
void fuzz_tool_calls(std::string_view input);
void fuzz_utf8(std::string_view input);

// Ends the process with a message unless `holds`: the input breaks a promise of the code.
void require(bool holds, const char* what);

// The bundled model without its weights, for what needs a model's vocabulary.
const llama_model* vocabulary_model();
inline const llama_vocab* vocabulary() { return llama_model_get_vocab(vocabulary_model()); }

// An engine with little memory to give, without models.
lh_engine* bare_engine();
// An engine with the bundled model as "m", and a context of a few hundred tokens.
lh_engine* engine_with_model();

// A file of this process in memory, with that content.
const std::string& file_with(std::string_view content);

// Takes bytes from the front of an input, for decisions.
class Bytes {
 public:
  explicit Bytes(std::string_view input) : rest_(input) {}
  uint8_t next() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  std::string_view take(size_t most) {
    const std::string_view taken = rest_.substr(0, most);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Waits for the task, and cancels it after some seconds: work may be long, but it must end after a cancel.
void wait_or_cancel(lh_task* task);

// Callbacks that need no user data; `status` gets the end.
lh_task_callbacks callbacks_into(lh_status& status);

// Changes one thing in a JSON text: a value, a name, a place. Falls back to the changes of libFuzzer.
size_t mutate_json(uint8_t* data, size_t size, size_t max_size, unsigned seed);

}  // namespace lh::fuzz
