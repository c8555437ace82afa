#include "engine/models/crash_reports.h"

#include <string>

#include "engine/models/hook_scope.h"
#include "engine/models/lifecycle_points.h"

namespace lh {

CrashReports::CrashReports(ModelRuntime& runtime, const Dispatcher& dispatcher, CancelFlag& closing,
                           const ModelTable& table, const MemoryLedger& ledger)
    : runtime_(runtime), dispatcher_(dispatcher), closing_(closing), table_(table), ledger_(ledger) {
  runtime_.listen(this);
}

CrashReports::~CrashReports() { runtime_.listen(nullptr); }

void CrashReports::crashed(const Status& why) {
  dispatcher_.error(scope_of_engine("", closing_), code_name(why.code()), why.message(), "process", true);
}

// Its memory stays reserved for it.
void CrashReports::lost(const Generator& model, const Status& why) {
  std::shared_ptr<LoadedModel> gone;
  MemoryUse freed;
  {
    const TableLock lock(table_);
    gone = table_.find_loaded(model);
    if (gone == nullptr) return;
    gone->is_lost = true;
    freed = ledger_.held().freed_with(model.memory());
  }
  tell_unloaded(dispatcher_, closing_, *gone, freed, why.message());
}

void CrashReports::loaded_again(const Generator& model, double load_ms) {
  std::shared_ptr<LoadedModel> back;
  {
    const TableLock lock(table_);
    back = table_.find_loaded(model);
    if (back != nullptr) back->is_lost = false;
  }
  if (back != nullptr) tell_ready(dispatcher_, scope_of_engine(back->id, closing_), *back, load_ms);
}

void CrashReports::sent_again(const Generator& model, const Status& why) {
  std::string id;
  {
    const TableLock lock(table_);
    if (const auto of = table_.find_loaded(model)) id = of->id;
  }
  dispatcher_.error(scope_of_engine(id, closing_), code_name(why.code()),
                    why.message() + "; what was asked of the model, and had got no answer yet, is sent once more",
                    "process", true);
}

}  // namespace lh
