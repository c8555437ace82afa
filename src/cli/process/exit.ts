// The command's exit codes, and the error that means wrong usage.

export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/**
 * The user called the command wrongly: exit code 2. Only checks of values on the command line, and of the files that
 * they name, throw it. A `TypeError` is no wrong usage: it comes from a defect or from a user's file.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
