// The plain parts of what opens a session and starts a run.
// Generated from native/contract/parameters.json by scripts/generate-contract.mjs; do not edit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json/object_reader.h"
#include "base/json/tags.h"

namespace lh {

enum class OnLimit { kStop, kAnswer };
enum class Compaction { kSummarize, kTruncate, kToolResults, kOff };

struct SessionParams {
  std::string model;  // empty: the only loaded model
  std::string system;
  std::string restore;
  std::string record;
  std::string id;  // empty: a new id
  std::string tier;
  Tags tags;
  int32_t max_iterations = 25;
  int32_t max_tool_calls = 100;
  OnLimit on_limit = OnLimit::kStop;
  int32_t max_calls_in_a_row = 7;
  int32_t max_identical_calls = 3;
  int32_t max_result_bytes = 16384;
  std::optional<int32_t> max_parallel_tools;  // none: all
  int32_t max_parts_bytes = 16777216;
  int32_t injection_reserve = 1024;
  Compaction compaction = Compaction::kSummarize;
  double compact_at = 0.75;
  int32_t answer_reserve = 0;
  bool reflect = false;
  std::string reflection_prompt;  // empty: the engine's own
  std::string critic_prompt;  // empty: no question is asked
  int32_t max_delegation_depth = 3;
  int32_t max_failed_delegations = 2;
  int32_t max_delegation_retries = 3;
  int32_t max_continuations = 10;
  int32_t max_completion_rejections = 3;
  int32_t max_run_tokens = 0;
  int32_t max_run_ms = 0;
  bool explicit_completion = false;
  int32_t tool_deadline_ms = 60000;
};

void read(ObjectReader& reader, SessionParams& out);

struct TierParams {
  std::string description;
  std::string model;  // empty: the session's
  std::string system;  // empty: the session's
  std::optional<bool> explicit_completion;  // none: the session's
};

void read(ObjectReader& reader, TierParams& out);

struct PhaseParams {
  std::string description;
};

void read(ObjectReader& reader, PhaseParams& out);

struct RunParams {
  std::string content;
  std::optional<Json> answer;
  bool dry_run = false;
  int32_t priority = 0;
  Tags tags;
};

void read(ObjectReader& reader, RunParams& out);

struct HistoryParams {
  bool compacted = true;
};

void read(ObjectReader& reader, HistoryParams& out);

struct CompactParams {
  std::string strategy;  // empty: the session's
  std::string instructions;
};

void read(ObjectReader& reader, CompactParams& out);

struct ElicitParams {
  std::string message;
  std::optional<Json> schema;  // none: any object
};

void read(ObjectReader& reader, ElicitParams& out);

}  // namespace lh
