#include "llama/jinja/once.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/caught.h"
#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/given.h"
#include "llama/jinja/nodes/nodes.h"
#include "llama/jinja/nodes/same.h"
#include "llama/jinja/nodes/variables.h"
#include "llama/jinja/switch_default.h"

namespace lh {
namespace {

constexpr size_t kMostRenderings = 4;

thread_local Renderings* current_renderings = nullptr;
thread_local SampledMessages* current_sample = nullptr;
std::atomic<uint64_t> next_id = 1;

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// Counts how often a statement reads the switch.
size_t switches_in(const jinja::statement& statement) {
  size_t found = 0;
  each_node(statement, [&](const jinja::statement& node) {
    const auto* name = dynamic_cast<const jinja::identifier*>(&node);
    if (name != nullptr && name->val == kGenerationSwitch) ++found;
  });
  return found;
}

}  // namespace

// The only statement of a program that renders once.
struct Once : jinja::statement {
  Once(jinja::program& program, const std::string& source) : reads_switch(count(source, kGenerationSwitch) > 0) {
    head = std::move(program.body);
    pos = 0;
    cut_tail(source);
  }

  // The tail begins with the first statement that reads the switch, but for those that only give it a default. All its
  // occurrences in the source must have been found.
  void cut_tail(const std::string& source) {
    const bool sound = std::ranges::none_of(head, [](const auto& one) { return sets_constant(*one); });
    size_t begin = head.size();
    size_t found = 0;
    for (size_t i = 0; i < head.size(); ++i) {
      const size_t switches = switches_in(*head[i]);
      found += switches;
      if (switches == 0 || begin < i || (sound && gives_default(head[i]) && takes_default(*head[i]))) continue;
      begin = i;
    }
    if (begin == head.size() || found != count(source, kGenerationSwitch)) return;
    const auto first = head.begin() + static_cast<std::ptrdiff_t>(begin);
    tail.assign(std::make_move_iterator(first), std::make_move_iterator(head.end()));
    head.erase(first, head.end());
  }

  std::string type() const override { return "Program"; }
  void visit(jinja::context& scope) const override {
    scope.visitor(false, this, {{"head", jinja::stmts_to_ptr(head)}, {"tail", jinja::stmts_to_ptr(tail)}});
  }

  // Renderings share the values that they are given. If this rendering changes one, the destructor drops all of the
  // program's renderings.
  struct Forgotten {
    Renderings* memory;  // may be null
    uint64_t program;
    uint64_t given = changes().given;
    ~Forgotten() {
      if (memory == nullptr || changes().given == given) return;
      std::erase_if(memory->known_, [this](const auto& one) { return one.maker == program; });
    }
  };

  // True if the statement runs; `on` and `off` then have the default.
  bool takes_default(const jinja::statement& one) {
    try {
      const auto value_behind = [&](const jinja::value& value) {
        jinja::context scope;
        set_variable(scope, switch_name, value);
        one.execute(scope);
        return *find_variable(scope, switch_name);
      };
      jinja::value when_on = value_behind(on);
      off = value_behind(off);
      on = std::move(when_on);
      return true;
    } catch (const std::exception&) {  // each rendering reports that
      pass_on_no_memory();
      return false;
    }
  }

  jinja::value execute_impl(jinja::context& scope) const override {
    Renderings* const memory = current_renderings;
    if (memory == nullptr || scope.is_get_stats) return whole(scope);
    if (current_sample != nullptr) current_sample->put_whole(scope);
    const GivenValues::Rendering rendering(values, scope);
    if (GivenValues::current() == nullptr) return whole(scope);
    ValueMembers given = variables_of(scope)->val_obj;
    const auto is_switch = [](const auto& one) { return one.first->val_str.str() == kGenerationSwitch; };
    const auto switched = std::ranges::find_if(given, is_switch);
    const bool present = switched != given.end();
    if (present && !jinja::is_val<jinja::value_bool>(switched->second)) return whole(scope);
    const bool with = reads_switch && present && switched->second->as_bool();
    if (reads_switch && present && !with) return whole(scope);  // a template can tell false from absent
    if (present) given.erase(switched);
    if (current_sample != nullptr) current_sample->note(given);

    Renderings::Rendering made{id, std::move(given), {}, {}, {}, {}, 0};
    const auto known = std::ranges::find_if(memory->known_, [&made](const auto& one) { return one.is_for(made); });
    if (known != memory->known_.end()) {
      if (jinja::value text = known->text(with)) return text;
      made = std::move(*known);
      memory->known_.erase(known);  // a template that fails may have changed it
    }
    const Changes before = changes();
    const Forgotten forgotten{memory, id};
    jinja::value text = run(made, with, scope);
    if (changes().given != before.given) return text;
    made.text(with) = text;
    if (memory->known_.size() == kMostRenderings) memory->known_.erase(memory->known_.begin());
    memory->known_.push_back(std::move(made));
    return text;
  }

  // Runs the tail alone if the variables that it begins with are known.
  jinja::value run(Renderings::Rendering& made, bool with, jinja::context& scope) const {
    if (tail.empty()) return whole(scope);
    if (made.begun && made.epoch == TemplateBudget::epoch()) {
      variables_of(scope)->val_obj = made.after;
      set_variable(scope, switch_name, with ? on : off);
    } else {
      made.begun = text_of(head, scope);
      made.after = variables_of(scope)->val_obj;
    }
    const uint64_t changed = changes().containers;
    jinja::value text = with_text(made.begun, text_of(tail, scope));
    made.epoch = TemplateBudget::epoch();
    if (changes().containers != changed) made.begun = nullptr;
    return text;
  }

  static jinja::value with_text(const jinja::value& text, const jinja::value& more) {
    auto both = jinja::mk_val<jinja::value_string>();
    both->val_str = text->val_str;
    both->val_str.append(more->val_str);
    return both;
  }

  [[nodiscard]] PromptTexts both(const std::string& source, const ValueMembers& given) const {
    const Forgotten forgotten{current_renderings, id};
    const auto whole_text = [&](bool with) {
      jinja::context scope(source);
      set_variables(scope, given);
      if (with) set_variable(scope, switch_name, switched_on());
      const GivenValues::Rendering rendering(values, scope);
      return whole(scope)->val_str.str();
    };
    if (!reads_switch) {
      std::string text = whole_text(false);
      return {text, text};
    }
    if (tail.empty()) return {whole_text(false), whole_text(true)};
    PromptTexts texts;
    if (!divide(source, given, texts)) texts.with = whole_text(true);
    return texts;
  }

  // Runs the head once. False if only the text without the generation prompt is known: the tail has changed the
  // variables that it begins with, or the caller has given a constant another value.
  [[nodiscard]] bool divide(const std::string& source, const ValueMembers& given, PromptTexts& texts) const {
    jinja::context scope(source);
    set_variables(scope, given);
    const GivenValues::Rendering rendering(values, scope);
    if (GivenValues::current() == nullptr) {
      texts.without = whole(scope)->val_str.str();
      return false;
    }
    const std::string begun = plain_text_of(head, scope);
    const ValueMembers after = variables_of(scope)->val_obj;
    const uint64_t changed = changes().containers;
    texts.without = begun + plain_text_of(tail, scope);
    if (changes().containers != changed) return false;
    variables_of(scope)->val_obj = after;
    set_variable(scope, switch_name, on);
    texts.with = begun + plain_text_of(tail, scope);
    return true;
  }

  static jinja::value switched_on() { return jinja::mk_val<jinja::value_bool>(true); }

  static void set_variables(jinja::context& scope, const ValueMembers& given) {
    for (const auto& [name, value] : given) scope.set_val(name->val_str.str(), value);
  }

  [[nodiscard]] jinja::value whole(jinja::context& scope) const {
    const jinja::value begun = text_of(head, scope);
    return with_text(begun, text_of(tail, scope));
  }

  const uint64_t id = next_id++;
  const bool reads_switch;
  const jinja::value switch_name = text_value(kGenerationSwitch);
  jinja::statements head;
  jinja::statements tail;
  // The values of the switch for the tail.
  jinja::value on = switched_on();
  jinja::value off = jinja::mk_val<jinja::value_undefined>(kGenerationSwitch);
  mutable GivenValues values;
};

bool Renderings::Rendering::is_for(const Rendering& asked) const {
  return maker == asked.maker && same_members(given, asked.given);
}

Renderings::Renderings() : outer_(std::exchange(current_renderings, this)) {}

Renderings::~Renderings() { current_renderings = outer_; }

SampledMessages::SampledMessages(std::vector<jinja::value> values, std::vector<size_t> sample)
    : outer_(std::exchange(current_sample, this)),
      begun_(changes().given),
      sample_(std::move(sample)),
      values_(std::move(values)) {}

SampledMessages::~SampledMessages() { current_sample = outer_; }

bool SampledMessages::held() const { return held_ && renderings_ > 0 && changes().given == begun_; }

bool SampledMessages::takes(const std::vector<jinja::value>& rendered) {
  if (rendered.size() != sample_.size()) {
    changed_.clear();
    return false;
  }
  for (size_t i = 0; i < rendered.size(); ++i) {
    jinja::value& known = values_[sample_[i]];
    if (known == nullptr) {
      known = rendered[i];
    } else if (!same(rendered[i], known)) {
      changed_.push_back(sample_[i]);
    }
  }
  return changed_.empty();
}

void SampledMessages::put_whole(jinja::context& scope) {
  static const auto& name = *new jinja::value(text_value(kMessages));
  const jinja::value* const given = find_variable(scope, name);
  held_ = held_ && given != nullptr && changes().given == begun_ && takes((*given)->val_arr);
  ++renderings_;
  if (!held_) return;
  if (whole_ == nullptr) whole_ = jinja::mk_val<jinja::value_array>(values_);
  set_variable(scope, name, whole_);
}

void SampledMessages::note(const ValueMembers& given) {
  ValueMembers others = given;
  std::erase_if(others, [](const auto& one) { return one.first->val_str.str() == kMessages; });
  if (noted_++ == 0) {
    others_ = std::move(others);
  } else if (others_ && !same_members(*others_, others)) {
    others_.reset();
  }
}

std::optional<ValueMembers> SampledMessages::others() const { return noted_ == renderings_ ? others_ : std::nullopt; }

void render_once(jinja::program& program, const std::string& source) {
  auto once = std::make_unique<Once>(program, source);
  program.body.clear();
  program.body.push_back(std::move(once));
}

PromptTexts render_both(const jinja::program& program, const std::string& source, const ValueMembers& given) {
  return dynamic_cast<const Once&>(*program.body.front()).both(source, given);
}

}  // namespace lh
