// Records what one iteration of an outermost loop reads and changes.
// Must not: leave out a fact that the iteration depends on. An iteration that cannot be recorded always runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "llama/jinja/nodes/budget.h"
#include "llama/jinja/nodes/memory.h"
#include "llama/jinja/nodes/reads.h"
#include "llama/jinja/nodes/same.h"

namespace lh {

class Recorder {
 public:
  // Number of facts, and of variables set, so far.
  struct Mark {
    size_t facts = 0;
    size_t sets = 0;
    bool operator==(const Mark&) const = default;
  };

  // A strict recorder throws this. No std::exception, because nodes catch those.
  struct Refused {};

  struct NamesRead {
    std::vector<jinja::value> names;
    bool of_loop = false;  // members of `loop`

    void add(const Reads& reads);
  };

  // `scope`: of the loop. `name`: of its item. `loop`: its variable of this name; null if it is not set. `strict`:
  // the recorder throws Refused instead of noting a fact, and before the template changes a list or object that existed
  // before.
  Recorder(jinja::context& scope, jinja::value name, jinja::value item, jinja::value loop, Record& record, Tape& tape,
           bool strict = false);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The recorder of this thread; null if no iteration is being recorded.
  static Recorder* current();

  // Runs an expression and notes its value, or lets its parts note theirs.
  template <typename Run>
  jinja::value read(const Repeatable& node, const Reads& reads, jinja::context& scope, const Run& run) {
    if (strict_) names_read_.add(reads);
    if (quiet_ > 0) return run();
    if (claimed_ == &node) {
      claimed_ = nullptr;
      return quietly(run);
    }
    const Source source = source_of(reads, scope);
    if (source == Source::kMixed) return run();
    {
      TemplateBudget::Trial trial;
      const ListReach reach;
      jinja::value made = quietly(run);
      const bool noted = source != Source::kOuter || note(node, made, reach.items());
      if (!noted && reads.is_name) give_up();
      if (noted || reads.is_name) {
        trial.count();
        return made;
      }
    }
    return run();
  }

  // The caller notes the next run of this node.
  void claim(const Repeatable* node) {
    if (quiet_ == 0) claimed_ = node;
  }

  // True if the iteration began with this value of the variable, and has not set it.
  [[nodiscard]] bool is_outer(const jinja::value& name, const jinja::value& held) const;

  // A variable's member at a computed place was read. `node`: of the variable.
  void note_member(const jinja::value& name, const jinja::value& object, const jinja::value& place,
                   const Repeatable& node);
  void note_element(const jinja::value& name, const jinja::value& list, size_t place);
  void note_at_least(const jinja::value& name, const jinja::value& list, size_t items);
  // Notes the value of an expression. `reach`: the items at the beginning of its lists that it depends on. False if the
  // value cannot be copied.
  bool note(const Repeatable& node, const jinja::value& made, size_t reach = 0);
  // Notes a scan. `begun`: the mark before its first item. False if the loop is not a scan: the caller notes the whole
  // list.
  bool note_scan(const jinja::value& name, const jinja::value& list, Scan scan, jinja::context& scope, Mark begun);
  [[nodiscard]] Mark mark() const { return {record_.facts.size(), sets_}; }
  void give_up();
  // The data that a strict recorder has seen read.
  [[nodiscard]] const NamesRead& names_read() const { return names_read_; }

  void set(jinja::context& scope, const jinja::value& name);
  void set_member(const jinja::value& name, const jinja::value& object, const jinja::value& member);
  // Throws Refused if a trial must not change the object.
  void check_change(const jinja::value& object) const {
    if (strict_ && !is_own(object)) throw Refused();
  }
  // The list or object is about to change.
  void changes(const jinja::value& container);
  // A node has made the list or object.
  void made(const jinja::value& container);

  // The iteration has ended. `continued`: by {% continue %}.
  void end(bool continued);

 private:
  enum class Source : uint8_t {
    kOwn,    // follows from the item, and from what the iteration has made
    kOuter,  // follows from variables that the iteration began with, and the item
    kMixed,
  };
  // Nothing is noted while it lives.
  class Quiet {
   public:
    explicit Quiet(int& depth) : depth_(depth) { ++depth_; }
    ~Quiet() { --depth_; }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    int& depth_;
  };

  template <typename Run>
  jinja::value quietly(const Run& run) {
    const Quiet quiet(quiet_);
    return run();
  }

  [[nodiscard]] Source source_of(const Reads& reads, jinja::context& scope);
  [[nodiscard]] Source source_of(const Reads& reads, const jinja::value& name, const jinja::value& held);
  [[nodiscard]] bool has_changed(const jinja::value& object) const;
  [[nodiscard]] bool may_hold_changed(const jinja::value& container) const;
  [[nodiscard]] bool is_own(const jinja::value& container) const;
  void keep_changes();
  void keep(const jinja::value& name, const jinja::value& member, const jinja::value& written);
  void add(Fact fact);

  Recorder* const outer_;
  const jinja::value_object variables_;  // of the loop's scope
  const jinja::value name_;
  const jinja::value item_;
  const jinja::value loop_;
  Record& record_;
  Tape& tape_;
  const bool strict_;
  const Repeatable* claimed_ = nullptr;
  int quiet_ = 0;
  size_t sets_ = 0;
  std::vector<jinja::value> written_;  // names
  struct Field {
    jinja::value variable;
    jinja::value object;  // that the iteration began with
    jinja::value member;
  };
  std::vector<Field> fields_;  // written ones
  std::unordered_map<const jinja::value_t*, std::weak_ptr<jinja::value_t>> made_;
  std::unordered_set<const jinja::value_t*> kept_;
  NamesRead names_read_;
};

}  // namespace lh
