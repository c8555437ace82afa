// What the command ends with. Must not: decide which.
export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;
