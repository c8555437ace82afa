// Lets callers share a load: the first caller of a name loads, callers that ask for the same path and options wait.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/models/model_table.h"
#include "engine/models/shared_load.h"
#include "engine/tasks/requests.h"
#include "generation/work.h"
#include "hooks/calls/call.h"
#include "hooks/dispatch/decision_log.h"

namespace lh {

// One caller's part in a load.
struct LoadTicket {
  LoadTicket(std::string name, LoadRequest how) : id(std::move(name)), request(std::move(how)) {}

  const std::string id;
  const LoadRequest request;
  const int level = Call::level_here();  // of the work that is about to run
  std::shared_ptr<SharedLoad> shared_load;
  bool loads = false;  // true: this caller does the load; false: it waits for the caller that does
};

class LoadJoining {
 public:
  explicit LoadJoining(ModelTable& table) : table_(table) {}
  LoadJoining(const LoadJoining&) = delete;
  LoadJoining& operator=(const LoadJoining&) = delete;

  // Reserves the name for a load that is about to run, or joins a running load. Errors: kInvalidArgument, for an empty
  // name; kModelInUse.
  [[nodiscard]] Status reserve(LoadTicket& ticket);
  // The work of a reserved ticket does not begin.
  void drop_reservation(const LoadTicket& ticket);

  struct End {
    bool cancelled;  // by the waiting caller
    Status status;
    Refusal refused;
  };
  // Waits for the caller that loads, and passes its progress on. None: that caller has cancelled, and this one loads.
  [[nodiscard]] std::optional<End> wait(LoadTicket& ticket, const Work& work);
  // Called by the loading caller, for the waiting ones.
  void tell_progress(const std::string& id, float fraction);
  // The caller has cancelled a load that has succeeded. True: no other caller wants the model, which is now to be
  // unloaded.
  [[nodiscard]] bool take_back(const LoadTicket& ticket);

 private:
  void pass_on_progress(const LoadTicket& ticket, const Work& work, float share);
  static void take_over(LoadTicket& ticket) LH_REQUIRES(table_mutex);
  void leave(const LoadTicket& ticket) LH_REQUIRES(table_mutex);

  ModelTable& table_;
};
static_assert(!std::is_copy_constructible_v<LoadJoining>);

}  // namespace lh
