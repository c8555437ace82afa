// Asks the caller's function how many tokens a prompt has, and waits for the answer.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "base/threads/cancel.h"
#include "port/own_model.h"
#include "port/pointer_handles.h"

namespace lh {

class CountAnswer;

// `request`: JSON. Errors: those of `cancel`, which may be null; those that the function gives.
[[nodiscard]] Result<int64_t> counted_by(const std::shared_ptr<const OwnModel>& model, const std::string& request,
                                         const CancelFlag* cancel);

// From the function that was asked: `tokens`, or the error. The first answer counts.
void answer_count(CountAnswer& answer, Result<int64_t> tokens);

// A count that the caller's function holds until it answers.
struct CountUnderWay {
  std::shared_ptr<CountAnswer> answer;
  std::shared_ptr<const OwnModel> model;  // whose user data the caller uses
};
[[nodiscard]] PointerHandles<lh_count, CountUnderWay>& counts_under_way();

}  // namespace lh
