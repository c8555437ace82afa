#include "port/counted.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/text/utf8.h"
#include "base/threads/mutex.h"

namespace lh {

class CountAnswer {
 public:
  CountAnswer() = default;
  CountAnswer(const CountAnswer&) = delete;
  CountAnswer& operator=(const CountAnswer&) = delete;

  void give(Result<int64_t> tokens) {
    {
      const MutexLock lock(mutex_);
      if (!tokens_) tokens_ = std::move(tokens);
    }
    given_.notify_all();
  }

  Result<int64_t> wait(const CancelFlag* cancel) {
    constexpr auto kPoll = std::chrono::milliseconds(20);  // the flag is here to be polled
    MutexLock lock(mutex_);
    while (!tokens_) {
      if (cancel != nullptr && cancel->cancelled()) return Status(cancel->why(), cancel->reason());
      lock.wait_until(given_, std::chrono::steady_clock::now() + kPoll);
    }
    return *tokens_;
  }

 private:
  Mutex mutex_;
  std::condition_variable given_;
  std::optional<Result<int64_t>> tokens_ LH_GUARDED_BY(mutex_);
};
static_assert(!std::is_copy_constructible_v<CountAnswer>);

// One of the places where exceptions stop: a C++ function may throw though it must not.
Result<int64_t> counted_by(const std::shared_ptr<const OwnModel>& model, const std::string& request,
                           const CancelFlag* cancel) {
  const auto answer = std::make_shared<CountAnswer>();
  lh_count* const handle = counts_under_way().add({answer, model});  // the caller's, until lh_count_end
  const lh_generator& functions = model->functions();
  const auto failed = [handle](Status status) -> Status {
    if (counts_under_way().take(handle) != nullptr) return status;
    return {Code::kRemoteFailed,
            std::string("the prompt was counted, and then the count returned ") + code_name(status.code())};
  };
  try {
    const lh_status status = functions.count(request.c_str(), handle, functions.user_data);
    if (status != LH_OK) return failed({code_of(status), "the prompt cannot be counted"});
  } catch (const std::exception& error) {
    return failed({Code::kInternal, "counting the prompt threw an exception: " + to_utf8(error.what())});
  } catch (...) {
    return failed({Code::kInternal, "counting the prompt threw something that is not a std::exception"});
  }
  return answer->wait(cancel);
}

// Never destroyed: the caller's threads may answer counts while the process exits.
PointerHandles<lh_count, CountUnderWay>& counts_under_way() {
  static auto& all = *new PointerHandles<lh_count, CountUnderWay>;
  return all;
}

void answer_count(CountAnswer& answer, Result<int64_t> tokens) { answer.give(std::move(tokens)); }

}  // namespace lh
