// npm's install step: builds the addon unless there is one for this machine and these sources.
import { buildNative, findProblems, isUpToDate, llamaOrigin } from "./native.mjs";

try {
  const problems = findProblems();
  if (problems.length > 0) {
    console.error(`llama-hooks cannot be built here:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    process.exit(1);
  }
  if (!isUpToDate()) {
    const time = llamaOrigin() === "source" ? "with llama.cpp: about a quarter of an hour" : "a minute or more";
    console.error(`llama-hooks: building the addon (${time})`);
    await buildNative();
  }
} catch (error) {
  console.error(`llama-hooks: ${error.message}`);
  process.exit(1);
}
