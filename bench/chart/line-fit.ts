// Fits a straight line to measured points.

export interface LineFit {
  readonly base: number;
  readonly slope: number;
}

/** A point whose distance from the line is a larger share of its value is not on the line. */
export const FURTHEST_OFF = 1 / 3;

/**
 * The rising line with the least squares of relative errors: a point at 1 counts as much as one at 1,000. Null if the
 * points are not on a line.
 */
export function fitLine(points: readonly { readonly x: number; readonly y: number }[]): LineFit | null {
  let weights = 0;
  let sumX = 0;
  let sumY = 0;
  let sumXX = 0;
  let sumXY = 0;
  for (const { x, y } of points) {
    const weight = 1 / (y * y);
    weights += weight;
    sumX += weight * x;
    sumY += weight * y;
    sumXX += weight * x * x;
    sumXY += weight * x * y;
  }
  const spread = weights * sumXX - sumX * sumX;
  if (points.length < 3 || !(spread > 1e-12 * weights * sumXX)) return null;
  const slope = (weights * sumXY - sumX * sumY) / spread;
  const base = (sumY - slope * sumX) / weights;
  const fits = points.every(({ x, y }) => Math.abs(base + slope * x - y) <= FURTHEST_OFF * y);
  return fits && slope > 0 ? { base, slope } : null;
}
