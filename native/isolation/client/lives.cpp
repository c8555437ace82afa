#include "isolation/client/lives.h"

#include <optional>
#include <utility>

#include "base/text/names.h"
#include "isolation/wire/model_wire.h"
#include "platform/thread.h"

namespace lh {
namespace {

// The number of deaths with a model within a time after which the model is refused for the rest of that time.
constexpr size_t kMostDeaths = 3;
constexpr auto kWithin = std::chrono::minutes(1);

// A server that accepts a connection may be silent forever.
constexpr auto kRpcPatience = std::chrono::seconds(30);

constexpr auto kStartLook = std::chrono::milliseconds(10);  // for a cancel while another thread starts the process

Status engine_is_closed() { return {Code::kClosed, "the engine is closed"}; }

}  // namespace

Lives::~Lives() {
  close();
  {
    const MutexLock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (reporter_.joinable()) reporter_.join();
}

void Lives::listen(RuntimeListener* listener) {
  if (listener != nullptr && !reporter_.joinable()) reporter_ = Thread([this] { report(); });
  MutexLock lock(mutex_);
  listener_ = listener;
  while (listener == nullptr && telling_) lock.wait(changed_);
}

MemoryUse Lives::owed() const {
  const MutexLock lock(mutex_);
  MemoryUse sum;
  for (const Mortal* one : models_) add_use(sum, one->owed());
  return sum;
}

void Lives::enter(Mortal* model) {
  const MutexLock lock(mutex_);
  models_.insert(model);
}

void Lives::leave(Mortal* model) {
  const MutexLock lock(mutex_);
  models_.erase(model);
  for (auto* news : {&unpublished_, &news_}) {
    std::erase_if(*news, [model](const News& one) { return one.model == model; });
  }
}

void Lives::tell_loaded_again(const Mortal& model, double load_ms) {
  const MutexLock lock(mutex_);
  news_.push_back({&model, {}, load_ms});
  changed_.notify_all();
}

void Lives::tell_sent_again(const Mortal& model, const Status& why) {
  const MutexLock lock(mutex_);
  auto& news = unpublished_.empty() ? news_ : unpublished_;  // behind the news of the death
  news.push_back({&model, why, 0, true});
  changed_.notify_all();
}

// Reports to hooks on a separate thread: they may use the models, and a thread that waits for the end of a process must
// not wait for hooks.
void Lives::report() {
  MutexLock lock(mutex_);
  for (;;) {
    while (news_.empty() && !closing_) lock.wait(changed_);
    if (closing_) return;
    const News news = std::move(news_.front());
    news_.pop_front();
    const Generator* const model = news.model == nullptr ? nullptr : news.model->generator();
    RuntimeListener* const listener = listener_;
    if (listener == nullptr || (news.model != nullptr && model == nullptr)) continue;
    telling_ = true;
    lock.unlock();
    if (model == nullptr) {
      listener->crashed(news.lost_by);
    } else if (news.sent_again) {
      listener->sent_again(*model, news.lost_by);
    } else if (news.lost_by.ok()) {
      listener->loaded_again(*model, news.load_ms);
    } else {
      listener->lost(*model, news.lost_by);
    }
    lock.lock();
    telling_ = false;
    changed_.notify_all();
  }
}

void Lives::close() {
  std::shared_ptr<Link> links[2];
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    links[0] = link_;
    links[1] = starting_link_;
  }
  for (const auto& link : links) {
    if (link != nullptr) link->leave();
  }
}

std::shared_ptr<Link> Lives::alive() const {
  const MutexLock lock(mutex_);
  return link_ != nullptr && link_->alive() ? link_ : nullptr;
}

Json Lives::opened() const {
  const MutexLock lock(mutex_);
  return opened_;
}

// The start of a process by this thread, which the others wait for.
class Lives::Starting {
 public:
  explicit Starting(Lives& of) LH_REQUIRES(of.mutex_) : of_(of) { of_.is_starting_ = true; }
  ~Starting() {
    const MutexLock lock(of_.mutex_);
    of_.is_starting_ = false;
    of_.changed_.notify_all();
  }
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;

 private:
  Lives& of_;
};

Result<std::shared_ptr<Link>> Lives::current(const std::string& model) {
  const CancelFlag* const cancel = CancelScope::current();
  std::optional<Starting> starting;
  std::shared_ptr<Link> dead;  // waited for outside the lock
  {
    MutexLock lock(mutex_);
    for (;;) {
      if (closed_) return engine_is_closed();
      if (Status status = may_use(model); !status.ok()) return status;
      if (link_ != nullptr && link_->alive()) return link_;
      if (cancel != nullptr && cancel->cancelled()) return Status(cancel->why(), cancel->reason());
      if (!is_starting_) break;
      lock.wait_until(changed_, std::chrono::steady_clock::now() + kStartLook);
    }
    starting.emplace(*this);
    dead = std::move(link_);
  }
  dead.reset();
  auto started = start();
  if (!started.ok()) return started.status();
  const MutexLock lock(mutex_);
  if (closed_) return engine_is_closed();  // the process that was started ends with its link
  return link_ = *std::move(started);
}

Result<std::shared_ptr<Link>> Lives::start() {
  auto begun = Link::start(
      options_.link,
      [this](const Link& dead, const Status& why, const std::vector<std::string>& models) { died(dead, why, models); },
      [this] { published(); });
  if (!begun.ok()) return begun.status();
  const std::shared_ptr<Link> link = *std::move(begun);
  {
    const MutexLock lock(mutex_);
    if (closed_) return engine_is_closed();
    starting_link_ = link;
  }
  auto opened = open(*link);
  const MutexLock lock(mutex_);
  starting_link_.reset();
  if (opened.ok()) {
    opened_ = *std::move(opened);
    return link;
  }
  // The process died before it was used: the program, a driver or a server does not work here.
  const bool crashed = opened.status().code() == Code::kEngineCrashed;
  return crashed ? Status(Code::kBackendUnavailable, opened.status().message()) : opened.status();
}

// Returns the reply for opened(). The devices of servers come after those of this machine.
Result<Json> Lives::open(Link& link) const {
  auto opened = link.call({.json = {{"op", "runtime"},
                                    {"libraries", options_.link.libraries},
                                    {"gpu_module", options_.gpu_module},
                                    {"typescript", names() == Names::kTypeScript}}});
  if (!opened.ok()) return opened.status();
  for (const std::string& server : options_.rpc_servers) {
    const auto added =
        link.call({.json = {{"op", "add_rpc_server"}, {"module", options_.rpc_module}, {"server", server}},
                   .patience = kRpcPatience});
    if (added.ok()) continue;
    const CancelFlag* const cancel = CancelScope::current();
    if (cancel != nullptr && cancel->cancelled()) return added.status();
    return Status(added.status().code(), "the RPC server " + server + ": " + added.status().message());
  }
  if (options_.rpc_servers.empty()) return std::move(opened->json);
  Json all = Json::object();
  for (const char* const what : {"devices", "info"}) {
    auto answer = link.call({.json = {{"op", what}}, .patience = kRpcPatience});
    if (!answer.ok()) return answer.status();
    all[what] = std::move(answer->json.at(what));
  }
  return all;
}

Status Lives::may_use(const std::string& model) {
  const auto found = deaths_.find(model);
  if (found == deaths_.end()) return {};
  std::deque<Death>& deaths = found->second;
  while (!deaths.empty() && Clock::now() - deaths.front().when > kWithin) deaths.pop_front();
  if (deaths.size() < kMostDeaths) return {};
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(kWithin - (Clock::now() - deaths.front().when));
  return {Code::kEngineCrashed, '"' + model + "\" is refused for " + std::to_string(left.count() + 1) +
                                    " s: the engine's process has died " + std::to_string(deaths.size()) +
                                    " times within a minute while it worked for it; at last: " + deaths.back().report};
}

void Lives::died(const Link& link, const Status& why, const std::vector<std::string>& models) {
  const MutexLock lock(mutex_);
  if (link_.get() != &link) return;  // it has never worked
  for (const std::string& model : models) {
    std::deque<Death>& deaths = deaths_[model];
    deaths.push_back({Clock::now(), why.message()});
    if (deaths.size() > kMostDeaths) deaths.pop_front();
  }
  unpublished_.push_back({nullptr, why});
  for (Mortal* one : models_) {
    // The link lives on: this object holds it until it starts another.
    if (one->leave(link)) unpublished_.push_back({one, why});
  }
}

void Lives::published() {
  const MutexLock lock(mutex_);
  news_.insert(news_.end(), unpublished_.begin(), unpublished_.end());
  unpublished_.clear();
  changed_.notify_all();
}

}  // namespace lh
