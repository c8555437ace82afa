// The command's exit codes, and the error that means wrong usage.

export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The user called the command wrongly: exit code 2. A failure of the work itself throws another error. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
