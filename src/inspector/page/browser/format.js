// Numbers as people read them.

/** @param {number} us microseconds */
export function duration(us) {
  if (!Number.isFinite(us)) return "";
  if (us < 1000) return `${short(us)} µs`;
  if (us < 1_000_000) return `${short(us / 1000)} ms`;
  if (us < 120_000_000) return `${short(us / 1_000_000)} s`;
  return `${Math.floor(us / 60_000_000)} min ${Math.round((us % 60_000_000) / 1_000_000)} s`;
}

/** Three digits. @param {number} value */
function short(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** @param {number} count */
export function bytes(count) {
  if (count === 0) return "0";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
  return `${short(count / 2 ** (10 * power))} ${units[power]}`;
}

/** @param {number} value */
export function number(value) {
  return value.toLocaleString("en");
}

/** @param {number} count @param {string} one @param {string} [many] */
export function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** @param {number} timeUs microseconds since the Unix epoch */
export function clockTime(timeUs) {
  return new Date(timeUs / 1000).toLocaleTimeString("en-GB", { hour12: false });
}

/** JSON in lines, or the text as it is. @param {string} json */
export function pretty(json) {
  try {
    const value = JSON.parse(json);
    return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  } catch {
    return json;
  }
}
