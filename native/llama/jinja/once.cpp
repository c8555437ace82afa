#include "llama/jinja/once.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/changes.h"
#include "llama/jinja/nodes/given.h"
#include "llama/jinja/nodes/nodes.h"
#include "llama/jinja/nodes/same.h"
#include "llama/jinja/nodes/variables.h"

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

// The properties of a template's statement.
struct Contents {
  size_t switches = 0;  // how often it reads the switch
  bool pure = true;     // changes no variable and calls no function, so it can run any number of times
};

Contents contents_of(const jinja::statement& statement) {
  static const std::set<std::string, std::less<>> kPure = {"If",
                                                           "Noop",
                                                           "Comment",
                                                           "BlankExpression",
                                                           "MemberExpression",
                                                           "Identifier",
                                                           "Ternary",
                                                           "FloatLiteral",
                                                           "StringLiteral",
                                                           "BinaryExpression",
                                                           "TestExpression",
                                                           "UnaryExpression",
                                                           "IntegerLiteral"};
  Contents found;
  jinja::context context;
  context.visitor = [&](bool, const jinja::statement* node, const std::vector<jinja::visitor_pair>& children) {
    if (!kPure.contains(node->type())) found.pure = false;
    const auto* name = dynamic_cast<const jinja::identifier*>(node);
    if (name != nullptr && name->val == kGenerationSwitch) ++found.switches;
    for (const auto& [label, nodes] : children) {
      for (const jinja::statement* child : nodes) {
        if (child != nullptr) child->visit(context);
      }
    }
  };
  statement.visit(context);
  return found;
}

}  // namespace

// The only statement of a program that renders once.
struct Once : jinja::statement {
  Once(jinja::program& program, const std::string& source)
      : reads_switch(count(source, kGenerationSwitch) > 0), tail(cut_tail(program, source, false).body) {
    head = std::move(program.body);
    pos = 0;
  }

  std::string type() const override { return "Program"; }
  void visit(jinja::context& scope) const override {
    scope.visitor(false, this, {{"head", jinja::stmts_to_ptr(head)}, {"tail", jinja::stmts_to_ptr(tail)}});
  }

  // Renderings share the values that they are given. If this rendering changes one, the destructor drops all of the
  // program's renderings.
  struct Forgotten {
    Renderings& memory;
    uint64_t program;
    uint64_t given;
    ~Forgotten() {
      if (changes().given == given) return;
      std::erase_if(memory.known_, [this](const auto& one) { return one.maker == program; });
    }
  };

  jinja::value execute_impl(jinja::context& scope) const override {
    Renderings* const memory = current_renderings;
    if (memory == nullptr || scope.is_get_stats) return whole(scope);
    if (current_sample != nullptr) current_sample->put_whole(scope, values.spoiled());
    const GivenValues::Rendering rendering(values, scope);
    Renderings::Variables given = variables_of(scope)->val_obj;
    const auto is_switch = [](const auto& one) { return one.first->val_str.str() == kGenerationSwitch; };
    const auto switched = std::ranges::find_if(given, is_switch);
    const bool present = switched != given.end();
    if (present && !jinja::is_val<jinja::value_bool>(switched->second)) return whole(scope);
    const bool with = reads_switch && present && switched->second->as_bool();
    if (reads_switch && present && !with) return whole(scope);  // a template can tell false from absent
    if (present) given.erase(switched);

    Renderings::Rendering made{id, std::move(given), {}, {}, {}, {}, 0};
    const auto known = std::ranges::find_if(memory->known_, [&made](const auto& one) { return one.is_for(made); });
    if (known != memory->known_.end()) {
      if (jinja::value text = known->text(with)) return text;
      made = std::move(*known);
      memory->known_.erase(known);  // a template that fails may have changed it
    }
    const Changes before = changes();
    const Forgotten forgotten{*memory, id, before.given};
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
      set_variable(scope, switch_name,
                   with ? jinja::value(jinja::mk_val<jinja::value_bool>(true))
                        : jinja::mk_val<jinja::value_undefined>(kGenerationSwitch));
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

  [[nodiscard]] jinja::value whole(jinja::context& scope) const {
    const jinja::value begun = text_of(head, scope);
    return with_text(begun, text_of(tail, scope));
  }

  const uint64_t id = next_id++;
  const bool reads_switch;
  const jinja::value switch_name = text_value(kGenerationSwitch);
  const jinja::statements tail;
  jinja::statements head;
  mutable GivenValues values;
};

bool Renderings::Rendering::is_for(const Rendering& asked) const {
  return maker == asked.maker && same_members(given, asked.given);
}

Renderings::Renderings() : outer_(std::exchange(current_renderings, this)) {}

Renderings::~Renderings() { current_renderings = outer_; }

SampledMessages::SampledMessages(jinja::value sample, jinja::value whole)
    : outer_(std::exchange(current_sample, this)), sample_(std::move(sample)), whole_(std::move(whole)) {}

SampledMessages::~SampledMessages() { current_sample = outer_; }

bool SampledMessages::held() const { return held_ && spoiled_ != nullptr && !*spoiled_; }

void SampledMessages::put_whole(jinja::context& scope, std::shared_ptr<const bool> spoiled) {
  static const auto& name = *new jinja::value(text_value("messages"));
  const jinja::value* const given = find_variable(scope, name);
  held_ = held_ && given != nullptr && same(*given, sample_) && (spoiled_ == nullptr || !*spoiled_);
  if (held_) set_variable(scope, name, whole_);
  spoiled_ = std::move(spoiled);
}

// The tail begins with the first statement that reads the switch. All its occurrences in the source must have been
// found there.
jinja::program cut_tail(jinja::program& program, const std::string& source, bool pure) {
  jinja::program tail;
  auto& body = program.body;
  size_t begin = body.size();
  size_t found = 0;
  bool is_pure = true;
  for (size_t i = 0; i < body.size(); ++i) {
    const Contents contents = contents_of(*body[i]);
    if (contents.switches > 0) begin = std::min(begin, i);
    found += contents.switches;
    if (i >= begin) is_pure = is_pure && contents.pure;
  }
  if ((pure && !is_pure) || begin == body.size() || found != count(source, kGenerationSwitch)) return tail;
  const auto first = body.begin() + static_cast<std::ptrdiff_t>(begin);
  tail.body.assign(std::make_move_iterator(first), std::make_move_iterator(body.end()));
  body.erase(first, body.end());
  return tail;
}

void render_once(jinja::program& program, const std::string& source) {
  auto once = std::make_unique<Once>(program, source);
  program.body.clear();
  program.body.push_back(std::move(once));
}

}  // namespace lh
