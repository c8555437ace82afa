// The byte-level alphabet of GPT-2 style vocabularies: each byte is written as one printable character.

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

/** The code point of each byte: the byte itself if printable, otherwise the next free one from U+0100. */
const codePoints: readonly number[] = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => (isPrintable(byte) ? byte : next++));
})();

export function byteLevelCodePoints(bytes: Uint8Array): number[] {
  return Array.from(bytes, (byte) => codePoints[byte] ?? 0);
}

/** `bytes` as a vocabulary spells them: `" a"` becomes `"Ġa"`. */
export function byteLevelText(bytes: Uint8Array): string {
  return String.fromCodePoint(...byteLevelCodePoints(bytes));
}
