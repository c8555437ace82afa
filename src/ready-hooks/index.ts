// The subpath llama-hooks/hooks: sets of hooks that many programs want, and helpers for what hooks put into a prompt.
// Must not: use anything but the public names of the package; each set is an example of how to write one.
export { approve, type ApprovalAnswer, type ApprovalRequest, type ApproveOptions } from "./approve.js";
export { audit, type AuditOptions } from "./audit.js";
export { type BudgetParts, estimateBudget, estimateTokens, type EstimatedBudget } from "./budget.js";
export { cache, type CacheSetOptions, type CacheStore } from "./cache.js";
export { fence } from "./fence.js";
export { limit, type LimitOptions } from "./limit.js";
export { redact, type RedactOptions } from "./redact.js";
