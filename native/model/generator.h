// The interface of a loaded model: prompts in, tokens or pieces of text out. Implemented with llama.cpp in llama/, and
// with functions of the caller in port/.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json/json.h"
#include "base/status.h"
#include "base/threads/cancel.h"
#include "model/conversation.h"
#include "model/embedder.h"
#include "model/memory_footprint.h"
#include "model/sampling_params.h"
#include "model/tool_choice.h"

namespace lh {

// The place at which an output left its format. The content includes the text that the format has no place for.
struct Unread {
  std::string format;
  size_t at = 0;     // bytes of the output before it
  std::string rest;  // of the output
};

// The parts of a model's output, by the rules of its chat template.
struct ParsedOutput {
  std::string content;
  std::string reasoning;
  std::vector<ToolCall> tool_calls;
  std::optional<Unread> unread = {};
};

class OutputFormat {
 public:
  virtual ~OutputFormat() = default;
  // True if all output is content, without tools and reasoning, so that nothing needs parsing.
  [[nodiscard]] virtual bool plain() const = 0;
  // The bytes that marks may begin with: what ends a part, or begins another.
  using Marks = std::bitset<256>;
  [[nodiscard]] virtual const Marks& marks() const = 0;
  // True if `text`, after a text whose last part reaches its end, can only continue that part. A space at its end may
  // belong to a mark: parsers trim it at the end of a part.
  [[nodiscard]] bool goes_on(std::string_view text) const {
    const auto begins_one = [&all = marks()](char c) { return all[static_cast<unsigned char>(c)]; };
    return !text.empty() && text.back() != ' ' && std::ranges::none_of(text, begins_one);
  }
  // True for success, and for a failure because the text does not follow the format. Other failures do not depend on
  // the text, which must not count as a text without calls.
  [[nodiscard]] static bool is_of_text(const Status& status) {
    return status.ok() || status.code() == Code::kDecodeFailed || status.code() == Code::kOutputTooDeep;
  }
  // `partial`: the text may end anywhere. Fails if a complete text does not follow the format.
  [[nodiscard]] virtual Result<ParsedOutput> parse(std::string_view text, bool partial) const = 0;
  // True if the text is the incomplete beginning of a mark: it may become one, and is text if it ends here.
  [[nodiscard]] virtual bool begins_mark(std::string_view /*text*/) const { return false; }
  // Parses text that no model wrote: complete calls of declared tools are extracted; everything else stays unchanged as
  // content, even if the format would read it otherwise.
  [[nodiscard]] virtual Result<ParsedOutput> parse_calls(std::string_view text) const {
    ParsedOutput output;
    output.content = std::string(text);
    return output;
  }
};

// A conversation prepared for one model. Immutable.
class Prompt {
 public:
  virtual ~Prompt() = default;
  [[nodiscard]] virtual const std::string& text() const = 0;
  // The number of tokens; of a prompt that is far too long, a number that it has at least. 0 if only its text was asked
  // for.
  [[nodiscard]] virtual int64_t length() const = 0;
  // The answer comes in TypedPieces, and `format` has no part in reading it.
  [[nodiscard]] virtual bool is_typed() const { return false; }
  [[nodiscard]] virtual const OutputFormat& format() const = 0;
  [[nodiscard]] virtual bool one_call() const { return false; }             // the answer has one tool call at most
  [[nodiscard]] virtual const std::vector<std::string>& stops() const = 0;  // stop strings of the template
};

// A gap for the model to fill, between prefix and suffix.
struct Infill {
  struct Extra {  // of another file of the same work
    std::string filename;
    std::string text;
  };
  std::string prefix;
  std::string suffix;
  std::vector<Extra> extra;
  bool suffix_first = false;  // for models trained with that order
  std::string middle;         // text that is already in the gap
};

struct PromptRequest {
  const Messages* messages = nullptr;  // null: `infill`, or `raw`, is the prompt
  const Tools* tools = nullptr;        // may be null
  std::string_view raw;
  const Infill* infill = nullptr;
  bool add_generation_prompt = true;
  bool continue_final_message = false;  // the prompt ends with the text of the last message, an assistant's
  bool only_text = false;               // the prompt gets no tokens
  const CancelFlag* cancel = nullptr;   // may be null
};

// kInvalidArgument if the choice requires a call, or a call of the tool that it names, and the request has no such
// tool.
[[nodiscard]] Status check_tool_choice(const PromptRequest& request, const ToolChoice& choice);

// The work that a generation is for.
struct CallOrigin {
  std::string_view run_id;
  std::string_view session_id;    // empty: no session's
  std::string_view conversation;  // whose beginning the prompt repeats; empty: none's
  std::string_view tier;          // empty: the lead, or no session
};

struct PromptProgress {
  int32_t processed = 0;  // prompt tokens now in the KV cache, including those that were cached before
  int32_t total = 0;
  int32_t cached = 0;
};

// A token that the model might have chosen.
struct Candidate {
  int32_t token = 0;
  std::string bytes;   // maybe a part of a character; for a control token its name
  double logprob = 0;  // natural logarithm
};
// The most likely first; null: not requested.
using Candidates = std::shared_ptr<const std::vector<Candidate>>;

[[nodiscard]] inline bool wants_logprobs(const SamplingParams& params) {
  return params.logprobs || params.top_logprobs > 0;
}

struct Token {
  int32_t id = 0;
  std::string bytes;   // may end inside a character
  double logprob = 0;  // natural logarithm; only if requested
  Candidates top;
};

enum class PieceKind { kContent, kReasoning, kToolCall };

// A piece of an answer whose parts are known: of a model that computes elsewhere.
struct TypedPiece {
  PieceKind kind = PieceKind::kContent;
  std::string text;       // UTF-8; of a tool call: a piece of the JSON of its arguments
  int32_t call = 0;       // of a tool call: its number in the answer
  std::string call_id;    // of a tool call, in one of its pieces; empty: the engine gives one
  std::string call_name;  // of a tool call, in its first piece
  int32_t tokens = 1;
  std::vector<Token> rated;  // the tokens with their probabilities; empty: not requested, or not known
};

enum class StreamEnd { kStop, kLength, kCancelled, kError };

struct EndOfStream {
  StreamEnd reason = StreamEnd::kStop;
  Status status;  // of kError
};

// One generation: tokens, or pieces if the prompt is typed. One reader.
class TokenStream {
 public:
  using Item = std::variant<PromptProgress, Token, TypedPiece, EndOfStream>;
  virtual ~TokenStream() = default;                           // stops the generation
  [[nodiscard]] virtual Item next() = 0;                      // waits; EndOfStream comes once, last
  [[nodiscard]] virtual bool ready() const { return false; }  // true: next() would not wait
  virtual void stop() = 0;                                    // the reader wants no more; an end follows
  [[nodiscard]] virtual Usage usage() const = 0;              // final after EndOfStream
  // The report of a model's server on a valid answer, if the report is not believed, and the reason; empty: none.
  // Called after the end.
  [[nodiscard]] virtual std::string doubt() const { return {}; }
};

enum class AdapterKind { kLora, kControlVector };

// A loaded adapter.
struct AdapterInfo {
  std::string id;
  std::string path;
  uint64_t file_bytes = 0;
  double scale = 1;  // the default strength
  AdapterKind kind = AdapterKind::kLora;
  int32_t rank = 0;     // the largest rank of its changes; 0 for a control vector
  int32_t tensors = 0;  // tensors that it changes, or layers that it steers
  // It acts from the last occurrence of these tokens in a prompt on (aLoRA); empty: everywhere.
  std::vector<int32_t> invocation_tokens;
  MemoryUse memory;
};

// One loaded model. Any thread.
class Generator {
 public:
  virtual ~Generator() = default;
  // Errors of a cancel: kCancelled, kClosed.
  [[nodiscard]] virtual Result<std::unique_ptr<Prompt>> prepare(const PromptRequest& request,
                                                                const SamplingParams& params) const = 0;
  // The prompt of an infill as text, with the infill tokens written out. Errors: kUnsupportedByModel.
  [[nodiscard]] virtual Result<std::string> infill_text(const Infill& infill) const = 0;
  // Checks that the model's output can be constrained to calls of the tool. Errors: kInvalidSchema.
  [[nodiscard]] virtual Status check_tool(const Tool& tool, bool strict) const = 0;
  // An estimate of the memory that an adapter takes. Errors: as load_adapter().
  [[nodiscard]] virtual Result<MemoryUse> adapter_memory(const std::string& path) const = 0;
  // Loads an adapter, which can be used once it is published: kAdapterInUse if the id is then already taken. Errors:
  // kModelFileNotFound, kModelFileInvalid, kAdapterIncompatible, kInsufficientMemory; the message has the file and the
  // mistake.
  [[nodiscard]] virtual Result<Publish> load_adapter(const std::string& id, const std::string& path, double scale) = 0;
  // Returns when the last stream that uses the adapter has ended; new streams cannot use it. Errors: kNotFound.
  [[nodiscard]] virtual Status unload_adapter(const std::string& id) = 0;
  [[nodiscard]] virtual Result<AdapterInfo> adapter(const std::string& id) const = 0;  // Errors: kNotFound.
  [[nodiscard]] virtual std::vector<AdapterInfo> adapters() const = 0;
  // Starts a generation with params.adapters; kNotFound if one is not loaded. `cancel` must outlive the stream. Streams
  // wait for a sequence by `priority`, the lowest first, then in order of arrival.
  [[nodiscard]] virtual Result<std::unique_ptr<TokenStream>> start(const Prompt& prompt, const SamplingParams& params,
                                                                   CancelFlag& cancel, int32_t priority,
                                                                   const CallOrigin& origin) = 0;
  // Errors: those of `cancel`, which may be null.
  [[nodiscard]] virtual Result<std::vector<int32_t>> tokenize(std::string_view text, bool add_special,
                                                              bool parse_special, const CancelFlag* cancel) const = 0;
  // The number of tokens of a text; 0 if it is cancelled.
  [[nodiscard]] virtual int64_t count(std::string_view text, const CancelFlag* cancel) const = 0;
  // True: count() and the lengths of prompts are estimates.
  [[nodiscard]] virtual bool estimates() const { return false; }
  [[nodiscard]] virtual Result<std::string> detokenize(const std::vector<int32_t>& tokens, bool special) const = 0;
  [[nodiscard]] virtual int32_t context_size() const = 0;  // tokens per sequence
  [[nodiscard]] virtual Embedder& embedder() = 0;
  [[nodiscard]] virtual MemoryFootprint memory() const = 0;  // including embeddings and adapters
  // The id of the model that answers if this one cannot be reached; empty: none.
  [[nodiscard]] virtual std::string fallback() const { return {}; }
  // After kEngineCrashed. True: its process died by itself, and a call that had received nothing may be sent once more.
  [[nodiscard]] virtual bool may_send_again() const { return false; }
  // True while an abandoned step is still running: freeing the model would wait for it, and it may be stuck.
  [[nodiscard]] virtual bool held_up() const = 0;
  // The milliseconds that the step under way has taken; 0: none is under way.
  [[nodiscard]] virtual int64_t step_ms() const { return 0; }
  // Drops at least `bytes` bytes of conversations that wait in main memory, or all. Returns the dropped bytes.
  virtual uint64_t drop_conversations(uint64_t bytes) = 0;
  [[nodiscard]] virtual Json describe() const = 0;  // the part of the model in lh_model_describe
  // The names of the message features so far that its chat template has no form for, and that prepare() wrote in
  // another form.
  [[nodiscard]] virtual std::vector<std::string> folds() const { return {}; }
};

}  // namespace lh
