// A prompt in the other process, and how to read the answer to it.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/threads/mutex.h"
#include "isolation/client/child_model.h"
#include "model/generator.h"

namespace lh {

class ChildPrompt final : public Prompt {
 public:
  // `answer`: of the request "prepare" at `place`, where `maker` is.
  ChildPrompt(const ChildModel& maker, ChildModel::Place place, const Link::Answer& answer);
  ~ChildPrompt() override;
  ChildPrompt(const ChildPrompt&) = delete;
  ChildPrompt& operator=(const ChildPrompt&) = delete;

  const std::string& text() const override;
  int64_t length() const override { return length_; }
  const OutputFormat& format() const override { return format_; }
  bool one_call() const override { return one_call_; }
  const std::vector<std::string>& stops() const override { return stops_; }

  [[nodiscard]] const ChildModel* maker() const { return maker_; }  // only to be compared
  [[nodiscard]] const ChildModel::Place& place() const { return place_; }
  [[nodiscard]] uint64_t number() const { return number_; }

 private:
  class Format final : public OutputFormat {
   public:
    explicit Format(const ChildPrompt& prompt) : prompt_(prompt) {}
    bool plain() const override { return plain_; }
    const Marks& marks() const override { return marks_; }
    Result<ParsedOutput> parse(std::string_view text, bool partial) const override;
    Result<ParsedOutput> parse_calls(std::string_view text) const override;

   private:
    friend class ChildPrompt;
    const ChildPrompt& prompt_;
    bool plain_ = false;
    Marks marks_;
  };
  [[nodiscard]] Result<Link::Answer> ask(Json json, std::string_view bytes = {}) const;

  const ChildModel* const maker_;
  const ChildModel::Place place_;
  const std::string work_for_;
  const uint64_t number_;
  const int64_t length_;
  const bool one_call_;
  const std::vector<std::string> stops_;
  Format format_;
  mutable Mutex mutex_;
  mutable bool has_text_ LH_GUARDED_BY(mutex_) = false;
  mutable std::string text_;  // does not change once it is there
};
static_assert(!std::is_copy_constructible_v<ChildPrompt>);

}  // namespace lh
