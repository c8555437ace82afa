// The size of storms: `npm test` takes a sample, `npm run test:long` all of it.

/** True in `npm run test:long`. */
export const isLong = process.env["LONG_TESTS"] !== undefined;

/** `all` in `npm run test:long`, else `sample`. */
export function amount(sample: number, all: number): number {
  return isLong ? all : sample;
}
