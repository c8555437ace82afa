// A server with the script models of the matrix, which are written when a cell needs them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createEngine, type Engine, type Message } from "../../../src/index.js";
import { type HttpServer, serve } from "../../../src/server/index.js";
import { writeScriptModel } from "../../../src/testing/index.js";
import { templateSource } from "../../support/templates/template-files.js";
import { type Family, weather, Writer } from "./families.js";
import type { Situation } from "./situations.js";

export class Served {
  readonly engine: Engine;
  readonly server: HttpServer;
  readonly #folder: string;
  readonly #contextLength: number;
  readonly #loaded = new Map<string, Promise<void>>();
  #asked: (readonly Message[])[] = [];

  private constructor(engine: Engine, server: HttpServer, folder: string, contextLength: number) {
    this.engine = engine;
    this.server = server;
    this.#folder = folder;
    this.#contextLength = contextLength;
    engine.hooks.on("preGenerate", ({ messages }) => void this.#asked.push(messages), { observe: true });
  }

  /** `contextLength`: tokens that each model takes. */
  static async open(contextLength = 8192): Promise<Served> {
    const folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-matrix-"));
    const engine = await createEngine({ gpu: false, threads: 1, models: {} });
    return new Served(engine, await serve(engine, { port: 0 }), folder, contextLength);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.engine.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The conversations that models have got since the last call of this. */
  takeAsked(): readonly (readonly Message[])[] {
    const asked = this.#asked;
    this.#asked = [];
    return asked;
  }

  async thinks(family: Family): Promise<boolean> {
    return (await this.#writer(family)).thinks();
  }

  /** The id of a model; `reasoning` as in the requests that it gets, `tool` as the client names the tool. */
  async model(
    family: Family,
    situation: Situation,
    reasoning: boolean | undefined,
    tool: string = weather.name,
  ): Promise<string> {
    const id = `${family}.${situation}.${tool}${reasoning === undefined ? "" : `.${reasoning ? "on" : "off"}`}`;
    await this.#load(id, family, async () => {
      const replies = await (await this.#writer(family)).replies(situation, reasoning);
      return replies.map((reply) => reply.replaceAll(weather.name, tool));
    });
    return id;
  }

  async #writer(family: Family): Promise<Writer> {
    const plain = `${family}.plain`;
    await this.#load(plain, family, () => Promise.resolve([]));
    return new Writer(this.engine, plain, family);
  }

  #load(id: string, family: Family, replies: () => Promise<readonly string[]>): Promise<void> {
    const loading = this.#loaded.get(id) ?? this.#write(id, family, replies);
    this.#loaded.set(id, loading);
    return loading;
  }

  async #write(id: string, family: Family, replies: () => Promise<readonly string[]>): Promise<void> {
    const file = path.join(this.#folder, `${id}.gguf`);
    const contextLength = this.#contextLength;
    const chatTemplate = templateSource(family);
    await writeScriptModel(file, { chatTemplate, replies: await replies(), afterLast: "repeat", contextLength });
    await this.engine.models.load(id, { path: file, parallel: 1, contextSize: contextLength, threads: 1 });
  }
}
