#include "isolation/client/link.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/caught.h"
#include "base/system/log.h"
#include "isolation/client/death_report.h"
#include "isolation/wire/model_wire.h"
#include "platform/thread.h"

namespace lh {
namespace {

constexpr auto kPingPeriod = std::chrono::seconds(1);
constexpr auto kCancelLook = std::chrono::milliseconds(10);
constexpr auto kSendLook = std::chrono::milliseconds(1);  // while the process does not read
// The maximum wait for cancelled work: somewhat longer than the process itself waits for a step that is stuck.
constexpr auto kCancelTime = std::chrono::milliseconds(1500);
constexpr auto kLeaveTime = std::chrono::milliseconds(100);  // for a process whose socket has ended

}  // namespace

Result<std::unique_ptr<Link>> Link::start(const Options& options, Ended ended, Published published) {
  auto process = ChildProcess::start(options.program, options.libraries, options.environment);
  if (!process.ok()) return process.status();
  std::unique_ptr<Link> link(new Link(options, *std::move(process), std::move(ended), std::move(published)));
  try {
    link->reader_ = Thread([it = link.get()] { it->read(); });
    link->watchdog_ = std::make_unique<Ticker>(kPingPeriod, [it = link.get()] { it->tick(); });
  } catch (const std::exception&) {
    return caught();  // the link ends its process
  }
  return link;
}

Link::Link(const Options& options, std::unique_ptr<ChildProcess> process, Ended ended, Published published)
    : options_(options),
      process_(std::move(process)),
      ended_(std::move(ended)),
      published_(std::move(published)),
      channel_(process_->take_socket()),
      watch_(options_.step_timeout) {}

Link::~Link() {
  watchdog_.reset();
  if (!reader_.joinable()) return;  // it could not be started
  leave();
  reader_.join();
}

void Link::leave() {
  {
    const MutexLock lock(mutex_);
    leaving_ = true;
  }
  channel_.shut();
  // The process then ends by itself, unless it is stuck.
  {
    MutexLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + kLeaveTime;
    while (death_.ok() && std::chrono::steady_clock::now() < until) lock.wait_until(changed_, until);
  }
  process_->kill();
  MutexLock lock(mutex_);
  while (death_.ok()) lock.wait(changed_);
}

bool Link::alive() const { return death().ok(); }

Status Link::death() const {
  const MutexLock lock(mutex_);
  return death_;
}

bool Link::was_stuck() const {
  const MutexLock lock(mutex_);
  return !killed_for_.empty();
}

bool Link::died_by_itself() const {
  const MutexLock lock(mutex_);
  return !death_.ok() && killed_for_.empty() && !leaving_;
}

Result<Link::Answer> Link::call(const Call& what) {
  uint64_t id = 0;
  {
    const MutexLock lock(mutex_);
    id = ++last_id_;
  }
  return call_as(id, what);
}

// Lists a call for the reader while the call waits, and removes it in every case. If its answer comes later, the object
// that it has made in the process is freed.
class Link::Listed {
 public:
  Listed(Link& link, uint64_t id, Waiting& waiting, const Undo& undo) : link_(link), id_(id) {
    const MutexLock lock(link_.mutex_);
    if (undo.op != nullptr) link_.undo_[id_] = undo;
    link_.calls_[id_] = &waiting;
  }
  ~Listed() {
    const MutexLock lock(link_.mutex_);
    const auto found = link_.calls_.find(id_);
    if (found == link_.calls_.end()) return;  // given up: the reader undoes it
    if (found->second->answer) link_.undo_.erase(id_);
    link_.calls_.erase(found);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  Link& link_;
  const uint64_t id_;
};

Result<Link::Answer> Link::call_as(uint64_t id, const Call& what) {
  const std::string json = dump_json(what.json);
  if (!Channel::fits(json, what.bytes)) {
    return Status(Code::kInvalidArgument, "a request to the engine's process has more than 4 GiB");
  }
  Waiting waiting{std::string(what.work_for), {}, {}};
  const Listed listed(*this, id, waiting, what.undo);
  {
    const MutexLock lock(mutex_);
    if (!death_.ok()) return death_;
    if (what.patience && !given_up_.empty()) {
      return Status(Code::kBackendUnavailable, "the engine's process has not answered an earlier question yet");
    }
  }
  if (Status status = await(id, what, json, waiting); !status.ok()) return status;
  try {
    if (Status status = status_from_wire(waiting.answer->json); !status.ok()) return status;
  } catch (const std::exception&) {
    return caught_as(Code::kInternal, "the engine's process gave no answer: ");
  }
  return *std::move(waiting.answer);
}

// The reader notices the failure of a send.
Status Link::await(uint64_t id, const Call& what, const std::string& json, Waiting& waiting) {
  using Clock = std::chrono::steady_clock;
  const CancelFlag* const cancel = what.cancel != nullptr || what.must_end ? what.cancel : CancelScope::current();
  bool sent = channel_.post(FrameKind::kRequest, id, json, what.bytes);
  std::optional<Clock::time_point> give_up;
  if (what.patience) give_up = Clock::now() + *what.patience;
  bool told = false;
  std::optional<StuckWatch::Uncancellable> uncancellable;
  if (cancel == nullptr && !what.patience) uncancellable.emplace(watch_);
  MutexLock lock(mutex_);
  while (!waiting.answer && death_.ok()) {
    if (give_up && Clock::now() >= *give_up) {
      calls_.erase(id);  // from now on its answer is late
      if (what.patience) given_up_.insert(id);
      if (!told) {
        return {Code::kBackendUnavailable, "the engine's process has not answered within " + time_text(*what.patience)};
      }
      watch_.leave_behind();
      return {cancel->why(), cancel->reason()};
    }
    if (waiting.fraction) {
      const float fraction = *std::exchange(waiting.fraction, std::nullopt);
      lock.unlock();
      if (what.fraction) what.fraction(fraction);
      lock.lock();
      continue;
    }
    if (cancel != nullptr && !told && cancel->cancelled()) {
      told = true;
      const auto patience = watch_.left_behind() ? Clock::duration() : kCancelTime;  // it answers nothing anyway
      give_up = std::min(give_up.value_or(Clock::time_point::max()), Clock::now() + patience);
      lock.unlock();
      tell_cancelled(id, *cancel);
      lock.lock();
      continue;
    }
    auto until = give_up.value_or(Clock::time_point::max());
    if (cancel != nullptr && !told) until = std::min(until, Clock::now() + kCancelLook);
    if (!sent) {
      lock.unlock();
      sent = channel_.flush();
      lock.lock();
      if (sent || waiting.answer || !death_.ok()) continue;
      until = std::min(until, Clock::now() + kSendLook);
    }
    if (until == Clock::time_point::max()) {
      lock.wait(changed_);
    } else {
      lock.wait_until(changed_, until);
    }
  }
  return waiting.answer ? Status() : death_;
}

void Link::tell(const Json& json) {
  uint64_t id = 0;
  {
    const MutexLock lock(mutex_);
    if (!death_.ok()) return;
    id = ++last_id_;
  }
  channel_.post(FrameKind::kRequest, id, dump_json(json));
}

Result<std::shared_ptr<Incoming>> Link::begin_stream(const Call& what, int32_t prompt_tokens) {
  std::shared_ptr<Incoming> incoming;
  {
    const MutexLock lock(mutex_);
    if (!death_.ok()) return death_;
    incoming = std::make_shared<Incoming>(++last_id_, prompt_tokens);
    Stream& stream = streams_[incoming->id];
    stream.incoming = incoming;
    stream.work_for = what.work_for;
  }
  const auto answer = call_as(incoming->id, what);
  if (answer.ok()) return incoming;
  forget(incoming->id);
  if (what.cancel == nullptr || answer.status().code() != what.cancel->why()) return answer.status();
  incoming->end({StreamEnd::kCancelled, {}}, {});
  return incoming;
}

void Link::give_room(uint64_t stream, int32_t tokens) { channel_.post(FrameKind::kRoom, stream, {}, bytes_of(tokens)); }

// Asks for the end, which has the usage; it may come late, because the step under way may take long.
void Link::stop(Incoming& stream) {
  channel_.post(FrameKind::kStop, stream.id);
  const MutexLock lock(mutex_);
  const auto found = streams_.find(stream.id);
  if (found != streams_.end() && !found->second.stopped) found->second.stopped.emplace(watch_);
}

void Link::cancel(Incoming& stream, const CancelFlag& flag) {
  tell_cancelled(stream.id, flag);
  stream.leave_at(std::chrono::steady_clock::now() + kCancelTime);
}

void Link::tell_cancelled(uint64_t id, const CancelFlag& flag) {
  channel_.post(FrameKind::kCancel, id, flag.reason(), bytes_of(flag.why()));
}

void Link::forget(uint64_t stream) {
  const MutexLock lock(mutex_);
  streams_.erase(stream);
}

void Link::read() {
  try {
    Frame frame;
    while (channel_.receive(frame)) take(frame);
  } catch (const std::exception&) {
    end_process("it sent what is no frame: " + caught().message());
  }
  channel_.shut();
  report_end();
}

void Link::take(Frame& frame) {
  if (frame.kind == FrameKind::kLog) {
    const auto level = static_cast<LogLevel>(frame.id);
    if (level == LogLevel::kError) process_->note(frame.bytes);
    log_line(level, frame.bytes);
    return;
  }
  if (frame.kind == FrameKind::kPong) return take_pong(frame);
  if (frame.kind == FrameKind::kReply) {
    auto json = parse_json(frame.json, "reply");
    MutexLock lock(mutex_);
    given_up_.erase(frame.id);
    const auto found = calls_.find(frame.id);
    if (found == calls_.end()) {
      const Undo undo = take_undo(frame.id);
      lock.unlock();
      if (undo.op != nullptr && json.ok() && json->contains(undo.of)) {
        tell({{"op", undo.op}, {undo.of, std::move((*json)[undo.of])}});
      }
      return;
    }
    found->second->answer =
        json.ok() ? Answer{*std::move(json), std::move(frame.bytes)} : Answer{status_to_wire(json.status()), {}};
    changed_.notify_all();
    return;
  }
  if (frame.kind == FrameKind::kFraction) {
    const MutexLock lock(mutex_);
    const auto found = calls_.find(frame.id);
    if (found == calls_.end()) return;
    found->second->fraction = value_of<float>(frame.bytes);
    changed_.notify_all();
    return;
  }
  std::shared_ptr<Incoming> stream;
  {
    const MutexLock lock(mutex_);
    const auto found = streams_.find(frame.id);
    if (found == streams_.end()) return;
    stream = found->second.incoming;
  }
  if (frame.kind == FrameKind::kTokens) stream->take_tokens(frame.bytes);
  if (frame.kind == FrameKind::kProgress) stream->take_progress(value_of<PromptProgress>(frame.bytes));
  if (frame.kind != FrameKind::kEnd) return;
  const auto json = parse_json(frame.json, "end");
  if (!json.ok()) {
    stream->end({StreamEnd::kError, json.status()}, {});
  } else {
    models_.take(json->at("models"));
    const bool counted = !frame.bytes.empty();
    stream->end({static_cast<StreamEnd>(json->at("reason").get<int>()), status_from_wire(*json)},
                counted ? std::optional(value_of<Usage>(frame.bytes)) : std::nullopt);
  }
  forget(frame.id);
}

Link::Undo Link::take_undo(uint64_t id) {
  const auto found = undo_.find(id);
  if (found == undo_.end()) return {};
  const Undo undo = found->second;
  undo_.erase(found);
  return undo;
}

void Link::take_pong(const Frame& frame) {
  const auto json = parse_json(frame.json, "pong");
  if (!json.ok()) return;
  const int64_t longest_step = models_.take(json->at("models"));
  std::string why = watch_.pong(json->at("requests"), longest_step);
  if (!why.empty()) end_process(std::move(why));
}

void Link::tick() {
  if (!alive()) return;
  std::string why = watch_.ping();
  if (!why.empty()) return end_process(std::move(why));
  channel_.post(FrameKind::kPing, 0);
}

void Link::end_process(std::string why) {
  {
    const MutexLock lock(mutex_);
    if (killed_for_.empty()) killed_for_ = std::move(why);
  }
  process_->kill();
  channel_.shut();
}

// Treats the end of the socket as the end of the process, even if it still runs. Every call and stream ends, also
// without memory for a report.
void Link::report_end() {
  bool wanted = false;
  {
    const MutexLock lock(mutex_);
    wanted = leaving_;
  }
  if (!wanted) process_->kill();
  const std::optional<ChildEnd> end = process_->wait();
  std::vector<std::string> at_work_for;
  Status why(Code::kEngineCrashed, {});
  try {
    why = report_of(end, at_work_for, wanted);
    if (!wanted && ended_) ended_(*this, why, at_work_for);
  } catch (const std::exception& error) {
    log_line(LogLevel::kError, error.what());
  }
  std::map<uint64_t, Stream> streams;
  {
    const MutexLock lock(mutex_);
    death_ = why;
    streams.swap(streams_);
    changed_.notify_all();
  }
  for (const auto& [id, stream] : streams) stream.incoming->end({StreamEnd::kError, why}, {});
  if (!wanted && published_) published_();
}

Status Link::report_of(const std::optional<ChildEnd>& end, std::vector<std::string>& at_work_for, bool& wanted) const {
  std::string killed_for;
  {
    const MutexLock lock(mutex_);
    const auto add = [&](const std::string& name) {
      if (!name.empty() && std::ranges::find(at_work_for, name) == at_work_for.end()) at_work_for.push_back(name);
    };
    for (const auto& [id, call] : calls_) add(call->work_for);
    for (const auto& [id, stream] : streams_) add(stream.work_for);
    killed_for = killed_for_;
    wanted = leaving_;
  }
  if (wanted) return {Code::kClosed, "the engine is closed"};
  return death_report(end, killed_for, at_work_for, process_->last_lines());
}

}  // namespace lh
