// Renders a template once for all renderings of one conversation. llama.cpp renders each conversation with and without
// the generation prompt, and again for what its handlers want to know.
// Must not: take a text from memory unless every variable of the template is the same. The time may be another one: a
// text has that of its rendering.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jinja/runtime.h"

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
  using Variables = std::vector<std::pair<jinja::value, jinja::value>>;

  struct Rendering {
    uint64_t maker;   // the program's number
    Variables given;  // but the switch of the generation prompt
    jinja::value without;
    jinja::value with;   // null, as `without` may be: not rendered yet
    jinja::value begun;  // the text up to the tail; null: unknown
    Variables after;     // the variables then
    uint64_t epoch = 0;  // TemplateBudget::epoch(), at which these are whole

    [[nodiscard]] bool is_for(const Rendering& asked) const;
    jinja::value& text(bool switched) { return switched ? with : without; }
  };

  Renderings* const outer_;
  std::vector<Rendering> known_;
};

// While the object lives, this thread renders the whole conversation whenever llama.cpp asks it to render the sample.
class SampledMessages {
 public:
  // `sample` and `whole` are lists of messages.
  SampledMessages(jinja::value sample, jinja::value whole);
  ~SampledMessages();
  SampledMessages(const SampledMessages&) = delete;
  SampledMessages& operator=(const SampledMessages&) = delete;

  // True if llama.cpp has only asked for renderings of the sample, unchanged, and no message has changed since.
  [[nodiscard]] bool held() const;
  // The flag becomes true when the template changes a message. Null before the first rendering.
  [[nodiscard]] const std::shared_ptr<const bool>& spoiled() const { return spoiled_; }

 private:
  friend struct Once;
  void put_whole(jinja::context& scope, std::shared_ptr<const bool> spoiled);

  SampledMessages* const outer_;
  const jinja::value sample_;
  const jinja::value whole_;
  std::shared_ptr<const bool> spoiled_;
  bool held_ = true;
};

// The name of the variable that asks for a generation prompt.
inline constexpr const char* kGenerationSwitch = "add_generation_prompt";

// Divides a program where the generation prompt may begin; nothing before reads the switch. The tail that it returns is
// empty if there is no such place. `pure`: a tail that changes nothing and calls no function, so that it can run any
// number of times. `source`: of the program.
[[nodiscard]] jinja::program cut_tail(jinja::program& program, const std::string& source, bool pure);

// Makes the program render once. `source`: of the program.
void render_once(jinja::program& program, const std::string& source);

}  // namespace lh
