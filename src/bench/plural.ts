// Numbers with their nouns. Must not: know any other language.

/** `1 call`, `2 calls`; `many` where an s does not do. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
