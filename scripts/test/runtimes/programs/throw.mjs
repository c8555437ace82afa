// Throws an uncaught error while a generation runs.
import { untilTokens } from "./until-tokens.mjs";

void untilTokens(() =>
  setImmediate(() => {
    throw new Error("nobody catches this");
  }),
);
