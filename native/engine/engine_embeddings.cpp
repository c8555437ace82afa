// The parts of Engine that embed texts and rank documents.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "base/system/time_us.h"
#include "base/text/base64.h"
#include "base/text/names.h"
#include "engine/engine.h"
#include "engine/tasks/results.h"

namespace lh {
namespace {

// Calls that share one model's context in turns: while one computes, the others tokenize.
constexpr size_t kPlaces = 4;

static_assert(std::endian::native == std::endian::little, "vectors are given as they are in memory");

std::optional<PoolingType> asked_pooling(Pooling pooling) {
  switch (pooling) {
    case Pooling::kNone: return PoolingType::kNone;
    case Pooling::kMean: return PoolingType::kMean;
    case Pooling::kCls: return PoolingType::kCls;
    case Pooling::kLast: return PoolingType::kLast;
    case Pooling::kModel: break;
  }
  return std::nullopt;
}

Status cancelled_by(const CancelFlag& cancel) {
  return {cancel.why(), "cancelled before the texts were computed: " + cancel.reason()};
}

// The error names the text's position in the request.
Status check_length(const Result<TokenText>& text, const std::string& list, size_t index, const Embedder& embedder) {
  const std::string name = list + "[" + std::to_string(index) + "]";
  const auto too_long = [&](const std::string& has) {
    return Status(Code::kTextTooLong,
                  name + " " + has + ", and a text may have " + std::to_string(embedder.max_tokens()) +
                      ": the model's " + shown_field("batch_size") + ", or what it was trained for where that is less");
  };
  if (text.status().code() == Code::kTextTooLong) return too_long(text.status().message());
  if (!text.ok()) return text.status();
  if (text->empty()) return {Code::kInvalidArgument, name + " is empty: it has no token of which there is a vector"};
  if (static_cast<int64_t>(text->size()) <= embedder.max_tokens()) return {};
  return too_long("has " + std::to_string(text->size()) + " tokens");
}

void normalize(std::vector<float>& vector) {
  double sum = 0;
  for (const float one : vector) sum += static_cast<double>(one) * one;
  const double length = std::sqrt(sum);
  if (length == 0) return;
  for (float& one : vector) one = static_cast<float>(one / length);
}

Json encoded(const std::vector<float>& vector, Encoding encoding) {
  if (encoding == Encoding::kBase64) return to_base64(vector.data(), vector.size() * sizeof(float));
  return vector;
}

TaskEnd embed_texts(ModelManager& models, const EmbedOptions& request, const ModelManager::Use& model,
                    const Work& work) {
  Embedder& embedder = model->generator->embedder();
  const auto pooling = embedder.pooling(asked_pooling(request.pooling));
  if (!pooling.ok()) return {pooling.status()};
  std::vector<TokenText> texts;
  Json tokens = Json::array();
  for (size_t i = 0; i < request.texts.size(); ++i) {
    if (work.cancel.cancelled()) return {cancelled_by(work.cancel)};
    auto text = embedder.text(request.texts[i], work.cancel);
    if (Status status = check_length(text, "texts", i, embedder); !status.ok()) return {status};
    tokens.push_back(text->size());
    texts.push_back(*std::move(text));
  }
  Refusal refused;
  Status made = models.make_embeddings(model, *pooling, work, refused);
  if (!made.ok()) return failed_end(made, refused);
  auto vectors = embedder.compute(*pooling, texts, work.cancel);
  if (!vectors.ok()) return {vectors.status()};
  Json embeddings = Json::array();
  for (std::vector<float>& vector : *vectors) {
    if (request.normalize && *pooling != PoolingType::kNone) normalize(vector);
    embeddings.push_back(encoded(vector, request.encoding));
  }
  return {Status(),
          {{"model_id", model->id},
           {"pooling", pooling_name(*pooling)},
           {"dimensions", embedder.dimensions()},
           {"embeddings", std::move(embeddings)},
           {"tokens", std::move(tokens)}}};
}

TaskEnd rank_documents(ModelManager& models, const RerankOptions& request, const ModelManager::Use& model,
                       const Work& work) {
  Embedder& embedder = model->generator->embedder();
  if (Status status = embedder.check_ranks(); !status.ok()) return {status};
  // Equal pairs are computed once: the last digits of a result depend on its place in a batch.
  std::vector<TokenText> pairs;
  std::map<TokenText, size_t> places;
  std::vector<size_t> place_of;
  int64_t tokens = 0;
  for (size_t i = 0; i < request.documents.size(); ++i) {
    if (work.cancel.cancelled()) return {cancelled_by(work.cancel)};
    auto pair = embedder.pair(request.query, request.documents[i], work.cancel);
    if (Status status = check_length(pair, "the query with documents", i, embedder); !status.ok()) return {status};
    tokens += static_cast<int64_t>(pair->size());
    const auto [place, is_new] = places.try_emplace(*std::move(pair), pairs.size());
    if (is_new) pairs.push_back(place->first);
    place_of.push_back(place->second);
  }
  Refusal refused;
  Status made = models.make_embeddings(model, PoolingType::kRank, work, refused);
  if (!made.ok()) return failed_end(made, refused);
  const auto ranks = embedder.compute(PoolingType::kRank, pairs, work.cancel);
  if (!ranks.ok()) return {ranks.status()};
  std::vector<std::pair<double, size_t>> scores;
  for (size_t i = 0; i < place_of.size(); ++i) {
    const double score = (*ranks)[place_of[i]].front();
    const bool as_it_is = !request.normalize || embedder.scores_are_probabilities();
    scores.emplace_back(as_it_is ? score : 1 / (1 + std::exp(-score)), i);
  }
  std::ranges::stable_sort(scores, std::ranges::greater(), &std::pair<double, size_t>::first);
  if (request.top_n) scores.resize(std::min(scores.size(), static_cast<size_t>(*request.top_n)));
  Json results = Json::array();
  for (const auto& [score, index] : scores) results.push_back({{"index", index}, {"relevance_score", score}});
  return {Status(), {{"model_id", model->id}, {"results", std::move(results)}, {"tokens", tokens}}};
}

// The end of an embedding or ranking in the trace: its cost, or its error.
Json embedding_end(const std::string& model_id, const TaskEnd& end) {
  Json fields = {{"model_id", model_id}};
  if (!end.status.ok()) {
    fields["code"] = code_name(end.status.code());
    return fields;
  }
  const Json& tokens = end.json["tokens"];
  int64_t sum = 0;
  if (tokens.is_array()) {
    for (const Json& one : tokens) sum += one.get<int64_t>();
  }
  fields["tokens"] = tokens.is_array() ? Json(sum) : tokens;
  if (end.json.contains("dimensions")) fields["dimensions"] = end.json["dimensions"];
  return fields;
}

}  // namespace

Engine::TaskResult Engine::enqueue_embedding(EmbeddingCall call, const lh_task_callbacks& callbacks) {
  const MutexLock lock(mutex_);
  if (closed_) return Status(Code::kClosed, kClosedMessage);
  auto wanted = models_.want(call.model_id);
  if (!wanted.ok()) return wanted.status();
  if (wanted->model != nullptr) {
    Status status = ModelManager::may_wait_for_embeddings(wanted->model);
    if (!status.ok()) return status;
  }
  ModelWork work;
  work.body = [this, call = std::move(call)](const ModelManager::Use& model, Task& task) {
    const auto began = Trace::Clock::now();
    const auto about = [&] {
      return Json{
          {"model_id", model->id}, {call.counted, call.texts}, {"queue_ms", milliseconds(began - task.made_at())}};
    };
    const Trace::Span span = trace().begin(call.started, 0, about, began);
    TaskEnd end = call.body(model, Work{task.cancel_flag(), closing_, task, 0, nullptr, {}, span.number});
    trace().end(call.ended, span, [&] { return embedding_end(model->id, end); });
    const Code code = end.status.code();
    if (end.status.ok() || code == Code::kCancelled || code == Code::kClosed) return end;
    Scope scope;
    scope.model_id = model->id;
    scope.span = span.number;
    scope.cancel = &task.cancel_flag();
    scope.closing = &closing_;
    registry_.dispatcher.error(scope, code_name(code), end.status.message(), "embed", false);
    return end;
  };
  work.stopped = [](const Status& status, Task&) { return TaskEnd{status}; };
  return enqueue(*std::move(wanted), Line{RunQueue::Work::kEmbed, kPlaces, 0}, callbacks, std::move(work));
}

Engine::TaskResult Engine::embed(EmbedOptions request, const lh_task_callbacks& callbacks) {
  const auto held = std::make_shared<const EmbedOptions>(std::move(request));
  const auto body = [this, held](const ModelManager::Use& model, const Work& work) {
    return embed_texts(models_, *held, model, work);
  };
  return enqueue_embedding({held->model, "embedding_started", "embedding_ended", "texts", held->texts.size(), body},
                           callbacks);
}

Engine::TaskResult Engine::rerank(RerankOptions request, const lh_task_callbacks& callbacks) {
  const auto held = std::make_shared<const RerankOptions>(std::move(request));
  const auto body = [this, held](const ModelManager::Use& model, const Work& work) {
    return rank_documents(models_, *held, model, work);
  };
  return enqueue_embedding({held->model, "rerank_started", "rerank_ended", "documents", held->documents.size(), body},
                           callbacks);
}

}  // namespace lh
