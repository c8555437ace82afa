// Carries out requests on models with llama.cpp in this process.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "base/threads/handles.h"
#include "isolation/host/request.h"
#include "isolation/wire/channel.h"
#include "model/model_runtime.h"

namespace lh {

class ModelHost {
 public:
  explicit ModelHost(Channel& channel) : channel_(channel) {}
  ModelHost(const ModelHost&) = delete;
  ModelHost& operator=(const ModelHost&) = delete;

  // Sends the reply, and the frames of a stream after it. Any thread.
  void carry_out(Request& request);
  // The state of the models, for kPong.
  [[nodiscard]] Json state() const;

 private:
  // A loaded model. Its generator's end tells the promise.
  struct Model {
    std::shared_ptr<Generator> generator;
    std::shared_ptr<std::promise<void>> freed;
  };
  using Operation = Reply (ModelHost::*)(Request&);
  [[nodiscard]] static Operation operation_of(const std::string& name);
  [[nodiscard]] Reply reply_to(Request& request);

  // Each operation has a function of its name.
  Reply open_runtime(Request& request);
  Reply add_server(Request& request);
  Reply devices(Request& request);
  Reply info(Request& request);
  Reply open_files(Request& request);
  Reply close_files(Request& request);
  Reply estimate(Request& request);
  Reply measure(Request& request);
  Reply measure_context(Request& request);
  Reply describe_measured(Request& request);
  Reply close_measured(Request& request);
  Reply embedding_memory(Request& request);
  Reply load(Request& request);
  Reply free_model(Request& request);
  Reply prepare(Request& request);
  Reply free_prompt(Request& request);
  Reply prompt_text(Request& request);
  Reply parse(Request& request);
  Reply parse_calls(Request& request);
  Reply infill_text(Request& request);
  Reply check_tool(Request& request);
  Reply adapter_memory(Request& request);
  Reply load_adapter(Request& request);
  Reply unload_adapter(Request& request);
  Reply make_embeddings(Request& request);
  Reply publish(Request& request);
  Reply forget_part(Request& request);
  Reply tokenize(Request& request);
  Reply detokenize(Request& request);
  Reply drop_conversations(Request& request);
  Reply embedding_tokens(Request& request);
  Reply embed(Request& request);

  void stream(Request& request);
  void forward(Request& request, TokenStream& stream, EndOfStream& end);
  [[nodiscard]] std::shared_ptr<Generator> generator_of(const Request& request) const;
  [[nodiscard]] const ModelRuntime& runtime() const;

  Channel& channel_;
  std::shared_ptr<const ModelRuntime> runtime_;
  Handles<const ModelFiles> files_;
  Handles<MeasuredLoad> measured_;
  Handles<Model> models_;
  Handles<Prompt> prompts_;
  // Made for a model, which must not go before it.
  struct Part {
    std::shared_ptr<Generator> model;
    Publish publish;
  };
  Handles<Part> unpublished_;
};
static_assert(!std::is_copy_constructible_v<ModelHost>);

}  // namespace lh
