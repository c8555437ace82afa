#include "hooks/calls/user_questions.h"

#include <algorithm>
#include <utility>

#include "base/function_ref.h"

namespace lh {
namespace {

constexpr const char* kOver = "the call of the tool is over";

Json not_decided(const std::string& reason) { return {{"action", "cancel"}, {"reason", reason}}; }

// Listeners must not throw, and a reason is a copy: without memory, the flag is set without one.
void set(CancelFlag& flag, FunctionRef<std::string()> reason, Code why) noexcept {
  std::string text;
  try {
    text = reason();
  } catch (...) {
    text.clear();
  }
  flag.cancel(std::move(text), why);
}

}  // namespace

AskingLine::Place AskingLine::enter() {
  const MutexLock lock(mutex_);
  return line_.insert(line_.end(), 0);
}

void AskingLine::leave(Place place) {
  const MutexLock lock(mutex_);
  line_.erase(place);
  changed_.notify_all();
}

bool AskingLine::wait(Place place, CancelFlag& cancel) {
  const CancelListener listener(cancel, mutex_, changed_);
  MutexLock lock(mutex_);
  while (line_.begin() != place && !cancel.cancelled()) lock.wait(changed_);
  return !cancel.cancelled();
}

// The call stays while one of these exists that is open.
class UserQuestions::Asking {
 public:
  explicit Asking(UserQuestions& all) : all_(all) {
    const MutexLock lock(all_.mutex_);
    if (!all_.closed_) all_.asking_.push_back(flag_);
    open_ = !all_.closed_;
  }
  ~Asking() {
    const MutexLock lock(all_.mutex_);
    std::erase(all_.asking_, flag_);
    all_.changed_.notify_all();
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] CancelFlag& flag() const { return *flag_; }

 private:
  UserQuestions& all_;
  const std::shared_ptr<CancelFlag> flag_ = std::make_shared<CancelFlag>();
  bool open_ = false;
};

UserQuestion::UserQuestion(std::shared_ptr<UserQuestions> of, UserRequest request)
    : of_(std::move(of)), request_(std::move(request)), line_(of_->line_), place_(line_->enter()) {
  of_->begin_one();
}

UserQuestion::~UserQuestion() {
  line_->leave(place_);
  of_->end_one();
}

Json UserQuestion::ask(CancelFlag& cancel) { return of_->ask(request_, place_, cancel); }

Result<std::shared_ptr<UserQuestion>> UserQuestions::open(UserRequest request) {
  {
    const MutexLock lock(mutex_);
    if (open_ >= kMostOpen) {
      return Status(Code::kBusy, "the call of the tool has " + std::to_string(kMostOpen) + " open questions");
    }
  }
  return std::make_shared<UserQuestion>(shared_from_this(), std::move(request));
}

bool UserQuestions::closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

bool UserQuestions::any_open() const {
  const MutexLock lock(mutex_);
  return open_ > 0;
}

std::optional<UserQuestions::Clock::time_point> UserQuestions::last_ended() const {
  const MutexLock lock(mutex_);
  return last_ended_;
}

Json UserQuestions::ask(const UserRequest& request, AskingLine::Place place, CancelFlag& cancel) {
  const Asking asking(*this);
  if (!asking.open()) return not_decided(kOver);
  CancelFlag& flag = asking.flag();
  const auto follow = [&flag](CancelFlag& other) {
    return [&flag, &other] {
      set(
          flag, [&other] { return other.reason(); }, other.why());
    };
  };
  const CancelListener by_caller(cancel, follow(cancel));
  const CancelListener by_work(work_, follow(work_));
  if (!line_->wait(place, flag)) return not_decided(flag.reason());
  // The question before has ended: perhaps by a cancel that sets the flag of this one next.
  if (closed()) return not_decided(kOver);
  if (work_.cancelled()) return not_decided(work_.reason());
  return ask_(request, flag);
}

void UserQuestions::begin_one() {
  const MutexLock lock(mutex_);
  ++open_;
}

void UserQuestions::end_one() {
  const MutexLock lock(mutex_);
  --open_;
  last_ended_ = Clock::now();
  if (!closed_) ended_();
}

void UserQuestions::close() {
  const auto is_asked = [](const auto& flag) { return !flag->cancelled(); };
  MutexLock lock(mutex_);
  closed_ = true;
  while (!asking_.empty()) {
    const auto found = std::ranges::find_if(asking_, is_asked);
    if (found == asking_.end()) {
      lock.wait(changed_);
      continue;
    }
    const std::shared_ptr<CancelFlag> flag = *found;
    lock.unlock();
    set(
        *flag, [] { return std::string(kOver); }, Code::kCancelled);
    lock.lock();
  }
}

}  // namespace lh
