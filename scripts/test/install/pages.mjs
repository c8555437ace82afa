// The programs of docs/getting-started.md and of the guides, as they stand there.
// Must not: know what any of them is about.

/** Files, commands and output of a guide. A file has the name that the text gives last before the block. */
export function guideOf(page) {
  const files = new Map();
  let commands = "node guide.mjs";
  let prints = "";
  let name = "guide.mjs";
  for (const [, language = "", code = "", named] of page.matchAll(
    /^```(\w+)\n(.*?)^```|`([\w.]+\.(?:mjs|c|txt))`/gms,
  )) {
    if (named !== undefined) name = named;
    else if (language === "sh") commands = code;
    else if (language === "text") prints = code;
    else files.set(name, code);
  }
  return { files, commands, prints };
}

/** The files of docs/getting-started.md, by name, and its commands in order, those of npm left out. */
export function firstMinutesOf(page) {
  const files = new Map();
  let name = "";
  for (const [, code, named] of page.matchAll(/^```(?:ts|js|c)\n(.*?)^```|`([\w.]+\.(?:mjs|c))`/gms)) {
    if (named !== undefined) name = named;
    else files.set(name, code ?? "");
  }
  const outside = page.replaceAll(/^```.*?^```$/gms, "");
  const commands = [...outside.matchAll(/^ {4}(\w.*?)(?: +#.*)?$/gm)].map(([, command = ""]) => command);
  return { files, commands: commands.filter((line) => !line.startsWith("npm ")) };
}

/** The output of the commands of the first ten minutes, if ~/models/own.gguf says "I am your own.". */
export const firstMinutesSay = new Map([
  ['npx llama-hooks run "What is 12 * 7?"', "12 * 7 = 84."],
  ['npx llama-hooks run "Hello!" --model ~/models/own.gguf', "I am your own."],
  ["node first.mjs", "HELLO! HOW CAN I HELP YOU? -> stop \n -> cancelled no passwords here"],
  ["node first.mjs ~/models/own.gguf", "I AM YOUR OWN. -> stop \n -> cancelled no passwords here"],
  ["gcc -shared -fPIC -I node_modules/llama-hooks/native/include redact.c -o libredact.so", ""],
  ['npx llama-hooks run "Hello!" --native ./libredact.so:redact@postGenerate', "[redacted]"],
  [
    "node agent.mjs",
    "calculator 84\n## * # = ##.\nread_file the text of secrets.txt\nsecrets.txt says: the text of secrets.txt",
  ],
  [
    'npx llama-hooks run "What does secrets.txt say?" --hooks guards.mjs',
    "I was not allowed to read secrets.txt: no secrets.",
  ],
  ["node --test guards.test.mjs", "pass 1"],
]);
