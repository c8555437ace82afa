// Tells hooks that the process that computes has died, which models were lost with it, and when they are back.
#pragma once

#include <type_traits>

#include "base/threads/cancel.h"
#include "engine/models/memory_ledger.h"
#include "engine/models/model_table.h"
#include "hooks/dispatch/dispatcher.h"
#include "model/model_runtime.h"

namespace lh {

class CrashReports final : public RuntimeListener {
 public:
  CrashReports(ModelRuntime& runtime, const Dispatcher& dispatcher, CancelFlag& closing, const ModelTable& table,
               const MemoryLedger& ledger);
  ~CrashReports() override;
  CrashReports(const CrashReports&) = delete;
  CrashReports& operator=(const CrashReports&) = delete;

  void crashed(const Status& why) override;
  void lost(const Generator& model, const Status& why) override;
  void loaded_again(const Generator& model, double load_ms) override;
  void sent_again(const Generator& model, const Status& why) override;

 private:
  ModelRuntime& runtime_;
  const Dispatcher& dispatcher_;
  CancelFlag& closing_;
  const ModelTable& table_;
  const MemoryLedger& ledger_;
};
static_assert(!std::is_copy_constructible_v<CrashReports>);

}  // namespace lh
