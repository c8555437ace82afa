// The values that hooks gave at a point, field by field. Must not: outlive the outcome that it is read from.
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "base/json/json.h"
#include "hooks/dispatch/outcome.h"

namespace lh {

// The value of a field; the last hook that gave one counts. False if none did.
template <typename T>
class Given {
 public:
  Given() = default;
  Given(T* value, const Decision* decision, const char* field) : value_(value), decision_(decision), field_(field) {}

  explicit operator bool() const noexcept { return value_ != nullptr; }
  T& operator*() const noexcept { return *value_; }
  T* operator->() const noexcept { return value_; }
  [[nodiscard]] T or_else(T otherwise) const { return value_ == nullptr ? std::move(otherwise) : *value_; }

  // The hook that gave it; null if the engine did.
  [[nodiscard]] const HookRecord* giver() const { return named_by(*decision_, field_); }
  // The name of that hook; empty if the engine gave it.
  [[nodiscard]] std::string by() const { return giver() == nullptr ? std::string() : giver()->name; }

 private:
  T* value_ = nullptr;
  const Decision* decision_ = nullptr;
  const char* field_ = nullptr;
};

// The base of the two below. Each answer was checked against the point's schema, so that the types
// hold.
class GivenFields {
 public:
  GivenFields(Json* values, const Decision& decision) : values_(values), decision_(decision) {}

  // True if some hook gave something.
  [[nodiscard]] bool any() const { return values_ != nullptr && !values_->is_null(); }

 protected:
  template <typename T>
  [[nodiscard]] Given<T> get(const char* field) const {
    if (!any()) return {};
    const auto found = values_->find(field);
    if (found == values_->end()) return {};
    if constexpr (std::same_as<T, Json>) {
      return {&*found, &decision_, field};
    } else {
      return {found->get_ptr<T*>(), &decision_, field};
    }
  }
  void set(const char* field, Json value) const { (*values_)[field] = std::move(value); }

 private:
  Json* values_;
  const Decision& decision_;
};

// The base of a point's Changes: fields of its context that hooks changed.
struct GivenChanges : GivenFields {
  using GivenFields::GivenFields;
  explicit GivenChanges(DispatchResult& so_far) : GivenFields(&so_far.changes, so_far.decision) {}
};

// The base of a point's Answers: fields that only an answer has.
struct GivenAnswers : GivenFields {
  using GivenFields::GivenFields;
  explicit GivenAnswers(DispatchResult& so_far) : GivenFields(&so_far.answers, so_far.decision) {}
};

}  // namespace lh
