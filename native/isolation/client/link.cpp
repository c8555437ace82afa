#include "isolation/client/link.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/caught.h"
#include "base/system/log.h"
#include "isolation/wire/hello.h"
#include "isolation/wire/model_wire.h"
#include "platform/thread.h"

namespace lh {
namespace {

constexpr auto kPingPeriod = std::chrono::seconds(1);
constexpr int kMostUnanswered = 10;  // pings: a process that reads none for so long is stuck as a whole
constexpr auto kCancelLook = std::chrono::milliseconds(10);
constexpr auto kSendLook = std::chrono::milliseconds(1);  // while the process does not read
// The maximum wait for cancelled work: somewhat longer than the process itself waits for a step that is stuck.
constexpr auto kCancelTime = std::chrono::milliseconds(1500);
constexpr auto kLeaveTime = std::chrono::milliseconds(100);  // for a process whose socket has ended

// Requests that may take as long as files, or the caller's texts, are long.
bool may_take_long(std::string_view op) {
  constexpr std::string_view kLong[] = {
      "runtime",         "add_rpc_server", "load",  "load_adapter",     "unload_adapter", "measure",
      "measure_context", "embed",          "start", "embedding_memory", "make_embeddings"};
  return std::ranges::find(kLong, op) != std::end(kLong);
}

std::string seconds_text(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s" : std::to_string(time.count()) + " ms";
}

std::string end_in_words(const std::optional<ChildEnd>& gone) {
  if (!gone) return "does not end";
  const ChildEnd& end = *gone;
  if (!end.broken.empty()) return "was ended by " + end.broken;
  if (end.exit_code == kWrongVersion) return "is of another version than this engine";
  return "ended with exit code " + std::to_string(end.exit_code);
}

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
      channel_(process_->take_socket()) {}

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
  // It ends by itself then, unless it is stuck.
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

ModelState Link::state_of(uint64_t model) const {
  const MutexLock lock(mutex_);
  const auto found = models_.find(model);
  return found == models_.end() ? ModelState{} : found->second;
}

void Link::set_conversations(uint64_t model, uint64_t bytes) {
  const MutexLock lock(mutex_);
  models_[model].conversations = bytes;
}

Result<Link::Answer> Link::call(const Call& what) {
  uint64_t id = 0;
  {
    const MutexLock lock(mutex_);
    id = ++last_id_;
  }
  return call_as(id, what);
}

// A call that the reader knows, for as long as it waits, however that ends.
class Link::Listed {
 public:
  Listed(Link& link, uint64_t id, Waiting& waiting) : link_(link), id_(id) {
    const MutexLock lock(link_.mutex_);
    link_.calls_[id_] = &waiting;
  }
  ~Listed() {
    const MutexLock lock(link_.mutex_);
    const auto found = link_.calls_.find(id_);
    link_.without_cancel_ -= found->second->without_cancel ? 1 : 0;
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
  Waiting waiting{std::string(what.work_for), {}, {}};
  const Listed listed(*this, id, waiting);
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
  MutexLock lock(mutex_);
  waiting.without_cancel = cancel == nullptr && !what.patience;
  without_cancel_ += waiting.without_cancel ? 1 : 0;
  while (!waiting.answer && death_.ok()) {
    if (give_up && Clock::now() >= *give_up) {
      if (what.patience) given_up_.insert(id);
      if (!told) {
        return {Code::kBackendUnavailable,
                "the engine's process has not answered within " + seconds_text(*what.patience)};
      }
      left_behind_ = true;
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
      const auto patience = left_behind_ ? Clock::duration() : kCancelTime;  // the process does not answer
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
    streams_[incoming->id] = {incoming, std::string(what.work_for)};
  }
  const auto answer = call_as(incoming->id, what);
  if (answer.ok()) return incoming;
  forget(incoming->id);
  if (what.cancel == nullptr || answer.status().code() != what.cancel->why()) return answer.status();
  incoming->end({StreamEnd::kCancelled, {}}, {});
  return incoming;
}

void Link::give_room(uint64_t stream, int32_t tokens) { channel_.post(FrameKind::kRoom, stream, {}, bytes_of(tokens)); }

void Link::stop(Incoming& stream) {
  channel_.post(FrameKind::kStop, stream.id);
  stream.leave_at(std::chrono::steady_clock::now() + kCancelTime);
}

void Link::cancel(Incoming& stream, const CancelFlag& flag) {
  tell_cancelled(stream.id, flag);
  stream.leave_at(std::chrono::steady_clock::now() + kCancelTime);
}

void Link::tell_cancelled(uint64_t id, const CancelFlag& flag) {
  channel_.post(FrameKind::kCancel, id, flag.reason(), bytes_of(flag.why()));
}

void Link::leave_behind() {
  const MutexLock lock(mutex_);
  left_behind_ = true;
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
    const MutexLock lock(mutex_);
    given_up_.erase(frame.id);
    const auto found = calls_.find(frame.id);
    if (found == calls_.end()) return;
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
    static_cast<void>(take_models(json->at("models")));
    const bool counted = !frame.bytes.empty();
    stream->end({static_cast<StreamEnd>(json->at("reason").get<int>()), status_from_wire(*json)},
                counted ? std::optional(value_of<Usage>(frame.bytes)) : std::nullopt);
  }
  forget(frame.id);
}

void Link::take_pong(const Frame& frame) {
  const auto json = parse_json(frame.json, "pong");
  if (!json.ok()) return;
  const int64_t limit = options_.step_timeout.count();
  std::string late;
  if (take_models(json->at("models")) > limit && limit > 0) late = "a step of a model";
  for (const Json& one : json->at("requests")) {
    const std::string op = one.at(0);
    if (limit <= 0) continue;
    if (one.at(1).get<int64_t>() > limit && !may_take_long(op)) late = "the request \"" + op + "\"";
    if (one.at(2).get<int64_t>() > limit) late = "the request \"" + op + "\", which was cancelled,";
  }
  {
    const MutexLock lock(mutex_);
    unanswered_ = 0;
    left_behind_ = false;
  }
  if (late.empty()) return;
  end_process(late + " had not ended after " + seconds_text(options_.step_timeout) + " (step_timeout_ms)");
}

int64_t Link::take_models(const Json& models) {
  int64_t longest = 0;
  std::map<uint64_t, ModelState> states;
  for (const Json& one : models) {
    states[one.at(0)] = {one.at(1), one.at(2)};
    longest = std::max(longest, one.at(3).get<int64_t>());
  }
  const MutexLock lock(mutex_);
  models_ = std::move(states);
  return longest;
}

// It counts pings, not seconds: this process may have been stopped itself.
void Link::tick() {
  bool stuck = false;
  {
    const MutexLock lock(mutex_);
    if (!death_.ok()) return;
    stuck =
        ++unanswered_ > kMostUnanswered && (options_.step_timeout.count() > 0 || left_behind_ || without_cancel_ > 0);
  }
  if (stuck) return end_process("it had answered nothing for " + std::to_string(kMostUnanswered) + " s");
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

// The end of the socket is the end of the process, whatever it does. Every call and stream ends, also without memory
// for a report.
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
  std::string message;
  {
    const MutexLock lock(mutex_);
    const auto add = [&](const std::string& name) {
      if (!name.empty() && std::ranges::find(at_work_for, name) == at_work_for.end()) at_work_for.push_back(name);
    };
    for (const auto& [id, call] : calls_) add(call->work_for);
    for (const auto& [id, stream] : streams_) add(stream.work_for);
    message = killed_for_.empty() ? "the engine's process " + end_in_words(end)
                                  : "the engine's process was ended: " + killed_for_;
    wanted = leaving_;
  }
  if (wanted) return {Code::kClosed, "the engine is closed"};
  for (size_t i = 0; i < at_work_for.size(); ++i) {
    message += (i == 0 ? "; it was at work for " : ", ") + ('"' + at_work_for[i] + '"');
  }
  if (const std::string lines = process_->last_lines(); !lines.empty()) message += "; its last lines: " + lines;
  return {Code::kEngineCrashed, std::move(message)};
}

}  // namespace lh
