// Says which members of headers and of an address's query are keys. Must not: count ids by which others find a request
// as keys.

/** Values that a server may repeat. */
export interface SecretValues {
  /** Keys: masked wherever a server repeats them. */
  readonly keys: readonly string[];
  /** Values that may be keys, or words such as "2024-10-21": masked in errors, and left alone in answers. */
  readonly others: readonly string[];
}

/** A shorter part is a word or a number. */
const shortestPart = 8;

const secretNames =
  /auth(?!or(?!i))|key(?!word|board)|token(?!i[sz])|secret|cookie|credential|passw|passphrase|pwd|bearer|signature|\bsig\b|jwt/i;

/** Sorts the values of headers, or of members of a query, into keys and others, by their names and texts. */
export function secretValues(members: Iterable<readonly [string, string]>): SecretValues {
  const keys: string[] = [];
  const others: string[] = [];
  for (const [name, value] of members) {
    if (secretNames.test(name) || isCredential(value)) keys.push(value, ...partsOf(value));
    else others.push(value);
  }
  return { keys, others };
}

/** True for `Bearer <key>` and `Basic <base64 of user:password>`, whatever the header is called. */
function isCredential(value: string): boolean {
  const [, scheme = "", word = ""] = /^\s*(bearer|basic)\s+(\S+)\s*$/i.exec(value) ?? [];
  return /bearer/i.test(scheme) || (scheme !== "" && Buffer.from(word, "base64").includes(":"));
}

/**
 * The parts that a server may repeat alone: the words of a value behind its scheme; of `name=value`, as in cookies, the
 * value.
 */
function partsOf(value: string): string[] {
  const words = value.split(/[\s;,]+/).filter(Boolean);
  const [first = ""] = words;
  const hasScheme = words.length > 1 && !first.includes("=");
  return (hasScheme ? words.slice(1) : words)
    .map((word) => word.replace(/^[^=]+=(?!=*$)/, "").replace(/^"|"$/g, ""))
    .filter((part) => part.length >= shortestPart);
}
