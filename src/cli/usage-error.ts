// What the user of the command got wrong: exit code 2. Must not: be thrown for failures of the work itself.
export class UsageError extends Error {
  override readonly name = "UsageError";
}
