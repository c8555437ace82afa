// The part of a sequence that a prompt can reuse, and the states that are kept.
#include <memory>
#include <numeric>
#include <vector>

#include "check.h"
#include "llama/decode/state_store.h"

namespace {

using lh::Checkpoint;
using lh::Checkpoints;
using lh::CutRule;
using lh::StateBytes;
using lh::StateStore;
using lh::StoredState;

constexpr CutRule kAnywhere{true, 0};
constexpr CutRule kWindow{false, 16};
constexpr CutRule kNowhere{false, 0};

Checkpoints checkpoints_at(std::initializer_list<int32_t> lengths) {
  Checkpoints made;
  for (const int32_t length : lengths) made.push_back(std::make_shared<Checkpoint>(Checkpoint{length, StateBytes(3)}));
  return made;
}

void a_plain_cache_is_cut_anywhere() {
  CHECK(lh::resume_at(7, 40, 0, {}, kAnywhere).length == 7);
  CHECK(lh::resume_at(7, 40, 0, checkpoints_at({5}), kAnywhere).checkpoint == nullptr);
}

void a_window_is_cut_where_it_is_still_there() {
  CHECK(lh::resume_at(40, 40, 24, {}, kWindow).length == 40);  // nothing to cut
  CHECK(lh::resume_at(36, 40, 20, {}, kWindow).length == 36);
  CHECK(lh::resume_at(36, 40, 21, {}, kWindow).length == 0);
  CHECK(lh::resume_at(10, 40, 0, {}, kWindow).length == 10);  // all of it is there
  const auto resume = lh::resume_at(36, 40, 24, checkpoints_at({8, 30, 38}), kWindow);
  CHECK(resume.length == 30 && resume.checkpoint->length == 30);
}

void a_recurrent_state_is_not_cut() {
  CHECK(lh::resume_at(40, 40, 39, {}, kNowhere).length == 40);
  CHECK(lh::resume_at(39, 40, 39, {}, kNowhere).length == 0);
  CHECK(lh::resume_at(39, 40, 0, checkpoints_at({10, 20}), kNowhere).length == 20);
  CHECK(lh::resume_at(9, 40, 39, checkpoints_at({10, 20}), kNowhere).length == 0);
}

StoredState state_of(std::vector<int32_t> tokens, size_t bytes = 100) {
  StoredState state;
  state.tokens = std::move(tokens);
  state.state = StateBytes(bytes - state.tokens.size() * sizeof(int32_t));
  return state;
}

bool any(const StateStore::Match&) { return true; }

void the_longest_prefix_is_found() {
  StateStore store(1000);
  store.put(state_of({1, 2, 3}), kAnywhere);
  store.put(state_of({1, 2, 9, 9, 9}), kAnywhere);
  CHECK(store.best({1, 2, 9, 9, 4}, {}, kAnywhere, any).resume.length == 4);
  CHECK(store.best({1, 2, 3, 4}, {}, kAnywhere, any).resume.length == 3);
  CHECK(store.best({1, 2, 3}, {}, kAnywhere, any).resume.length == 2);  // the last token is evaluated for its logits
  CHECK(store.best({7}, {}, kAnywhere, any).state == nullptr);
  CHECK(store.best({1, 2, 3, 4}, {}, kNowhere, any).resume.length == 3);
  CHECK(store.best({1, 2, 9, 4}, {}, kNowhere, any).state == nullptr);
  CHECK(store.best({1, 2, 3, 4}, {}, kAnywhere, [](const StateStore::Match&) { return false; }).state == nullptr);
}

void a_state_serves_its_own_adapters_only() {
  const lh::AdapterKey loud{{1, 1.0F}};
  const lh::AdapterKey soft{{1, 0.5F}};
  StateStore store(1000);
  store.put(state_of({1, 2, 3}), kAnywhere);
  StoredState state = state_of({1, 2, 3, 4});
  state.adapters = loud;
  store.put(std::move(state), kAnywhere);  // does not replace the other
  CHECK(store.best({1, 2, 3, 4, 5}, {}, kAnywhere, any).resume.length == 3);
  CHECK(store.best({1, 2, 3, 4, 5}, loud, kAnywhere, any).resume.length == 4);
  CHECK(store.best({1, 2, 3, 4, 5}, soft, kAnywhere, any).state == nullptr);
  CHECK(store.holds({1, 2, 3}, {}, kAnywhere) && store.holds({1, 2, 3, 4}, loud, kAnywhere));
  CHECK(!store.holds({1, 2, 3, 4}, {}, kAnywhere) && !store.holds({1, 2, 3}, soft, kAnywhere));
}

void an_adapter_that_acts_later_shares_what_is_before() {
  const lh::AdapterKey from_3{{1, 1.0F, 3}};
  const lh::AdapterKey from_5{{1, 1.0F, 5}};
  const lh::AdapterKey beside{{1, 1.0F, 3}, {2, 1.0F, 6}};
  CHECK(lh::common_prefix(from_3, from_3) == INT32_MAX && lh::common_prefix({}, lh::AdapterKey()) == INT32_MAX);
  CHECK(lh::common_prefix({}, from_3) == 3 && lh::common_prefix(from_5, {}) == 5);
  CHECK(lh::common_prefix(from_3, from_5) == 3 && lh::common_prefix(from_3, beside) == 6);
  CHECK(lh::common_prefix(from_5, beside) == 3);
  StateStore store(1000);
  StoredState state = state_of({1, 2, 3, 4, 5, 6});
  state.adapters = from_3;
  store.put(std::move(state), kAnywhere);
  CHECK(store.best({1, 2, 3, 4, 5, 6, 7}, {}, kAnywhere, any).resume.length == 3);
  CHECK(store.best({1, 2, 3, 4, 5, 6, 7}, from_3, kAnywhere, any).resume.length == 6);
  CHECK(store.holds({1, 2, 3}, {}, kAnywhere) && !store.holds({1, 2, 3, 4}, {}, kAnywhere));
  StoredState other = state_of({1, 2, 3, 4, 5, 6});
  other.adapters = from_5;
  store.put(std::move(other), kAnywhere);  // both stay: each serves for what the other does not
  CHECK(store.best({1, 2, 3, 4, 5, 6, 7}, from_3, kAnywhere, any).resume.length == 6);
  CHECK(store.best({1, 2, 3, 4, 5, 6, 7}, {}, kAnywhere, any).resume.length == 5);
}

void what_cannot_be_cut_holds_no_beginning() {
  StateStore store(1000);
  store.put(state_of({1, 2, 3, 4}), kAnywhere);
  CHECK(store.holds({1, 2, 3, 4}, {}, kNowhere) && !store.holds({1, 2, 3}, {}, kNowhere));
  CHECK(store.holds({1, 2, 3}, {}, kAnywhere) && !store.holds({1, 3}, {}, kAnywhere));
  store.put(state_of({1, 2, 3, 4, 5}), kNowhere);
  CHECK(store.holds({1, 2, 3, 4}, {}, kNowhere));  // tokens that the new one does not hold
}

void the_longest_unused_goes_first() {
  StateStore store(300);
  for (int32_t first = 1; first <= 3; ++first) store.put(state_of({first, first}), kAnywhere);
  store.used(store.best({1, 1, 1}, {}, kAnywhere, any).state);
  store.put(state_of({4, 4}), kAnywhere);
  CHECK(store.holds({1, 1}, {}, kAnywhere) && store.holds({3, 3}, {}, kAnywhere) && store.holds({4, 4}, {}, kAnywhere));
  CHECK(!store.holds({2, 2}, {}, kAnywhere));
  store.put(state_of({5, 5}, 301), kAnywhere);  // larger than the store: nothing is dropped for it
  CHECK(store.holds({1, 1}, {}, kAnywhere) && store.holds({3, 3}, {}, kAnywhere) &&
        store.holds({4, 4}, {}, kAnywhere) && !store.holds({5, 5}, {}, kAnywhere));
}

void a_continuation_takes_the_place_of_what_it_continues() {
  StateStore store(250);
  store.put(state_of({1, 2}), kAnywhere);
  store.put(state_of({7, 7}), kAnywhere);
  store.put(state_of({1, 2, 3}), kAnywhere);
  CHECK(store.holds({1, 2, 3}, {}, kAnywhere) && store.holds({7, 7}, {}, kAnywhere));
  store.drop(store.best({7, 7, 7}, {}, kAnywhere, any).state);
  CHECK(!store.holds({7, 7}, {}, kAnywhere));
  store.put(state_of({8, 8}), kAnywhere);
  CHECK(store.holds({1, 2, 3}, {}, kAnywhere) && store.holds({8, 8}, {}, kAnywhere));
}

void what_others_use_counts() {
  StateStore store(250);
  CHECK(store.reserve(100));
  store.put(state_of({1, 1}), kAnywhere);
  store.put(state_of({2, 2}), kAnywhere);
  CHECK(!store.holds({1, 1}, {}, kAnywhere) && store.holds({2, 2}, {}, kAnywhere));
  CHECK(store.reserve(150));  // which leaves no room
  CHECK(!store.holds({2, 2}, {}, kAnywhere));
  CHECK(!store.reserve(1));
  store.unreserve(250);
  store.put(state_of({3, 3}), kAnywhere);
  CHECK(store.holds({3, 3}, {}, kAnywhere));
  CHECK(!StateStore(0).enabled());
  store.put(state_of({3, 3, 3}, 251), kAnywhere);  // too large: the state that it continues stays
  CHECK(store.holds({3, 3}, {}, kAnywhere));
}

void the_oldest_are_dropped_when_that_is_asked() {
  StateStore store(500);
  for (int32_t first = 1; first <= 3; ++first) store.put(state_of({first, first}), kAnywhere);
  const size_t all = store.stored();
  const size_t one = all / 3;
  CHECK(all > 0 && store.drop_oldest(0) == 0 && store.stored() == all);
  CHECK(store.drop_oldest(1) == one && store.stored() == all - one);
  CHECK(!store.holds({1, 1}, {}, kAnywhere) && store.holds({2, 2}, {}, kAnywhere));
  CHECK(store.drop_oldest(SIZE_MAX) == 2 * one && store.stored() == 0);
  CHECK(store.drop_oldest(1) == 0);
}

}  // namespace

int main() {
  a_plain_cache_is_cut_anywhere();
  a_window_is_cut_where_it_is_still_there();
  a_recurrent_state_is_not_cut();
  the_longest_prefix_is_found();
  a_state_serves_its_own_adapters_only();
  an_adapter_that_acts_later_shares_what_is_before();
  what_cannot_be_cut_holds_no_beginning();
  the_longest_unused_goes_first();
  a_continuation_takes_the_place_of_what_it_continues();
  what_others_use_counts();
  the_oldest_are_dropped_when_that_is_asked();
  return check_result("state_store_test");
}
