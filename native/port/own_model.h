// A remote model, which the caller adds: its functions (lh_generator) and its features.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "llama_hooks/engine.h"
#include "model/generator.h"
#include "model/parameters.h"

namespace lh {

class OwnModel {
 public:
  // Checks the description. Errors: kInvalidArgument, with the key.
  [[nodiscard]] static Result<std::shared_ptr<OwnModel>> create(OwnModelParams description,
                                                                const lh_generator& functions);
  OwnModel(OwnModelParams description, const lh_generator& functions)
      : description_(std::move(description)), functions_(functions) {}
  ~OwnModel();
  OwnModel(const OwnModel&) = delete;
  OwnModel& operator=(const OwnModel&) = delete;

  // From now on the user data is released with this object.
  void keep() { kept_ = true; }

  [[nodiscard]] const OwnModelParams& description() const { return description_; }
  // The name of its server in messages: its address, or its description.
  [[nodiscard]] const std::string& name() const {
    return description_.address.empty() ? description_.description : description_.address;
  }
  [[nodiscard]] const lh_generator& functions() const { return functions_; }
  [[nodiscard]] bool has(std::string_view feature) const;
  // The parameters that were set and that the model follows, for its request. Errors: kUnsupportedByModel, with the
  // name of the first that it does not follow.
  [[nodiscard]] Result<Json> accept(const SamplingParams& params, const std::string& model_id) const;
  // Errors: kUnsupportedByModel, with what the prompt needs.
  [[nodiscard]] Status accept(const PromptRequest& request, const std::string& model_id) const;

 private:
  [[nodiscard]] bool follows(std::string_view parameter) const;

  const OwnModelParams description_;
  const lh_generator functions_;
  std::atomic<bool> kept_{false};
};
static_assert(!std::is_copy_constructible_v<OwnModel>);

// A status that a caller's function gave; kInternal if the number is unknown.
[[nodiscard]] Code code_of(lh_status status);

// `what`: an option or a feature.
[[nodiscard]] Status unsupported(const std::string& model_id, const std::string& what);

// An address without its user and password, query and fragment, which may hold keys.
[[nodiscard]] std::string without_secrets(std::string address);

}  // namespace lh
