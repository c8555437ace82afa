// The process that computes for an engine: reads requests from the socket that it was started with, until that ends.
// Started otherwise, an RPC server.
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "base/system/log.h"
#include "base/system/time_us.h"
#include "isolation/host/model_host.h"
#include "isolation/host/rpc_server.h"
#include "isolation/host/workers.h"
#include "isolation/wire/channel.h"
#include "isolation/wire/hello.h"
#include "isolation/wire/model_wire.h"
#include "platform/child.h"
#include "platform/process_end.h"

namespace lh {
namespace {

class Host {
 public:
  explicit Host(Socket socket) : channel_(socket), models_(channel_) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  void run() {
    set_log_sink(
        [](int32_t level, const char* message, void* channel) {
          static_cast<Channel*>(channel)->send(FrameKind::kLog, static_cast<uint64_t>(level), {}, message);
        },
        &channel_);
    Frame frame;
    while (channel_.receive(frame)) take(frame);
  }

 private:
  void take(Frame& frame) {
    switch (frame.kind) {
      case FrameKind::kRequest: return begin(frame);
      case FrameKind::kPing: return answer_later();
      default: break;
    }
    const std::shared_ptr<Request> request = find(frame.id);
    if (request == nullptr) return;  // it has ended
    if (frame.kind == FrameKind::kRoom) request->give_room(value_of<int32_t>(frame.bytes));
    if (frame.kind == FrameKind::kStop) request->stop();
    if (frame.kind == FrameKind::kCancel) {
      note_cancel(frame.id);
      request->cancel.cancel(frame.json, value_of<Code>(frame.bytes));
      request->stop();
    }
  }

  void begin(Frame& frame) {
    auto json = parse_json(frame.json, "request");
    if (!json.ok()) return refuse(frame.id, json.status());
    const auto request = std::make_shared<Request>(frame.id, *std::move(json), std::move(frame.bytes));
    {
      const MutexLock lock(mutex_);
      under_way_[frame.id] = {request, time_us(), 0};
    }
    try {
      workers_.run([this, request] {
        models_.carry_out(*request);
        forget(request->id);
      });
    } catch (const std::exception&) {
      forget(frame.id);
      refuse(frame.id, caught());
    }
  }

  void refuse(uint64_t id, const Status& status) {
    channel_.send(FrameKind::kReply, id, dump_json(status_to_wire(status)));
  }

  // A worker answers, because it may be the last that holds a model.
  void answer_later() {
    if (answering_.exchange(true)) return;
    try {
      workers_.run([this] {
        answer_ping();
        answering_ = false;
      });
    } catch (const std::exception&) {
      answering_ = false;  // no thread: the next ping may have one
    }
  }

  void answer_ping() {
    Json longest = Json::array();
    {
      const MutexLock lock(mutex_);
      for (const auto& [id, one] : under_way_) {
        const uint64_t now = time_us();
        longest.push_back(Json::array({one.request->json.value("op", ""), (now - one.began_us) / 1000,
                                       one.cancelled_us == 0 ? 0 : (now - one.cancelled_us) / 1000}));
      }
    }
    channel_.send(FrameKind::kPong, 0, dump_json({{"models", models_.state()}, {"requests", std::move(longest)}}));
  }

  std::shared_ptr<Request> find(uint64_t id) {
    const MutexLock lock(mutex_);
    const auto found = under_way_.find(id);
    return found == under_way_.end() ? nullptr : found->second.request;
  }

  void forget(uint64_t id) {
    const MutexLock lock(mutex_);
    under_way_.erase(id);
  }

  void note_cancel(uint64_t id) {
    const MutexLock lock(mutex_);
    const auto found = under_way_.find(id);
    if (found != under_way_.end() && found->second.cancelled_us == 0) found->second.cancelled_us = time_us();
  }

  struct UnderWay {
    std::shared_ptr<Request> request;
    uint64_t began_us = 0;
    uint64_t cancelled_us = 0;  // 0: it was not
  };

  Channel channel_;
  ModelHost models_;
  Workers workers_;
  std::atomic<bool> answering_{false};
  Mutex mutex_;
  std::map<uint64_t, UnderWay> under_way_ LH_GUARDED_BY(mutex_);
};

}  // namespace
}  // namespace lh

int main(int count, char** args) {
  // The other end of a connection of ggml's RPC may be gone: that is an error to report.
  lh::ignore_broken_connections();
  const std::vector<std::string> words = lh::program_arguments(count, args);
  if (words.size() == 3 && words[1] == lh::kRpcServer) return lh::run_rpc_server(words[2]);
  if (words.size() != 3 || words[1] != lh::kHostVersion) {
    return lh::kWrongVersion;  // a person, or another version's engine, has started it
  }
  // Never destroyed: its threads run until the process ends, and are never joined.
  auto* const host = new lh::Host(lh::inherited_socket(words[2]));
  host->run();
  lh::end_process(0);
}
