import { expect, test } from "vitest";
import { size } from "../../src/base/byte-size.js";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [4_812_345, "4.8 MB"],
  [999_949_999, "999.9 MB"],
  [999_950_000, "1.0 GB"],
  [2e12, "2000.0 GB"],
])("%d bytes are shown as %s", (bytes, shown) => {
  expect(size(bytes)).toBe(shown);
});
