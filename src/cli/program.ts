// The command line's commands and options. The file that does a command's work is loaded when the command runs, so that
// help, the version and a light command start fast. Must not: import such a file in any other way than as types.
import { Argument, Command, Option } from "commander";
import { ownPackageJson } from "../base/package-json.js";
import { shapeNames } from "../bench/measure/job.js";
import { addAgentOptions, type AgentOptions, allowHttpOption, gpuOption } from "./options/agent-options.js";
import { addServeOptions, type ServedModel, type ServeOptions } from "./options/serve-options.js";
import type { BenchOptions } from "./commands/bench-options.js";
import type { BuildOptions } from "./commands/build.js";
import { contractOptions } from "./options/contract-options.js";
import { completionScript, type Shell, shells } from "./completion/scripts.js";
import type { DoctorOptions } from "./commands/doctor.js";
import { errorLine } from "./process/error-text.js";
import { sanitize } from "./process/sanitize.js";
import { columnsOf } from "./process/terminal.js";
import type { ListOptions, PullOptions } from "./commands/models.js";
import { helpLayout, notes } from "./options/help.js";
import { port } from "./options/inspect-options.js";
import { file, filePath, files, integer, name } from "./options/option-parsers.js";
import type { ReplayOptions } from "./commands/replay.js";
import type { RpcServerOptions } from "./commands/rpc-server.js";
import type { RunOptions } from "./commands/run.js";

/** The file of each command. */
const load = {
  run: () => import("./commands/run.js"),
  chat: () => import("./chat/chat.js"),
  serve: () => import("./commands/serve.js"),
  replay: () => import("./commands/replay.js"),
  inspect: () => import("./commands/inspect.js"),
  hooks: () => import("./commands/hooks.js"),
  engineHooks: () => import("./commands/engine-hooks.js"),
  models: () => import("./commands/models.js"),
  doctor: () => import("./commands/doctor.js"),
  build: () => import("./commands/build.js"),
  bench: () => import("./commands/bench.js"),
  rpcServer: () => import("./commands/rpc-server.js"),
} as const;

const exits = [
  "Exit codes: 0 ok (a hook's cancel or halt is an ordinary end), 1 failed, 2 wrong usage, 130 interrupted.",
];

const benchNotes = [
  "Each measurement is a process of its own and contenders take turns. Ratios are taken within a round; their median is " +
    "shown. Leave the machine alone meanwhile: where the rounds differ too much, the result says that it cannot be " +
    "believed.",
  "The defaults take one to two minutes on two cores, with --compare about three, with --quick less than one.",
  "With --hooks one process generates the same text in turn without your hooks and with them, and counts the calls of " +
    "each. A function as default export is called before each generation with the hooks. What your files print is dropped.",
];

const chatNotes = [
  "Each line is a message, and pasted lines are one; /help, asked there, says what else there is. When stdin is no " +
    "terminal its lines are the messages, and 1 says that anything failed.",
  "ctrl-C stops an answer; at the prompt it clears the line, and twice it leaves.",
];

const serveNotes = [
  "API keys come from --api-key-file or from the variable LLAMA_HOOKS_API_KEY.",
  "Exit codes: 0 ended by SIGTERM or ctrl-C, 1 failed, 2 wrong usage, 130 interrupted before it served.",
];

const replayNotes = [
  "Exit codes: 0 everything came out as it was recorded, 1 something did not, or it failed, 2 wrong usage, 130 " +
    "interrupted.",
];

const inspectNotes = [
  "The address that it prints has a token; open it in a browser. To see an engine while it runs, use --inspect of run, " +
    "chat and serve.",
  "Exit codes: 0 ended by SIGTERM or ctrl-C, 1 failed, 2 wrong usage.",
];

const rpcServerNotes = [
  "The protocol has no authentication and no encryption, and whoever reaches the port can end this program or run code " +
    "in it. It listens on this machine only. From another machine, use an SSH tunnel:",
  "  ssh -L 50052:127.0.0.1:50052 this-machine",
];

const completionNotes = [
  "For this shell, and for those to come:",
  "  bash, the same line in ~/.bashrc:",
  "    source <(llama-hooks completion bash)",
  "  zsh, in ~/.zshrc, below compinit:",
  "    source <(llama-hooks completion zsh)",
  "  fish, in ~/.config/fish/config.fish:",
  "    llama-hooks completion fish | source",
  "  PowerShell, in the file that $PROFILE names:",
  "    llama-hooks completion powershell |",
  "      Out-String | Invoke-Expression",
  "",
  "A shell completes the words of a command that it knows by name. To complete what you run as npx llama-hooks, give it " +
    "that name first, above the line of your shell:",
  "  bash and zsh:",
  '    llama-hooks() { npx llama-hooks "$@"; }',
  "  fish:",
  "    function llama-hooks; npx llama-hooks $argv; end",
  "  PowerShell:",
  "    function llama-hooks { npx llama-hooks @args }",
];

/** Each command passes its exit code to `setCode`. */
export function program(setCode: (code: number) => void): Command {
  const main = new Command("llama-hooks")
    .description("Run local GGUF models with hooks at every step.")
    .version(versionLine())
    .configureHelp(helpLayout)
    .configureOutput({ outputError: (text, write) => write(errorLine(sanitize(text.replace(/^error: /, "")))) })
    .exitOverride();
  addRun(main, setCode);
  addChat(main, setCode);
  addServe(main, setCode);
  addReplay(main, setCode);
  addInspect(main, setCode);
  addHooks(main);
  addModels(main, setCode);
  addDoctor(main, setCode);
  addBuild(main, setCode);
  addRpcServer(main, setCode);
  addBench(main, setCode);
  addCompletion(main);
  return main;
}

/** The versions of this package and of the llama.cpp that it is built with. */
function versionLine(): string {
  const { version, config } = ownPackageJson();
  return `${version} (llama.cpp ${config.llamaCpp})`;
}

type SetCode = (code: number) => void;

function addRun(main: Command, setCode: SetCode): void {
  const command = main
    .command("run")
    .description("Answer one prompt: runs the model, its tools and your hooks.")
    .argument("[prompt]", "the prompt; with - or without a prompt, stdin is read, if it is not a terminal")
    .option("--prompt <text>", "the prompt, as an option");
  addAgentOptions(command)
    .option("--json", "one JSON object per line, on stdout only")
    .option("--demo", "use the bundled model with the hooks of the demonstration, and trace them")
    .addHelpText("after", notes(...exits))
    .action(async (prompt: string | undefined, options: RunOptions) => {
      const { run } = await load.run();
      setCode(await run(prompt, options));
    });
}

function addChat(main: Command, setCode: SetCode): void {
  const command = main.command("chat").description("Chat with a model, with its tools and your hooks.");
  addAgentOptions(command)
    .addHelpText("after", notes(...chatNotes, ...exits))
    .action(async (options: AgentOptions) => {
      const { chat } = await load.chat();
      setCode(await chat(options));
    });
}

function addServe(main: Command, setCode: SetCode): void {
  addServeOptions(
    main
      .command("serve")
      .description("Serve models to clients of the OpenAI and Anthropic APIs, with your hooks, on this machine."),
  )
    .addHelpText("after", notes(...serveNotes))
    .action(async (models: readonly ServedModel[] | undefined, options: ServeOptions) => {
      const { serveModels } = await load.serve();
      setCode(await serveModels(models ?? [], options));
    });
}

function addReplay(main: Command, setCode: SetCode): void {
  main
    .command("replay")
    .description(
      "Run a recorded session again, without its model and tools, and show where hooks now decide otherwise.",
    )
    .argument("<file>", "a file that recordRun() has saved", filePath)
    .addOption(files("--hooks <file>", "module that exports hook sets, or a function (engine) => void as default"))
    .addOption(files("--native <library:symbol@point>", "hook from a shared library"))
    .option("--json", "one JSON object per line: each difference, then a summary")
    .addHelpText("after", notes(...replayNotes))
    .action(async (path: string, options: ReplayOptions) => {
      const { replay } = await load.replay();
      setCode(await replay(path, options));
    });
}

function addInspect(main: Command, setCode: SetCode): void {
  main
    .command("inspect")
    .description("Show saved traces and recordings in a page on this machine, and compare them.")
    .argument("[files...]", "files of --trace-file and of recordRun()", (text: string, before?: readonly string[]) => [
      ...(before ?? []),
      filePath(text),
    ])
    .option("--port <n>", "port on 127.0.0.1; 0: a free one", port, 0)
    .addHelpText("after", notes(...inspectNotes))
    .action(async (paths: readonly string[] | undefined, options: { port: number }) => {
      const { inspectSaved } = await load.inspect();
      setCode(await inspectSaved(paths ?? [], options));
    });
}

function addHooks(main: Command): void {
  main
    .command("hooks")
    .description(
      "List the hook points: number, name, kind, payload, and the fields that answers may have. With the address of " +
        "an inspector: the hooks of its engine, and how often each was called, or why not.",
    )
    .argument("[address]", "what --inspect of a running command, or inspect(), printed")
    .option("--json", "one JSON object per line")
    .action(async (address: string | undefined, { json = false }: { json?: boolean }) => {
      const columns = columnsOf(process.stdout);
      if (address !== undefined) {
        const { engineHooks } = await load.engineHooks();
        process.stdout.write(await engineHooks(address, json, columns));
        return;
      }
      const { hooksTable } = await load.hooks();
      process.stdout.write(`${hooksTable(json, columns)}\n`);
    });
}

function addModels(main: Command, setCode: SetCode): void {
  main
    .command("pull")
    .description("Download a model into the cache, and print its path.")
    .argument(
      "<name>",
      '"hf:user/repo:quant", "hf:user/repo/file.gguf" or an address; #sha256=<64 hex> pins the file',
      name,
    )
    .option("--verify", "hash the files of the model if it is in the cache already")
    .addOption(allowHttpOption())
    .addHelpText("after", notes(...exits))
    .action(async (model: string, options: PullOptions) => {
      const { pull } = await load.models();
      setCode(await pull(model, options));
    });
  const models = main
    .command("models")
    .description("List the downloaded models: name, size, architecture, context.")
    .option("--json", "one JSON object per line")
    .option("--names", "only the names")
    .action(async (options: ListOptions) => {
      const { listModels } = await load.models();
      setCode(await listModels(options));
    });
  models
    .command("rm")
    .description("Remove a downloaded model.")
    .argument("<name>", "the name that it was downloaded by", name)
    .action(async (model: string) => {
      const { removeModel } = await load.models();
      setCode(await removeModel(model));
    });
}

function addDoctor(main: Command, setCode: SetCode): void {
  main
    .command("doctor")
    .description("Check this machine: versions, CPU, memory, GPUs, and problems. Exit code 1 if there is a problem.")
    .option("--json", "one JSON object")
    .addOption(gpuOption())
    .action(async (options: DoctorOptions) => {
      const { doctor } = await load.doctor();
      setCode(await doctor(options));
    });
}

function addBuild(main: Command, setCode: SetCode): void {
  main
    .command("build")
    .description("Build the addon on a platform without a prebuilt one. Needs CMake, a C++20 compiler and git.")
    .option("--llama", "also build llama.cpp, instead of using the prebuilt libraries")
    .option("--verbose", "show the output of the compiler")
    .addHelpText("after", notes(...exits))
    .action(async (options: BuildOptions) => {
      const { build } = await load.build();
      setCode(await build(options));
    });
}

function addRpcServer(main: Command, setCode: SetCode): void {
  main
    .command("rpc-server")
    .description("Lend this machine's GPUs, or its CPU, to an engine on another machine (option rpc).")
    .option("--port <n>", "port on 127.0.0.1", integer(1, 65_535), 50052)
    .option("--threads <n>", "threads of the CPU, if there is no GPU (default: its cores)", integer(1, 512))
    .addOption(gpuOption())
    .addHelpText("after", notes(...rpcServerNotes))
    .action(async (options: RpcServerOptions) => {
      const { rpcServer } = await load.rpcServer();
      setCode(await rpcServer(options));
    });
}

function addBench(main: Command, setCode: SetCode): void {
  const command = main
    .command("bench")
    .description("Measure what hooks cost on this machine: the same model with and without hooks, in turn.")
    .addOption(file("--model <path>", 'GGUF file, or "hf:user/repo:quant"'))
    .addOption(
      new Option(
        "--synthetic <shape>",
        "random weights in a known shape, if no --model is given (default: 0.5b)",
      ).choices(shapeNames),
    )
    .addOption(files("--hooks <file>", "measure the hooks of this module instead, in pairs with none"))
    .addOption(files("--native <library:symbol@point>", "the same for a hook from a shared library"))
    .option("--quick", "fewer and shorter measurements, for a first impression")
    .option("--tokens <n>", "tokens that each generation writes (default: 128, with --quick 32)", integer(2));
  for (const threads of contractOptions("load_params", ["threads"])) command.addOption(threads);
  command
    .option(
      "--rounds <n>",
      "number of rounds, each of which measures every contender, or one pair with --hooks (default: 5, with --quick 3)",
      integer(1),
    )
    .addOption(gpuOption())
    .option("--compare", "measure node-llama-cpp as well")
    .addOption(file("--json [file]", "write the results to the file, or to stdout in place of the table"))
    .addHelpText("after", notes(...benchNotes, ...exits))
    .action(async (options: BenchOptions) => {
      const { bench } = await load.bench();
      setCode(await bench(options));
    });
}

function addCompletion(main: Command): void {
  main
    .command("completion")
    .description("Print a script with which a shell completes commands and options.")
    .addArgument(new Argument("<shell>", "which one").choices(shells))
    .addHelpText("after", notes(...completionNotes))
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, main));
    });
}
