// Sends the tokens of one generation. See model_host.h.
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/caught.h"
#include "isolation/host/model_host.h"
#include "isolation/wire/model_wire.h"

namespace lh {
namespace {

// A stream as its request knows it, so that a stop reaches it.
class Reachable {
 public:
  Reachable(Request& request, TokenStream& stream) : request_(request) {
    const MutexLock lock(request_.mutex);
    request_.stream = &stream;
    if (request_.stopped) stream.stop();
  }
  ~Reachable() {
    const MutexLock lock(request_.mutex);
    request_.stream = nullptr;
  }
  Reachable(const Reachable&) = delete;
  Reachable& operator=(const Reachable&) = delete;

 private:
  Request& request_;
};

}  // namespace

void ModelHost::stream(Request& request) {
  EndOfStream end;
  std::optional<Usage> usage;
  bool begun = false;
  try {
    const Json& json = request.json;
    request.give_room(json.at("room"));
    const std::shared_ptr<Generator> generator = generator_of(request);
    const auto prompt = prompts_.get(json.at("prompt"));
    const Json& origin = json.at("origin");
    const std::string run = origin.at(0);
    const std::string session = origin.at(1);
    const std::string conversation = origin.at(2);
    const std::string tier = origin.at(3);
    auto started = generator->start(*prompt, params_from_wire(json.at("params")), request.cancel, json.at("priority"),
                                    {run, session, conversation, tier});
    channel_.send(FrameKind::kReply, request.id, dump_json(status_to_wire(started.status())));
    begun = true;
    if (!started.ok()) return;
    {
      const Reachable reachable(request, **started);
      forward(request, **started, end);
    }
    usage = (*started)->usage();
  } catch (const std::exception&) {
    end = {StreamEnd::kError, caught()};
    if (!begun) {
      channel_.send(FrameKind::kReply, request.id, dump_json(status_to_wire(end.status)));
      return;
    }
  }
  // The stream and the model are already released: the receiver of the end may free the model.
  Json told = status_to_wire(end.status);
  told["reason"] = static_cast<int>(end.reason);
  told["models"] = state();
  channel_.send(FrameKind::kEnd, request.id, dump_json(told), usage ? bytes_of(*usage) : std::string_view());
}

void ModelHost::forward(Request& request, TokenStream& stream, EndOfStream& end) {
  std::string tokens;
  int32_t count = 0;
  const auto send = [&] {
    if (count > 0) channel_.send(FrameKind::kTokens, request.id, {}, tokens);
    tokens.clear();
    count = 0;
  };
  for (;;) {
    {
      MutexLock lock(request.mutex);
      while (request.room <= 0 && !request.stopped && !request.cancel.cancelled()) lock.wait(request.changed);
      --request.room;
    }
    TokenStream::Item item = stream.next();
    if (const auto* const progress = std::get_if<PromptProgress>(&item)) {
      channel_.send(FrameKind::kProgress, request.id, {}, bytes_of(*progress));
      request.give_room(1);
    } else if (const auto* const token = std::get_if<Token>(&item)) {
      pack_token(*token, tokens);
      ++count;
    } else if (auto* const last = std::get_if<EndOfStream>(&item)) {
      send();
      end = std::move(*last);
      return;
    }
    const bool waits = [&] {
      const MutexLock lock(request.mutex);
      return request.room <= 0;
    }();
    if (waits || !stream.ready()) send();
  }
}

}  // namespace lh
