// What the layers above see of a loaded model: prompts in, tokens out. The llama.cpp implementation is in llama_*.
// Must not: know llama.cpp, or fire a hook.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "model/conversation.h"
#include "model/embedder.h"
#include "model/holding.h"
#include "model/sampling_params.h"

namespace lh {

// What the model has written, taken apart by the rules of its chat template.
struct ParsedOutput {
  std::string content;
  std::string reasoning;
  std::vector<ToolCall> tool_calls;
};

class OutputFormat {
 public:
  virtual ~OutputFormat() = default;
  // True when all output is content: no tools, no reasoning, so nothing needs parsing.
  [[nodiscard]] virtual bool plain() const = 0;
  // True when `text`, behind a text whose last part reaches to its end, can only make that part longer: no mark that
  // ends a part or begins another may lie in it.
  [[nodiscard]] virtual bool goes_on(std::string_view text) const = 0;
  // `partial`: the text may end anywhere. Fails when a complete text does not follow the format.
  [[nodiscard]] virtual Result<ParsedOutput> parse(std::string_view text, bool partial) const = 0;
  // Text that no model wrote: complete calls of declared tools are found in it and taken out; all else stays as it is,
  // as content, whatever the format would make of it.
  [[nodiscard]] virtual Result<ParsedOutput> parse_calls(std::string_view text) const {
    ParsedOutput output;
    output.content = std::string(text);
    return output;
  }
};

// A conversation made ready for one model. Immutable.
class Prompt {
 public:
  virtual ~Prompt() = default;
  [[nodiscard]] virtual const std::string& text() const = 0;
  [[nodiscard]] virtual const std::vector<int32_t>& tokens() const = 0;
  [[nodiscard]] virtual const OutputFormat& format() const = 0;
  [[nodiscard]] virtual const std::vector<std::string>& stops() const = 0;  // the template's own stop strings
};

// What a model is asked to fill: what belongs between prefix and suffix.
struct Infill {
  struct Extra {  // of another file of the same work
    std::string filename;
    std::string text;
  };
  std::string prefix;
  std::string suffix;
  std::vector<Extra> extra;
  bool suffix_first = false;  // the order of models that were trained so
  std::string middle;         // what stands in the gap already
};

struct PromptRequest {
  const Messages* messages = nullptr;  // null: `infill`, or `raw`, is the prompt
  const Tools* tools = nullptr;        // may be null
  std::string_view raw;
  const Infill* infill = nullptr;
  bool add_generation_prompt = true;
};

struct PromptProgress {
  int32_t processed = 0;  // prompt tokens in the KV cache, cached ones included
  int32_t total = 0;
  int32_t cached = 0;
};

// A token that the model might have chosen.
struct Candidate {
  int32_t token = 0;
  std::string bytes;   // may be a part of a character; of a control token its name
  double logprob = 0;  // natural logarithm
};
// The likeliest first; null: not asked for.
using Candidates = std::shared_ptr<const std::vector<Candidate>>;

[[nodiscard]] inline bool wants_logprobs(const SamplingParams& params) {
  return params.logprobs || params.top_logprobs > 0;
}

struct Token {
  int32_t id = 0;
  std::string bytes;   // may end inside a character
  double logprob = 0;  // natural logarithm; only if asked for
  Candidates top;
};

enum class StreamEnd { kStop, kLength, kCancelled, kError };

struct EndOfStream {
  StreamEnd reason = StreamEnd::kStop;
  Status status;  // of kError
};

// The tokens of one generation. One reader.
class TokenStream {
 public:
  using Item = std::variant<PromptProgress, Token, EndOfStream>;
  virtual ~TokenStream() = default;               // stops the generation
  [[nodiscard]] virtual Item next() = 0;          // waits; EndOfStream comes once, last
  virtual void stop() = 0;                        // the reader wants no more; an end follows
  [[nodiscard]] virtual Usage usage() const = 0;  // final after EndOfStream
};

enum class AdapterKind { kLora, kControlVector };

// A loaded adapter.
struct AdapterInfo {
  std::string id;
  std::string path;
  uint64_t file_bytes = 0;
  double scale = 1;  // its strength where none is given
  AdapterKind kind = AdapterKind::kLora;
  int32_t rank = 0;     // the largest of its changes; of a control vector 0
  int32_t tensors = 0;  // that it changes, or layers that it steers
  // It acts from the last place on where a prompt has these tokens (aLoRA); empty: everywhere.
  std::vector<int32_t> invocation_tokens;
  MemoryUse memory;
};

// One loaded model. Any thread.
class Generator {
 public:
  virtual ~Generator() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<Prompt>> prepare(const PromptRequest& request,
                                                                const SamplingParams& params) const = 0;
  // The prompt of an infill as text, with the tokens that say so written out. Errors: kUnsupportedByModel.
  [[nodiscard]] virtual Result<std::string> infill_text(const Infill& infill) const = 0;
  // Whether the model can be held to calls of the tool. Errors: kInvalidSchema.
  [[nodiscard]] virtual Status check_tool(const Tool& tool, bool strict) const = 0;
  // What an adapter would take, about. Errors: as load_adapter().
  [[nodiscard]] virtual Result<MemoryUse> adapter_memory(const std::string& path) const = 0;
  // Adapters that it can run with, once they are published: kAdapterInUse where the id has one by then. Errors:
  // kModelFileNotFound, kModelFileInvalid, kAdapterIncompatible, kInsufficientMemory; the message names the file and
  // what is wrong.
  [[nodiscard]] virtual Result<Publish> load_adapter(const std::string& id, const std::string& path, double scale) = 0;
  // Returns when the last stream that uses it has ended; from now on no other gets it. Errors: kNotFound.
  [[nodiscard]] virtual Status unload_adapter(const std::string& id) = 0;
  [[nodiscard]] virtual Result<AdapterInfo> adapter(const std::string& id) const = 0;  // Errors: kNotFound.
  [[nodiscard]] virtual std::vector<AdapterInfo> adapters() const = 0;
  // Runs with params.adapters; kNotFound when one is not loaded. `cancel` must outlive the stream. Of streams that wait
  // for a sequence the lowest `priority` is served first, of equals the one that came first.
  [[nodiscard]] virtual Result<std::unique_ptr<TokenStream>> start(const Prompt& prompt, const SamplingParams& params,
                                                                   CancelFlag& cancel, int32_t priority) = 0;
  [[nodiscard]] virtual std::vector<int32_t> tokenize(std::string_view text, bool add_special,
                                                      bool parse_special) const = 0;
  [[nodiscard]] virtual Result<std::string> detokenize(const std::vector<int32_t>& tokens, bool special) const = 0;
  [[nodiscard]] virtual int32_t context_size() const = 0;  // tokens a sequence may hold
  [[nodiscard]] virtual Embedder& embedder() = 0;
  [[nodiscard]] virtual Holding memory() const = 0;  // what it takes, for embeddings and adapters, too
  // At least so many bytes of conversations that wait in main memory, or all. Returns how many.
  virtual uint64_t drop_conversations(uint64_t bytes) = 0;
  [[nodiscard]] virtual Json describe() const = 0;  // the model's own part of lh_model_describe
};

}  // namespace lh
