// Inspectors for tests: closed after the test, with a client that has the token.
import { onTestFinished } from "vitest";
import type { Engine } from "../../src/index.js";
import { inspect, inspectFiles, type InspectOptions, type Inspector } from "../../src/inspector/index.js";

/** An item of the stream. */
export type Item = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Inspected {
  readonly inspector: Inspector;
  /** Asks with the token, unless the options have headers of their own. */
  ask(path: string, options?: RequestInit): Promise<Response>;
  /** Sends JSON with the token. */
  post(path: string, body: unknown): Promise<Response>;
  /** Reads the stream until `until` says so, or to its end. `after`: the last number that is known. */
  items(until?: (item: Item) => boolean, after?: number): Promise<Item[]>;
}

/** Opens an inspector of an engine. */
export async function openInspector(engine: Engine, options: InspectOptions = {}): Promise<Inspected> {
  return inspectedBy(await inspect(engine, options));
}

/** Opens an inspector of files. */
export async function openFiles(files: readonly string[]): Promise<Inspected> {
  return inspectedBy(await inspectFiles(files));
}

function inspectedBy(inspector: Inspector): Inspected {
  onTestFinished(() => inspector.close());
  const { origin, hash } = new URL(inspector.url);
  const authorization = `Bearer ${hash.slice(1)}`;
  const ask = (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { headers: { authorization }, ...options });
  return {
    inspector,
    ask,
    post: (path, body) =>
      ask(path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    async items(until = () => false, after = 0) {
      const { body } = await ask("/events", { headers: { authorization, "last-event-id": String(after) } });
      const found: Item[] = [];
      let text = "";
      for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        const blocks = (text + piece).split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data === undefined) continue;
          const item = JSON.parse(data) as Item;
          found.push(item);
          if (until(item)) return found;
        }
      }
      return found;
    },
  };
}
