// Numbers with their nouns, in English.

/** `1 call`, `2 calls`. `many` is the plural of a noun that takes more than an s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
