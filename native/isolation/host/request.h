// A request that is being carried out, and its reply.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "base/json/json.h"
#include "base/threads/cancel.h"
#include "base/threads/mutex.h"
#include "isolation/wire/channel.h"
#include "model/generator.h"

namespace lh {

struct Reply {
  Json json = {{"status", 0}};
  std::string bytes;
};

// Lives until its reply, or the end of its stream, was sent.
struct Request {
  Request(uint64_t number, Json body, std::string more) : id(number), json(std::move(body)), bytes(std::move(more)) {}

  const uint64_t id;
  const Json json;
  const std::string bytes;
  CancelFlag cancel;

  // A stream has these, too.
  Mutex mutex;
  std::condition_variable changed;
  int32_t room LH_GUARDED_BY(mutex) = 0;  // tokens that may be sent
  TokenStream* stream LH_GUARDED_BY(mutex) = nullptr;
  bool stopped LH_GUARDED_BY(mutex) = false;

  void stop() {
    const MutexLock lock(mutex);
    stopped = true;
    if (stream != nullptr) stream->stop();
    changed.notify_all();
  }
  void give_room(int32_t tokens) {
    const MutexLock lock(mutex);
    room += tokens;
    changed.notify_all();
  }
};
static_assert(!std::is_copy_constructible_v<Request>);

}  // namespace lh
