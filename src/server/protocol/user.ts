// The client's word for its own user.
import { optionalString, optionError } from "../../base/check.js";

/** Errors: `TypeError` with `param`. */
export function userOf(value: unknown, member: string): string | undefined {
  const user = optionalString(value, member);
  if (user !== undefined && Buffer.byteLength(user) > 512)
    throw optionError(member, `${member} must have at most 512 bytes`);
  return user;
}
