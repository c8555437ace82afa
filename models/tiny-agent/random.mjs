// Seeded randomness, and names and numbers made from it. The same seed gives the same data on every machine.

import { PIECES } from "./words.mjs";

export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  const pick = (list) => list[below(list.length)];
  return {
    next,
    below,
    pick,
    between: (low, high) => low + below(high - low + 1),
    chance: (p) => next() < p,
    shuffle(list) {
      const out = [...list];
      for (let i = out.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [out[i], out[j]] = [out[j], out[i]];
      }
      return out;
    },
    // [[weight, value], ...]
    weighted(table) {
      let at = next() * table.reduce((sum, [w]) => sum + w, 0);
      for (const [w, value] of table) if ((at -= w) < 0) return value;
      return table[table.length - 1][1];
    },
  };
}

// One name, stem or number in eight belongs to the held-out split, by its hash: no list to keep, and no overlap.
export function isHeldOut(text) {
  let hash = 0x811c9dc5;
  for (const ch of String(text).toLowerCase()) hash = Math.imul(hash ^ ch.codePointAt(0), 0x01000193) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  return (hash >>> 8) % 8 === 0;
}

// Draws until the value is of the wanted split.
export function ofSplit(heldOut, draw) {
  for (;;) {
    const value = draw();
    if (isHeldOut(value) === Boolean(heldOut)) return value;
  }
}

const SINGLE = "b c d f g h j k l m n p r s t v w y z".split(" ");
const CLUSTERS = "br ch cl cr dr fl fr gl gr kl kr pl pr qu sh sk sl sm sn sp st str sw th tr vr wh zh".split(" ");
const VOWELS = "a e i o u".split(" ");
const PAIRS = "ai au ea ee ei ia ie io oa oo ou ue y".split(" ");
const CODAS = "b ck d g k l ll m n n n ng nd nt p r r rd rg rk rm rn rt s s sk ss st t th v x z".split(" ");
const ACCENTED = { a: "á", e: "é", i: "í", o: "ö", u: "ü" };

// A word that is none: of syllables, or of pieces of real words.
export function syllables(random, low, high) {
  if (random.chance(0.4)) return Array.from({ length: random.between(1, high) }, () => random.pick(PIECES)).join("");
  let word = random.chance(0.2) ? random.pick(VOWELS) : "";
  const count = random.between(low, high);
  for (let i = 0; i < count; i++) {
    word += random.pick(random.chance(0.75) ? SINGLE : CLUSTERS) + random.pick(random.chance(0.8) ? VOWELS : PAIRS);
    if (random.chance(i === count - 1 ? 0.5 : 0.25)) word += random.pick(CODAS);
  }
  return word;
}

export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
export const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1);

export function inventedCity(random) {
  let name = capital(syllables(random, 1, random.pick([2, 2, 3])));
  if (random.chance(0.06)) name = name.replace(/[aeiou](?=[a-z])/, (v) => ACCENTED[v]);
  if (random.chance(0.1))
    name = `${random.pick(["New", "San", "Port", "Saint", "Los", "El", "North", "Bad", "Old"])} ${name}`;
  else if (random.chance(0.05)) name += random.pick([" City", " Bay", "-on-Sea", " Falls", " Beach"]);
  else if (random.chance(0.04)) name += `-${capital(syllables(random, 1, 2))}`;
  return name;
}
