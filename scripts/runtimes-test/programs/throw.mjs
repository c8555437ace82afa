// Throws an error that nobody catches while a generation runs.
import { untilTokens } from "./until-tokens.mjs";

void untilTokens(() =>
  setImmediate(() => {
    throw new Error("nobody catches this");
  }),
);
