// Records of a template's outermost loops: each iteration's facts, writes and text.
// Must not: hold a value that a template may still change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "jinja/runtime.h"
#include "llama/jinja/nodes/reads.h"
#include "llama/jinja/nodes/same.h"

namespace lh {

// A scan is a loop within an iteration that iterates over a list or the end of one. It reads only the list's items and
// variables of the iteration, and sets no variable. If the list has grown, a trial on the new items shows whether the
// scan finds anything there.
struct Scan {
  const jinja::statements* body = nullptr;
  jinja::value variable = nullptr;
  size_t begin = 0;         // in the list
  mutable size_t seen = 0;  // items of the list that the scan has run through
  ValueMembers made = {};   // the variables of the iteration when the loop had ended
};

// An iteration depends on its facts: if all still hold, it prints and changes the same.
struct Fact {
  enum class Kind : uint8_t {
    kExpression,  // an expression's value
    kElement,     // an item of a list, or that it has none
    kAtLeast,     // a list has at least this number of items
    kScan,        // a scan finds nothing new
  } kind = Kind::kExpression;
  const Repeatable* expression = nullptr;
  jinja::value name = nullptr;  // of the list
  size_t number = 0;            // the item's place; the number of items
  jinja::value held = nullptr;
  std::shared_ptr<const Scan> scan = nullptr;
  mutable size_t reach = 0;  // items at the beginning of the lists that the expression depends on
};

// A variable of the loop's scope, or a member of one, that an iteration set.
struct Write {
  jinja::value name;
  jinja::value member;  // null: the variable itself
  jinja::value held;
};

struct Record {
  jinja::value item;
  std::vector<Fact> facts;
  std::vector<Write> writes;
  jinja::value printed;
  bool reusable = true;
  bool continued = false;  // ended by {% continue %}
  bool last = false;       // the item was the last of the loop
  size_t bytes = 0;
};

// The record for an equal item. A later run compares the items of one conversation by their addresses.
[[nodiscard]] std::shared_ptr<const Record> with_item(std::shared_ptr<const Record> record, const jinja::value& item);

// One run of a loop.
struct Tape {
  std::vector<std::shared_ptr<const Record>> records = {};
  jinja::value_object begun = nullptr;            // snapshots of the variables before the first item
  ValueMembers lists = {};                        // by name, as they were when scans went through them
  std::shared_ptr<const bool> spoiled = nullptr;  // true: a given value has changed, and the records are void
  size_t bytes = 0;

  void add(std::shared_ptr<const Record> record);
  [[nodiscard]] bool is_full() const;
};

// The latest runs of one loop.
class LoopMemory {
 public:
  // Takes out the tape that shares the longest beginning of items with the loop. Empty if no tape shares one.
  [[nodiscard]] Tape take(const std::vector<jinja::value>& items);
  void keep(Tape tape);
  // False for nearly all runs of a loop whose tapes were never reused.
  [[nodiscard]] bool is_worth_it();

 private:
  size_t in_vain_ = 0;       // runs since a tape was last reused
  std::vector<Tape> tapes_;  // the last is the latest
};

// The number of items at the beginning that a tape and a loop share.
[[nodiscard]] size_t common_items(const Tape& tape, const std::vector<jinja::value>& items);

}  // namespace lh
