// Code words for token embeddings: vectors of +1 and -1, so different from each other that the most likely token is
// never in doubt.

/** Length of a code word, which is the width of a script model. */
export const codeLength = 128;

/** The number of code words. */
export const codeCount = 128 * 128;

/**
 * Code word number `index`. The inner product of two different words is 0 or ±16, of a word with itself 128.
 *
 * This is the dual of the extended double-error-correcting BCH code: the word of (a, b) has at place x the sign
 * trace(a·x + b·x³) over GF(2⁷). For odd exponents the cube is "almost bent", which gives the bound.
 */
export function codeWord(index: number): Int8Array {
  if (index < 0 || index >= codeCount) throw new RangeError(`No code word ${index}`);
  const a = (index & 127) << 7;
  const b = (index >> 7) << 7;
  const word = new Int8Array(codeLength);
  for (let x = 0; x < codeLength; x++) {
    word[x] = traces[a | x] === traces[b | (cubes[x] ?? 0)] ? 1 : -1;
  }
  return word;
}

function multiply(left: number, right: number): number {
  let product = 0;
  for (let bit = 6; bit >= 0; bit--) {
    product <<= 1;
    if (product & 0x80) product ^= 0x83; // x^7 + x + 1
    if ((right >> bit) & 1) product ^= left;
  }
  return product;
}

function trace(value: number): number {
  let sum = 0;
  for (let i = 0, power = value; i < 7; i++, power = multiply(power, power)) sum ^= power;
  return sum;
}

const cubes = Uint8Array.from({ length: 128 }, (_, x) => multiply(x, multiply(x, x)));

/** The trace of each product: that of `left` and `right` is at `left << 7 | right`. */
const traces = ((): Uint8Array => {
  const ofOne = Uint8Array.from({ length: 128 }, (_, value) => trace(value));
  return Uint8Array.from({ length: 128 * 128 }, (_, pair) => ofOne[multiply(pair >> 7, pair & 127)] ?? 0);
})();
