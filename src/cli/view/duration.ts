/** Formats microseconds: `163 µs`, `1.2 ms`, `3.4 s`. */
export function duration(us: number): string {
  return us < 1000 ? `${us.toFixed(0)} µs` : us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(1)} s`;
}
