#include "isolation/host/model_host.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "base/text/names.h"
#include "base/threads/caught_here.h"
#include "isolation/wire/model_wire.h"
#include "llama/base/rpc.h"
#include "llama/llama_runtime.h"

namespace lh {
namespace {

Reply reply_of(const Status& status) { return {status_to_wire(status), {}}; }

// The members of a reply to a request that went well.
Reply reply_with(Json json) {
  json["status"] = 0;
  return {std::move(json), {}};
}

Json result_to_wire(const Result<PoolingType>& pooling) {
  Json json = status_to_wire(pooling.status());
  if (pooling.ok()) json["pooling"] = static_cast<int>(*pooling);
  return json;
}

constexpr int kPoolings = 5;

Json embedder_to_wire(const Embedder& embedder) {
  Json poolings = Json::array({result_to_wire(embedder.pooling(std::nullopt))});
  Json made = Json::array();
  for (int one = 0; one < kPoolings; ++one) {
    poolings.push_back(result_to_wire(embedder.pooling(static_cast<PoolingType>(one))));
    if (embedder.has(static_cast<PoolingType>(one))) made.push_back(one);
  }
  return {{"poolings", std::move(poolings)},
          {"made", std::move(made)},
          {"ranks", status_to_wire(embedder.check_ranks())},
          {"max_tokens", embedder.max_tokens()},
          {"dimensions", embedder.dimensions()},
          {"probabilities", embedder.scores_are_probabilities()},
          {"rough_bytes", embedder.rough_bytes()},
          {"description", embedder.describe()}};
}

std::optional<PoolingType> pooling_of(const Json& json) {
  return static_cast<PoolingType>(json.at("pooling").get<int>());
}

}  // namespace

ModelHost::Operation ModelHost::operation_of(const std::string& name) {
  static const std::map<std::string, Operation> all = {
      {"runtime", &ModelHost::open_runtime},
      {"add_rpc_server", &ModelHost::add_server},
      {"devices", &ModelHost::devices},
      {"info", &ModelHost::info},
      {"open_files", &ModelHost::open_files},
      {"close_files", &ModelHost::close_files},
      {"estimate", &ModelHost::estimate},
      {"measure", &ModelHost::measure},
      {"measure_context", &ModelHost::measure_context},
      {"describe_measured", &ModelHost::describe_measured},
      {"close_measured", &ModelHost::close_measured},
      {"embedding_memory", &ModelHost::embedding_memory},
      {"load", &ModelHost::load},
      {"free_model", &ModelHost::free_model},
      {"prepare", &ModelHost::prepare},
      {"free_prompt", &ModelHost::free_prompt},
      {"prompt_text", &ModelHost::prompt_text},
      {"parse", &ModelHost::parse},
      {"parse_calls", &ModelHost::parse_calls},
      {"infill_text", &ModelHost::infill_text},
      {"check_tool", &ModelHost::check_tool},
      {"adapter_memory", &ModelHost::adapter_memory},
      {"load_adapter", &ModelHost::load_adapter},
      {"unload_adapter", &ModelHost::unload_adapter},
      {"make_embeddings", &ModelHost::make_embeddings},
      {"publish", &ModelHost::publish},
      {"forget_part", &ModelHost::forget_part},
      {"tokenize", &ModelHost::tokenize},
      {"detokenize", &ModelHost::detokenize},
      {"drop_conversations", &ModelHost::drop_conversations},
      {"embedding_tokens", &ModelHost::embedding_tokens},
      {"embed", &ModelHost::embed},
  };
  return all.at(name);
}

Reply ModelHost::reply_to(Request& request) {
  try {
    const CancelScope scope(request.cancel);
    return (this->*operation_of(request.json.at("op")))(request);
  } catch (const std::exception&) {
    return reply_of(caught());
  }
}

void ModelHost::carry_out(Request& request) {
  const CaughtHere caught_here;
  try {
    if (request.json.value("op", "") == "start") return stream(request);
    const Reply reply = reply_to(request);
    channel_.send(FrameKind::kReply, request.id, dump_json(reply.json), reply.bytes);
  } catch (const std::exception&) {  // without memory for the answer
    channel_.send(FrameKind::kReply, request.id, dump_json(status_to_wire(caught())));
  }
}

Json ModelHost::state() const {
  Json models = Json::array();
  for (const auto& [handle, model] : models_.all()) {
    const Generator& one = *model->generator;
    models.push_back(Json::array({handle, one.held_up(), one.memory().conversations, one.step_ms()}));
  }
  return models;
}

const ModelRuntime& ModelHost::runtime() const {
  if (runtime_ == nullptr) throw std::logic_error("the runtime is not open");
  return *runtime_;
}

std::shared_ptr<Generator> ModelHost::generator_of(const Request& request) const {
  return models_.get(request.json.at("model"))->generator;
}

// The first request, before any other.
Reply ModelHost::open_runtime(Request& request) {
  set_names(request.json.at("typescript") ? Names::kTypeScript : Names::kC);
  auto made = make_llama_runtime({request.json.at("libraries"), request.json.at("gpu_module")});
  if (!made.ok()) return reply_of(made.status());
  runtime_ = *std::move(made);
  return reply_with({{"devices", devices_to_wire(runtime().devices())}, {"info", runtime().info()}});
}

Reply ModelHost::add_server(Request& request) {
  return reply_of(add_rpc_server(request.json.at("module"), request.json.at("server")));
}

Reply ModelHost::devices(Request&) { return reply_with({{"devices", devices_to_wire(runtime().devices())}}); }

Reply ModelHost::info(Request&) { return reply_with({{"info", runtime().info()}}); }

Reply ModelHost::open_files(Request& request) {
  auto files = runtime().open(request.json.at("path"), load_params_from_wire(request.json.at("params")));
  if (!files.ok()) return reply_of(files.status());
  const FileFacts& facts = (*files)->facts();
  Json json = {{"file_bytes", facts.file_bytes},
               {"layers", facts.layers},
               {"training_context", facts.training_context},
               {"identity", facts.identity}};
  json["files"] = files_.add(*std::move(files));
  return reply_with(std::move(json));
}

Reply ModelHost::close_files(Request& request) {
  files_.take(request.json.at("files"));
  return {};
}

Reply ModelHost::estimate(Request& request) {
  const auto files = files_.get(request.json.at("files"));
  const MemoryFootprint need = files->estimate(load_params_from_wire(request.json.at("params")));
  return reply_with({{"footprint", footprint_to_wire(need)}});
}

Reply ModelHost::measure(Request& request) {
  const auto files = files_.get(request.json.at("files"));
  auto measured = files->measure(load_params_from_wire(request.json.at("params")));
  if (!measured.ok()) return reply_of(measured.status());
  return reply_with({{"measured", measured_.add(*std::move(measured))}});
}

Reply ModelHost::measure_context(Request& request) {
  const auto use = measured_.get(request.json.at("measured"))->with_context(request.json.at("context_size"));
  if (!use.ok()) return reply_of(use.status());
  return reply_with({{"footprint", footprint_to_wire(*use)}});
}

Reply ModelHost::describe_measured(Request& request) {
  auto told = measured_.get(request.json.at("measured"))->describe(request.json.at("context_size"));
  if (!told.ok()) return reply_of(told.status());
  return reply_with({{"description", *std::move(told)}});
}

Reply ModelHost::close_measured(Request& request) {
  measured_.take(request.json.at("measured"));
  return {};
}

Reply ModelHost::embedding_memory(Request& request) {
  const auto use = runtime().embedding_memory(request.json.at("path"), load_params_from_wire(request.json.at("params")),
                                              *pooling_of(request.json));
  if (!use.ok()) return reply_of(use.status());
  return reply_with({{"memory", use_to_wire(*use)}});
}

Reply ModelHost::load(Request& request) {
  const auto files = files_.get(request.json.at("files"));
  auto loaded = files->load(load_params_from_wire(request.json.at("params")), [&](float fraction) {
    channel_.send(FrameKind::kFraction, request.id, {}, bytes_of(fraction));
    return !request.cancel.cancelled();
  });
  if (!loaded.ok()) return reply_of(loaded.status());
  auto model = std::make_shared<Model>();
  model->freed = std::make_shared<std::promise<void>>();
  model->generator = std::shared_ptr<Generator>(loaded->release(), [freed = model->freed](Generator* one) {
    delete one;
    freed->set_value();
  });
  const Generator& generator = *model->generator;
  Json json = {{"context_size", generator.context_size()},
               {"description", generator.describe()},
               {"footprint", footprint_to_wire(generator.memory())},
               {"embedder", embedder_to_wire(model->generator->embedder())}};
  json["model"] = models_.add(std::move(model));
  return reply_with(std::move(json));
}

// Answers when the model's memory is free.
Reply ModelHost::free_model(Request& request) {
  std::shared_ptr<Model> model = models_.take(request.json.at("model"));
  if (model == nullptr) return {};
  std::future<void> freed = model->freed->get_future();
  model.reset();
  freed.wait();
  return {};
}

Reply ModelHost::prepare(Request& request) {
  PromptParts parts;
  prompt_from_wire(request.json.at("prompt"), parts);
  parts.request.cancel = &request.cancel;
  const auto generator = generator_of(request);
  auto prompt = generator->prepare(parts.request, params_from_wire(request.json.at("params")));
  if (!prompt.ok()) return reply_of(prompt.status());
  const Prompt& made = **prompt;
  Json json = {{"length", made.length()}, {"one_call", made.one_call()}, {"stops", made.stops()}};
  json["plain"] = made.format().plain();
  json["folds"] = generator->folds();
  Reply reply = reply_with(std::move(json));
  reply.bytes = bytes_of(made.format().marks());
  reply.json["prompt"] = prompts_.add(*std::move(prompt));
  return reply;
}

Reply ModelHost::free_prompt(Request& request) {
  prompts_.take(request.json.at("prompt"));
  return {};
}

Reply ModelHost::prompt_text(Request& request) {
  Reply reply;
  reply.bytes = prompts_.get(request.json.at("prompt"))->text();
  return reply;
}

Reply ModelHost::parse(Request& request) {
  const auto prompt = prompts_.get(request.json.at("prompt"));
  const auto output = prompt->format().parse(request.bytes, request.json.at("partial"));
  return output.ok() ? reply_with({{"output", output_to_wire(*output)}}) : reply_of(output.status());
}

Reply ModelHost::parse_calls(Request& request) {
  const auto prompt = prompts_.get(request.json.at("prompt"));
  const auto output = prompt->format().parse_calls(request.bytes);
  return output.ok() ? reply_with({{"output", output_to_wire(*output)}}) : reply_of(output.status());
}

Reply ModelHost::infill_text(Request& request) {
  auto text = generator_of(request)->infill_text(infill_from_wire(request.json.at("infill")));
  if (!text.ok()) return reply_of(text.status());
  Reply reply;
  reply.bytes = *std::move(text);
  return reply;
}

Reply ModelHost::check_tool(Request& request) {
  return reply_of(
      generator_of(request)->check_tool(tool_from_wire(request.json.at("tool")), request.json.at("strict")));
}

Reply ModelHost::adapter_memory(Request& request) {
  const auto use = generator_of(request)->adapter_memory(request.json.at("path"));
  return use.ok() ? reply_with({{"memory", use_to_wire(*use)}}) : reply_of(use.status());
}

Reply ModelHost::load_adapter(Request& request) {
  const auto model = generator_of(request);
  const auto publish = model->load_adapter(request.json.at("id"), request.json.at("path"), request.json.at("scale"));
  if (!publish.ok()) return reply_of(publish.status());
  return reply_with({{"publish", unpublished_.add(std::make_shared<Part>(Part{model, *publish}))}});
}

Reply ModelHost::unload_adapter(Request& request) {
  const auto generator = generator_of(request);
  if (Status status = generator->unload_adapter(request.json.at("id")); !status.ok()) return reply_of(status);
  return reply_with({{"footprint", footprint_to_wire(generator->memory())}});
}

Reply ModelHost::make_embeddings(Request& request) {
  const auto model = generator_of(request);
  const auto publish = model->embedder().make(*pooling_of(request.json));
  if (!publish.ok()) return reply_of(publish.status());
  return reply_with({{"publish", unpublished_.add(std::make_shared<Part>(Part{model, *publish}))}});
}

// An adapter's has its id.
Reply ModelHost::publish(Request& request) {
  const auto generator = generator_of(request);
  const auto part = unpublished_.take(request.json.at("publish"));
  if (part == nullptr) throw std::out_of_range("nothing to publish");
  if (Status status = part->publish(); !status.ok()) return reply_of(status);
  Reply reply = reply_with({{"footprint", footprint_to_wire(generator->memory())}});
  if (const auto id = request.json.find("id"); id != request.json.end()) {
    const auto adapter = generator->adapter(*id);
    if (!adapter.ok()) return reply_of(adapter.status());
    reply.json["adapter"] = adapter_to_wire(*adapter);
  }
  return reply;
}

Reply ModelHost::forget_part(Request& request) {
  unpublished_.take(request.json.at("publish"));
  return {};
}

Reply ModelHost::tokenize(Request& request) {
  const auto tokens = generator_of(request)->tokenize(request.bytes, request.json.at("add_special"),
                                                      request.json.at("parse_special"), &request.cancel);
  if (!tokens.ok()) return reply_of(tokens.status());
  if (request.json.at("count")) return reply_with({{"count", tokens->size()}});
  Reply reply;
  reply.bytes = bytes_of_list(*tokens);
  return reply;
}

Reply ModelHost::detokenize(Request& request) {
  auto text = generator_of(request)->detokenize(list_of<int32_t>(request.bytes), request.json.at("special"));
  if (!text.ok()) return reply_of(text.status());
  Reply reply;
  reply.bytes = *std::move(text);
  return reply;
}

Reply ModelHost::drop_conversations(Request& request) {
  const auto generator = generator_of(request);
  const uint64_t dropped = generator->drop_conversations(request.json.at("bytes").get<uint64_t>());
  return reply_with({{"dropped", dropped}, {"conversations", generator->memory().conversations}});
}

Reply ModelHost::embedding_tokens(Request& request) {
  Embedder& embedder = generator_of(request)->embedder();
  const size_t split = request.json.at("split");
  const std::string_view all = request.bytes;
  const auto tokens = request.json.at("pair") ? embedder.pair(all.substr(0, split), all.substr(split), request.cancel)
                                              : embedder.text(all, request.cancel);
  if (!tokens.ok()) return reply_of(tokens.status());
  Reply reply;
  reply.bytes = bytes_of_list(*tokens);
  return reply;
}

// `sizes`: of the texts, whose tokens are one after the other; of the vectors, so, too.
Reply ModelHost::embed(Request& request) {
  const std::vector<int32_t> all = list_of<int32_t>(request.bytes);
  std::vector<TokenText> texts;
  auto at = all.begin();
  for (const Json& size : request.json.at("sizes")) {
    const auto end = at + std::min<std::ptrdiff_t>(size.get<int64_t>(), all.end() - at);
    texts.emplace_back(at, end);
    at = end;
  }
  const auto generator = generator_of(request);
  const auto vectors = generator->embedder().compute(*pooling_of(request.json), texts, request.cancel);
  if (!vectors.ok()) return reply_of(vectors.status());
  Json sizes = Json::array();
  Reply reply;
  for (const std::vector<float>& one : *vectors) {
    sizes.push_back(one.size());
    reply.bytes += bytes_of_list(one);
  }
  reply.json["sizes"] = std::move(sizes);
  return reply;
}

}  // namespace lh
