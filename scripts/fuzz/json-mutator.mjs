// Changes JSON texts by chance, the same for the same seed: mostly as trees, sometimes as bytes.

/** A generator of whole numbers below a limit (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

function nested(depth) {
  let value = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

const values = [
  null, true, false, 0, -1, 0.5, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), "", "a\0b", "\ud800", "x".repeat(5000), [], {},
  "../../../etc/passwd", "__proto__", [null], { type: "object" }, { length: -1 }, "(a+)+$",
]; // prettier-ignore

function places(root) {
  const found = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined && found.length < 5000; node = open.pop()) {
    for (const key of Object.keys(node)) {
      found.push([node, key]);
      if (typeof node[key] === "object" && node[key] !== null) open.push(node[key]);
    }
  }
  return found;
}

function changeTree(root, random) {
  const all = places(root);
  if (all.length === 0) return { changed: values[random(values.length)] };
  const [parent, key] = all[random(all.length)];
  const [other, otherKey] = all[random(all.length)];
  switch (random(7)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      break;
    case 1:
      parent[key] = structuredClone(other[otherKey]);
      break;
    case 2:
      if (Array.isArray(parent)) for (let i = random(30); i >= 0; i--) parent.push(structuredClone(parent[key]));
      else parent[`${key}${random(3) === 0 ? "__proto__" : "x"}`] = parent[key];
      break;
    case 3:
      parent[key] = random(4) === 0 ? nested(random(3000)) : [parent[key]];
      break;
    case 4:
      if (typeof parent[key] === "number") parent[key] = [parent[key] + 1, -parent[key], parent[key] * 1e9][random(3)];
      else if (typeof parent[key] === "string") parent[key] = changeBytes(parent[key], random);
      else parent[key] = values[random(values.length)];
      break;
    default:
      parent[key] = structuredClone(values[random(values.length)]);
  }
  return root;
}

function changeBytes(text, random) {
  const at = random(text.length + 1);
  const length = random(8);
  return [
    text.slice(0, at) + text.slice(at + length),
    text.slice(0, at) + String.fromCharCode(random(0x300)) + text.slice(at),
    text.slice(0, at) + text.slice(at, at + 40).repeat(3) + text.slice(at),
    text.slice(0, at),
  ][random(4)];
}

export function changed(text, random) {
  if (random(12) === 0) return changeBytes(text, random);
  let root;
  try {
    root = JSON.parse(text);
  } catch {
    return changeBytes(text, random);
  }
  if (typeof root !== "object" || root === null) return changeBytes(text, random);
  try {
    for (let times = 1 + random(3); times > 0; times--) root = changeTree(root, random);
    return JSON.stringify(root);
  } catch (error) {
    if (error instanceof RangeError) return changeBytes(text, random); // deeper than JavaScript itself can write
    throw error;
  }
}
