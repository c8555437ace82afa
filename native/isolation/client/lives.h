// The process that computes for an engine, started again whenever it has died; and which models it died with.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "base/threads/mutex.h"
#include "isolation/client/link.h"
#include "model/model_runtime.h"
#include "platform/thread.h"

namespace lh {

// A model in the process, as far as its deaths go.
class Mortal {
 public:
  virtual ~Mortal() = default;
  // Its place is lost. False: it had none in that life of the process.
  [[nodiscard]] virtual bool leave(const Link& link) = 0;
  [[nodiscard]] virtual const Generator* generator() const = 0;  // null: not yet
  // The memory that it will take again; empty: it has a place, and the memory.
  [[nodiscard]] virtual MemoryUse owed() const = 0;
};

class Lives {
 public:
  struct Options {
    Link::Options link;
    std::string gpu_module;
    std::string rpc_module;                // required with servers
    std::vector<std::string> rpc_servers;  // "host:port"
  };
  explicit Lives(Options options) : options_(std::move(options)) {}
  ~Lives();
  Lives(const Lives&) = delete;
  Lives& operator=(const Lives&) = delete;

  // Like ModelRuntime::listen(). Throws std::system_error if no thread can be started.
  void listen(RuntimeListener* listener);

  // The process, which is started if it is dead. `model`: the model that needs it; empty: none. Errors: kEngineCrashed
  // for a model with which it has recently died too often; those of the start; those of a cancel of the work on this
  // thread (CancelScope), while it waits for servers or for another thread's start.
  [[nodiscard]] Result<std::shared_ptr<Link>> current(const std::string& model);
  // Ends the process for good: see Link::leave().
  void close();
  // The process; null: it has died.
  [[nodiscard]] std::shared_ptr<Link> alive() const;

  // The reply of the process that was started last: its `devices`, and `info`. Null before the first.
  [[nodiscard]] Json opened() const;

  // The memory that lost models will take again.
  [[nodiscard]] MemoryUse owed() const;

  void enter(Mortal* model);
  void leave(Mortal* model);  // nothing about it is reported any more
  void tell_loaded_again(const Mortal& model, double load_ms);
  void tell_sent_again(const Mortal& model, const Status& why);

 private:
  using Clock = std::chrono::steady_clock;
  struct Death {
    Clock::time_point when;
    std::string report;
  };
  struct News {
    const Mortal* model = nullptr;  // null: the process has died
    Status lost_by;                 // ok: the model is back
    double load_ms = 0;
    bool sent_again = false;  // a question to it, because of lost_by
  };

  [[nodiscard]] Status may_use(const std::string& model) LH_REQUIRES(mutex_);
  class Starting;
  [[nodiscard]] Result<std::shared_ptr<Link>> start();
  [[nodiscard]] Result<Json> open(Link& link) const;
  void died(const Link& link, const Status& why, const std::vector<std::string>& models);
  void published();
  void report();

  const Options options_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  bool is_starting_ LH_GUARDED_BY(mutex_) = false;  // one start at a time
  Json opened_ LH_GUARDED_BY(mutex_);
  std::map<std::string, std::deque<Death>> deaths_ LH_GUARDED_BY(mutex_);  // by model
  std::set<Mortal*> models_ LH_GUARDED_BY(mutex_);
  RuntimeListener* listener_ LH_GUARDED_BY(mutex_) = nullptr;
  std::deque<News> unpublished_ LH_GUARDED_BY(mutex_);  // of a death that not everybody knows of
  std::deque<News> news_ LH_GUARDED_BY(mutex_);
  bool telling_ LH_GUARDED_BY(mutex_) = false;
  bool closed_ LH_GUARDED_BY(mutex_) = false;   // no process any more
  bool closing_ LH_GUARDED_BY(mutex_) = false;  // no news any more
  // Destroyed first, because their threads report their end to the members above.
  std::shared_ptr<Link> link_ LH_GUARDED_BY(mutex_);
  std::shared_ptr<Link> starting_link_ LH_GUARDED_BY(mutex_);  // that has not answered yet
  Thread reporter_;                                            // since somebody listens
};
static_assert(!std::is_copy_constructible_v<Lives>);

}  // namespace lh
