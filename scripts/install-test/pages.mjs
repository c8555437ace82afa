// The programs of README.md and of the guides, as they stand there.
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

const section = "## The first ten minutes";

/** The files of the README's first ten minutes, by name, and its commands in order, those of npm left out. */
export function firstMinutesOf(readme) {
  const [text = ""] = readme.slice(readme.indexOf(section) + section.length).split("\n## ");
  const files = new Map();
  let name = "";
  for (const [, code, named] of text.matchAll(/^```\w+\n(.*?)^```|`([\w.]+\.(?:mjs|c))`/gms)) {
    if (named !== undefined) name = named;
    else files.set(name, code ?? "");
  }
  const outside = text.replaceAll(/^```.*?^```$/gms, "");
  const commands = [...outside.matchAll(/^ {4}(\w.*?)(?: +#.*)?$/gm)].map(([, command = ""]) => command);
  return { files, commands: commands.filter((line) => !line.startsWith("npm ")) };
}

/** The output of the commands of the first ten minutes, if ~/models/own.gguf says "I am your own.". */
export const firstMinutesSay = new Map([
  ['npx llama-hooks run "What is 12 * 7?"', "12 * 7 = 84."],
  ['npx llama-hooks run "Hello!" --model ~/models/own.gguf', "I am your own."],
  ["node first.mjs", "HELLO! HOW CAN I HELP YOU? -> stop \n -> cancelled no passwords here"],
  ["node first.mjs ~/models/own.gguf", "I AM YOUR OWN. -> stop \n -> cancelled no passwords here"],
  ["node agent.mjs", "calculator 84\n## * # = ##. 4"],
  ["gcc -shared -fPIC -I node_modules/llama-hooks/native/include redact.c -o libredact.so", ""],
  ['npx llama-hooks run "Hello!" --native ./libredact.so:redact@postGenerate', "[redacted]"],
  ["node --test first.test.mjs", "pass 1"],
]);
