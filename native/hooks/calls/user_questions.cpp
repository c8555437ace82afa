#include "hooks/calls/user_questions.h"

#include <utility>

namespace lh {
namespace {

Json not_decided(const std::string& reason) { return {{"action", "cancel"}, {"reason", reason}}; }

constexpr const char* kOver = "the call of the tool is over";

}  // namespace

AskingTurn::Held::Held(AskingTurn& turn, CancelFlag& cancel) : turn_(turn) {
  const CancelListener listener(cancel, turn_.mutex_, turn_.changed_);
  MutexLock lock(turn_.mutex_);
  while (turn_.taken_ && !cancel.cancelled()) lock.wait(turn_.changed_);
  if (cancel.cancelled()) return;
  held_ = turn_.taken_ = true;
}

AskingTurn::Held::~Held() {
  if (!held_) return;
  const MutexLock lock(turn_.mutex_);
  turn_.taken_ = false;
  turn_.changed_.notify_all();
}

// Nothing of the call may be touched before its question is among those that are asked, or after it has left them.
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

UserQuestion::~UserQuestion() { of_->end_one(); }

Json UserQuestion::ask(CancelFlag& cancel) { return of_->ask(request_, cancel); }

std::shared_ptr<UserQuestion> UserQuestions::open(UserRequest request) {
  auto question = std::make_shared<UserQuestion>(shared_from_this(), std::move(request));
  const MutexLock lock(mutex_);
  ++open_;
  return question;
}

bool UserQuestions::any_open() const {
  const MutexLock lock(mutex_);
  return open_ > 0;
}

std::optional<UserQuestions::Clock::time_point> UserQuestions::last_ended() const {
  const MutexLock lock(mutex_);
  return last_ended_;
}

Json UserQuestions::ask(const UserRequest& request, CancelFlag& cancel) {
  const Asking asking(*this);
  if (!asking.open()) return not_decided(kOver);
  CancelFlag& flag = asking.flag();
  const CancelListener by_caller(cancel, [&] { flag.cancel(cancel.reason(), cancel.why()); });
  const CancelListener by_work(work_, [&] { flag.cancel(work_.reason(), work_.why()); });
  const AskingTurn::Held turn(turn_, flag);
  return turn ? ask_(request, flag) : not_decided(flag.reason());
}

void UserQuestions::end_one() {
  const MutexLock lock(mutex_);
  --open_;
  last_ended_ = Clock::now();
  if (!closed_) ended_();
}

void UserQuestions::close() {
  MutexLock lock(mutex_);
  closed_ = true;
  const auto asking = asking_;
  lock.unlock();
  for (const auto& flag : asking) flag->cancel(kOver);
  lock.lock();
  while (!asking_.empty()) lock.wait(changed_);
}

}  // namespace lh
