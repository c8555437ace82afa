// One question to JavaScript: see js_question.h.
#include "js_question.h"

#include <utility>

namespace lh::node {
namespace {

// The user data of on_over. The owner outlives the wait; the question may end before.
struct Asked {
  std::shared_ptr<QuestionOwner> owner;
  std::weak_ptr<JsQuestion> question;
};

}  // namespace

std::shared_ptr<JsQuestion> JsQuestion::ask(const std::shared_ptr<QuestionOwner>& owner, ContextParts payload) {
  const std::shared_ptr<JsQuestion> question(new JsQuestion(lh_call_id(), lh_current_task(), std::move(payload)));
  auto asked = std::make_unique<Asked>(Asked{owner, question});
  lh_pending* pending = nullptr;
  if (lh_call_defer(&JsQuestion::on_over, asked.get(), &pending) != LH_OK) return nullptr;
  static_cast<void>(asked.release());  // now owned by on_over
  lh_pending_queue(pending);
  {
    const MutexLock lock(question->mutex_);
    question->pending_ = pending;
  }
  owner->opened(question);
  return question;
}

lh_pending* JsQuestion::take() {
  const MutexLock lock(mutex_);
  return std::exchange(pending_, nullptr);
}

bool JsQuestion::begin() {
  const MutexLock lock(mutex_);
  return pending_ != nullptr && lh_pending_begin(pending_) == LH_OK;
}

lh_status JsQuestion::unwanted() {
  const MutexLock lock(mutex_);
  return pending_ == nullptr ? over_ : lh_pending_begin(pending_);
}

JsQuestion::~JsQuestion() { fail(LH_ERR_CLOSED, kClosedMessage); }

void JsQuestion::answer(JsAnswer answer) {
  if (answer.kind == JsAnswer::kFailed) {
    return fail(answer.status, answer.text ? answer.text.get() : "failed", answer.cause_id);
  }
  lh_pending* const pending = take();
  if (pending && answer.kind == JsAnswer::kPass) {
    lh_pending_pass(pending);
  } else if (pending) {
    lh_pending_finish(pending, answer.kind == JsAnswer::kCancel ? 1 : 0, answer.text.release());
  }
  open_.store(false, std::memory_order_release);
}

void JsQuestion::fail(lh_status status, const char* message, uint64_t cause_id) {
  lh_pending* const pending = take();
  if (pending && lh_pending_fail(pending, status, message, cause_id) == LH_ERR_INVALID_ARGUMENT) {
    lh_pending_fail(pending, LH_ERR_HOOK_FAILED, message, cause_id);  // the status is not one for a hook call
  }
  open_.store(false, std::memory_order_release);
}

// On the run thread, when it stops waiting.
void JsQuestion::on_over(lh_status status, void* user_data) {
  const std::unique_ptr<Asked> asked(static_cast<Asked*>(user_data));
  if (status == LH_OK) return;
  const std::shared_ptr<JsQuestion> question = asked->question.lock();
  if (!question) return;
  {
    const MutexLock lock(question->mutex_);
    question->over_ = status;
  }
  question->fail(status, nullptr);  // too late for the engine, but frees the pending answer
  try {
    asked->owner->give_up(question->id(), status);
  } catch (const std::exception&) {  // no memory for the job: the handler is not notified
  }
}

}  // namespace lh::node
