// The subpath llama-hooks/hooks: ready-made hook sets, and helpers for text that hooks put into a prompt.
// Must not: use anything but the public names of the package; each set is an example of how to write one.
export type { ApprovalAnswer, ApprovalRequest } from "./approval.js";
export { approve, type ApproveOptions } from "./approve.js";
export { audit, type AuditOptions } from "./audit.js";
export { type BudgetParts, estimateBudget, estimateTokens, type EstimatedBudget } from "./budget.js";
export { cache, type CacheSetOptions, type CacheStore } from "./cache.js";
export { fence } from "./fence.js";
export { limit, type LimitOptions } from "./limit.js";
export type {
  Asked,
  InputAnswer,
  InputQuestion,
  PermissionQuestion,
  Question,
  QuestionEvent,
  Questions,
  QuestionsOptions,
} from "./question-types.js";
export { questions } from "./questions.js";
export { redact, type RedactOptions } from "./redact.js";
