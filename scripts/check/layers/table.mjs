// The layers of the project. `npm run generate` writes the table in docs/architecture.md from these rows, and
// scripts/check/layers.mjs checks what they say. Must not: hold what a single file may do, as native.mjs and source.mjs
// here do.
//   number, path, contents   as docs/architecture.md has them
//   rooms      in order: each may include the rooms before it; the text says what is in it
//   own        the place of the folder's own files among its rooms, "first" or "last"; without it they are special
//   includes   folders of rows above it, each with its rooms; under src/ also modules, without .ts
//   sees       "llama": the rooms may include llama.cpp's headers
//   front      the files in front of the rooms, for docs/architecture.md

const ground = "platform base";
const belowAgent = `${ground} hooks model generation`;
const belowEngine = `${belowAgent} gguf guards llama port isolation agent`;
/** Modules of src/base that users of the package inside this repository share with it. */
const shared =
  "base/byte-size base/html base/package-json base/paint base/plural base/runtime base/unless-aborted base/wrap";

export const layers = [
  {
    number: 0,
    path: "native/include/llama_hooks/hooks.h",
    contents: "the hook ABI: points, callback, allocator, registration",
  },
  {
    number: 0,
    path: "native/include/llama_hooks/engine.h",
    contents: "the engine ABI: engine, models, tasks, generation, sessions, tools",
  },
  {
    number: 0,
    path: "native/include/entropic/types/hooks.h",
    contents: "names of Entropic 2.x, so that a hook written for it compiles unchanged",
  },
  {
    number: 0,
    path: "native/platform/",
    contents:
      "what differs between systems: files, shared libraries, cores, memory, threads and their stacks, sockets, child " +
      "processes; knows nothing of the project; folders `posix`, `linux`, `macos`, `windows` " +
      "([ADR 0043](internals/adr/0043-what-differs-between-systems-is-in-one-folder.md))",
  },
  {
    number: 1,
    path: "native/base/",
    contents: "Status and Result",
    own: "first",
    rooms: { text: "", threads: "", system: "", json: "" },
    includes: "platform",
  },
  {
    number: 2,
    path: "native/hooks/",
    contents: "",
    rooms: {
      points: "the table of points, and the matching of `when`",
      calls: "one call, its allocator and answers",
      registry: "owns hooks",
      dispatch: "fires them",
    },
    includes: ground,
  },
  {
    number: 3,
    path: "native/model/",
    contents: "the interface of a model to the layers that use it: `generator.h`, `conversation.h`, parameters",
    own: "first",
    includes: ground,
  },
  {
    number: 3,
    path: "native/gguf/",
    contents: "reads and checks GGUF files before llama.cpp does",
    own: "first",
    includes: ground,
  },
  {
    number: 3,
    path: "native/guards/",
    contents: "bounds grammars, schemas and outputs before llama.cpp parses them",
    own: "first",
    rooms: { schema: "the normal form of a schema, and its inspection" },
    includes: ground,
  },
  {
    number: 4,
    path: "native/llama/",
    contents: "the model, built on llama.cpp; the only folder that includes llama.cpp headers",
    own: "last",
    rooms: {
      base: "runtime, weights",
      "jinja/nodes": "runs the nodes of templates",
      jinja: "bounds on templates",
      grammar: "grammars and schemas",
      output: "reads answers",
      "prompt/fit": "conversations that a template cannot render",
      "prompt/turns": "what the turns of a conversation share",
      prompt: "templates",
      decode: "contexts, steps",
      embed: "",
    },
    includes: `${ground} model gguf guards`,
    sees: "llama",
  },
  {
    number: 5,
    path: "native/generation/",
    contents: "one model call with its hooks, the conversation's JSON, token stage, events",
    own: "last",
    rooms: { output: "an answer and its parts, and the token hooks" },
    includes: `${ground} hooks model`,
  },
  {
    number: 6,
    path: "native/port/",
    contents: "a remote model: functions of a caller behind the interface of a model",
    own: "first",
    includes: `${ground} model generation`,
  },
  {
    number: 6,
    path: "native/isolation/",
    contents: "llama.cpp in another process",
    rooms: {
      wire: "frames",
      client: "the interface of a model, by requests",
      // A program, which is in no engine: llama.cpp without hooks.
      host: {
        what: "the program of that process, which includes `llama/` and nothing above it",
        includes: `${ground} model gguf guards llama isolation/wire`,
      },
    },
    includes: `${ground} model`,
  },
  {
    number: 6,
    path: "native/agent/",
    contents: "sessions and their runs",
    rooms: {
      permissions: "rules",
      setup: "options, tools, tiers",
      session: "state between runs",
      run: "state of one run",
      tools: "",
      compaction: "",
      delegation: "",
      controls: "the engine's own tools, directives",
      loop: "",
    },
    includes: belowAgent,
  },
  {
    number: 7,
    path: "native/engine/",
    contents: "the engine itself",
    own: "last",
    rooms: {
      tasks: "requests and results as JSON",
      memory: "what a load takes, and what to evict for it",
      models: "the loaded models",
    },
    includes: belowEngine,
  },
  {
    number: 8,
    path: "native/abi/",
    contents: "the implementation of the two headers: casts, an exception guard, a call",
    own: "first",
    includes: `${belowEngine} engine`,
  },
  {
    number: 9,
    path: "native/node/",
    contents: "Node-API: wrapped objects, one file that crosses threads, one that calls user JavaScript",
    rooms: { js: "texts, calls of JavaScript, its thread" },
  },
  {
    number: 9,
    path: "native/loader/",
    contents:
      "a second addon that opens shared libraries by path before the main addon is loaded; independent of the engine",
  },
  {
    number: 10,
    path: "src/",
    contents: "the TypeScript facade; `src/native/addon.ts` alone loads the addon",
    rooms: {
      base: "",
      download: "",
      native: "",
      hooks: "",
      generate: "",
      remote: "models behind servers and AI SDK providers",
      models: "",
      sessions: "",
      stores: "",
      recording: "",
    },
    includes: "generated",
    front: "`index.ts`, `engine.ts`, `create-engine.ts`",
  },
  {
    number: 10,
    path: "src/page/",
    contents:
      "the files that the pages of `bench/` and `src/inspector/` share: colours and base of their style, Chart.js; " +
      "`page/browser/` is not compiled",
  },
  {
    number: 11,
    path: "src/testing/",
    contents:
      "the subpath `llama-hooks/testing`: generated models, recordings of hooks and replays for tests, built on the facade",
    includes:
      "index base/call-site base/canonical base/check base/gguf-reader base/platform base/files base/names/tool-name " +
      "recording",
  },
  {
    number: 11,
    path: "src/ready-hooks/",
    contents: "the subpath `llama-hooks/hooks`: sets of hooks, built on the facade",
    includes: "index base/canonical base/check base/files base/thrown sessions/arguments-check",
  },
  {
    number: 11,
    path: "src/ai-sdk/",
    contents: "the subpath `llama-hooks/ai-sdk`: a provider for Vercel's AI SDK, built on the facade",
    includes: "index base/canonical base/check",
  },
  {
    number: 11,
    path: "src/mcp/",
    contents: "the subpath `llama-hooks/mcp`: tools of MCP servers for sessions, built on the facade",
    includes: "index base/call-site base/check base/names/tool-name generated/tools",
  },
  {
    number: 11,
    path: "src/otel/",
    contents:
      "the subpath `llama-hooks/otel`: spans and metrics for OpenTelemetry from the tracing channels, built on the " +
      "facade",
    includes: "index base/check base/package-json",
  },
  {
    number: 12,
    path: "src/bench/",
    contents: "benchmarks, built on the facade and on testing",
    rooms: {
      results: "their form, statistics",
      measure: "contenders, rounds, processes",
      text: "results on a terminal",
    },
    includes: `${shared} testing/index index`,
  },
  {
    number: 12,
    path: "src/server/",
    contents: "the subpath `llama-hooks/server`: the HTTP server, built on the facade and the ready hooks",
    rooms: {
      http: "requests, answers, keys, limits, adapters of node:http and fetch",
      protocol: "how a call ended, what of it has gone out, for all protocols",
      openai: "the forms of its requests and answers",
      responses: "likewise",
      anthropic: "likewise",
      sessions: "sessions of agents, their events and questions",
      endpoints: "what the paths do",
    },
    includes:
      "base/check base/check-parameters base/depth base/names/tool-name base/plural base/wire generated/parameters " +
      "sessions/session-options ready-hooks/index index",
    front: "`answering.ts`, which lets callers in, counts and logs, `handler.ts` and `serve.ts`",
  },
  {
    number: 13,
    path: "src/inspector/",
    contents:
      "the subpath `llama-hooks/inspector`: a page that shows an engine, built on the facade, the ready hooks and " +
      "`server/http`; `page/browser/` runs in the browser and is served, not compiled",
    rooms: {
      wire: "types of what the page receives",
      record: "what is kept of an engine, within bounds",
      http: "token, routes, files",
    },
    includes:
      "base/check base/files generated/points generated/results hooks/hook-info index page ready-hooks/index " +
      "server/http",
    front: "`inspect.ts`",
  },
  {
    number: 14,
    path: "src/cli/",
    contents: "the command line, built on the facade, testing, bench, mcp, the server and the inspector",
    rooms: {
      process: "streams, signals, errors, exit codes",
      options: "",
      load: "modules that options name",
      mcp: "servers that it starts",
      view: "how a run is shown",
      agent: "an engine as the options say",
      chat: "",
      completion: "",
      commands: "",
    },
    includes:
      `${shared} base/errors base/thrown base/files base/platform-process bench server/index inspector/index mcp/index ` +
      "ready-hooks/index testing/index index",
    front: "`main.ts` and `program.ts`",
  },
];

/** The last part of a layer's path: `hooks` of `native/hooks/`. */
export const nameOf = ({ path }) => path.replace(/\/$/, "").split("/").at(-1);
