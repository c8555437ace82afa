// Asks PRE_GENERATE hooks about a request, and puts their answers there.
// Must not: choose the model, or generate.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "generation/model_request.h"
#include "hooks/dispatch/fire.h"
#include "hooks/dispatch/points_generate.h"

namespace lh {

class PreGenerate {
 public:
  // All outlive this object. `decisions` get what the hooks decided.
  PreGenerate(const Dispatcher& dispatcher, const Scope& scope, ModelRequest& request, std::vector<Decision>& decisions)
      : dispatcher_(dispatcher), scope_(scope), request_(request), decisions_(decisions) {}
  PreGenerate(const PreGenerate&) = delete;
  PreGenerate& operator=(const PreGenerate&) = delete;

  using Asked = PointOutcome<points::PreGenerate>;
  [[nodiscard]] Asked ask();
  // Puts the changes of ask() into the request. Changes that do not fit the request are reported to ON_ERROR hooks.
  // Errors: those of the values that hooks gave.
  [[nodiscard]] Status apply(const points::PreGenerate::Changes& changes);

 private:
  void report_bad_answer(const std::string& what) const;

  const Dispatcher& dispatcher_;
  const Scope& scope_;
  ModelRequest& request_;
  std::vector<Decision>& decisions_;
};
static_assert(!std::is_copy_constructible_v<PreGenerate>);

}  // namespace lh
