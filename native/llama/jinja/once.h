// Renders a template once for all renderings of one conversation. llama.cpp renders each conversation with and without
// the generation prompt, and again to find out facts for its handlers. Must not: take a text from memory unless every
// variable of the template is the same. Only the time may differ: a text has the time of its rendering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/same.h"

namespace lh {

// Remembers the renderings of this thread while the object lives.
class Renderings {
 public:
  Renderings();
  ~Renderings();
  Renderings(const Renderings&) = delete;
  Renderings& operator=(const Renderings&) = delete;

 private:
  friend struct Once;
  struct Rendering {
    uint64_t maker;      // the program's number
    ValueMembers given;  // but the switch of the generation prompt
    jinja::value without;
    jinja::value with;   // null, as `without` may be: not rendered yet
    jinja::value begun;  // the text up to the tail; null: unknown
    ValueMembers after;  // the variables then
    uint64_t epoch = 0;  // TemplateBudget::epoch(), at which these are whole

    [[nodiscard]] bool is_for(const Rendering& asked) const;
    jinja::value& text(bool switched) { return switched ? with : without; }
  };

  Renderings* const outer_;
  std::vector<Rendering> known_;
};

// While the object lives, this thread renders a whole conversation whenever llama.cpp asks it to render a sample of it.
class SampledMessages {
 public:
  // `values`: of all messages; null: unknown. `sample`: places in order, with all that are unknown.
  SampledMessages(std::vector<jinja::value> values, std::vector<size_t> sample);
  ~SampledMessages();
  SampledMessages(const SampledMessages&) = delete;
  SampledMessages& operator=(const SampledMessages&) = delete;

  // True if llama.cpp has only asked for renderings of the sample, with the values that are known, and the template has
  // changed no value.
  [[nodiscard]] bool held() const;
  // The values, with those that llama.cpp has rendered in place of the unknown ones.
  [[nodiscard]] const std::vector<jinja::value>& values() const { return values_; }
  // The places where llama.cpp has rendered another value than the known one; empty if it has rendered another number
  // of messages.
  [[nodiscard]] const std::vector<size_t>& changed() const { return changed_; }
  // The variables but the messages and the switch; none if they were not the same in all renderings.
  [[nodiscard]] std::optional<ValueMembers> others() const;

 private:
  friend struct Once;
  void put_whole(jinja::context& scope);
  [[nodiscard]] bool takes(const std::vector<jinja::value>& rendered);
  void note(const ValueMembers& given);

  SampledMessages* const outer_;
  const uint64_t begun_;  // number of changes of given values
  const std::vector<size_t> sample_;
  std::vector<jinja::value> values_;
  jinja::value whole_;  // the list of all values; null before the first rendering
  std::vector<size_t> changed_;
  std::optional<ValueMembers> others_;
  size_t renderings_ = 0;
  size_t noted_ = 0;  // renderings whose variables are known
  bool held_ = true;
};

// The name of the variable that has the conversation.
inline constexpr const char* kMessages = "messages";

// Makes the program render once. `source`: of the program.
void render_once(jinja::program& program, const std::string& source);

struct PromptTexts {
  std::string without;  // the generation prompt
  std::string with;
};

// Renders a program of render_once() in both ways. `given`: all variables but the switch. Throws what the template
// throws.
[[nodiscard]] PromptTexts render_both(const jinja::program& program, const std::string& source,
                                      const ValueMembers& given);

}  // namespace lh
