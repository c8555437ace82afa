// Is ended by a signal while a generation runs.
import { untilTokens } from "./until-tokens.mjs";

setInterval(() => {}, 1000);
await untilTokens(() => process.kill(process.pid, "SIGTERM"));
