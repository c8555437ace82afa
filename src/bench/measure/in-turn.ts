// Measures several sides of a comparison in turn, within one process.

/** Makes one measurement. `round`: its number, from 0; -1 to warm up. */
export type Side<T> = (round: number) => Promise<T>;

/**
 * Calls each side once to warm up, because the first call reads the prompt and touches code and pages for the first
 * time; then `rounds` times in turn, and returns the results of each side.
 */
export async function inTurn<T>(sides: readonly Side<T>[], rounds: number): Promise<T[][]> {
  for (const side of sides) await side(-1);
  const found = sides.map((): T[] => []);
  for (let round = 0; round < rounds; round++) {
    // Each side comes first equally often.
    const from = round % sides.length;
    for (let place = 0; place < sides.length; place++) {
      const index = (from + place) % sides.length;
      const result = await sides[index]?.(round);
      if (result !== undefined) found[index]?.push(result);
    }
  }
  return found;
}
