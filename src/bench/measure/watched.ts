// Watches work that may never end, because code of others has a part in it.

/** Milliseconds between two looks. */
const lookMs = 1000;

/** Finds a fault, `seconds` after the work began. */
export type Look = (seconds: number) => Error | undefined;

/**
 * The result of the work; rejects as soon as a look, once a second, finds a fault. The work then continues without a
 * reader. `holds`: the process stays alive for it.
 */
export async function watched<T>(work: PromiseLike<T>, faultOf: Look, { holds = true } = {}): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  // Seconds are counted, not read from a clock: a machine that slept has not waited.
  let seconds = 0;
  const fault = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const found = faultOf(++seconds);
      if (found !== undefined) reject(found);
    }, lookMs);
    if (!holds) timer.unref();
  });
  try {
    return await Promise.race([work, fault]);
  } finally {
    clearInterval(timer);
  }
}
