// Exits while a generation runs.
import { untilTokens } from "./until-tokens.mjs";

process.on("exit", (code) => console.log("exit", code));
await untilTokens(() => process.exit(7));
