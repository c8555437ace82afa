// Talks to the inspector's server. The token comes with the address, behind the #, which browsers send nowhere; it stays
// in this tab. Must not: put it into an address again.

/** @import { Lost, RecordItem, StateAnswer, Values } from "../../wire/wire.js" */

const storageKey = "llama-hooks inspector token";
/** Milliseconds before the page tries to connect again. */
const pauses = [500, 1000, 2000, 5000];

/** @typedef {{ items(items: readonly (RecordItem | Lost)[]): void, status(status: "connected" | "lost" | "refused"): void }} Listener */

export class Connection {
  #token = takeToken();
  #last = "0";
  #isOver = false;

  /** @returns {Promise<StateAnswer>} */
  state() {
    return this.#json("/state");
  }

  /** The values that are kept about a dispatch; null: none. @param {number} seq @returns {Promise<Values | null>} */
  values(seq) {
    return this.#json(`/values/${seq}`);
  }

  /** The text of a file that the server offers. @param {number} index @returns {Promise<string>} */
  async file(index) {
    return (await this.#get(`/files/${index}`)).text();
  }

  /** @template T @param {string} path @param {unknown} body @returns {Promise<T>} */
  async post(path, body) {
    const headers = { "content-type": "application/json" };
    return (await this.#get(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  }

  /** @template T @param {string} path @returns {Promise<T>} */
  async #json(path) {
    return (await this.#get(path)).json();
  }

  /** Reads events until the engine ends, and connects again whenever the connection is lost. @param {Listener} listener */
  async follow(listener) {
    for (let tries = 0; !this.#isOver; tries++) {
      try {
        const response = await this.#get("/events", { headers: { "last-event-id": this.#last } });
        listener.status("connected");
        tries = 0;
        if (response.body !== null) await this.#read(response.body, listener);
      } catch (error) {
        if (error instanceof Refused) return listener.status("refused");
      }
      if (this.#isOver) return;
      listener.status("lost");
      await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(tries, pauses.length - 1)]));
    }
  }

  /** @param {ReadableStream<Uint8Array>} body @param {Listener} listener */
  async #read(body, listener) {
    const reader = body
      .pipeThrough(/** @type {ReadableWritablePair<string, Uint8Array>} */ (new TextDecoderStream()))
      .getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      const items = blocks.flatMap((block) => this.#itemOf(block));
      if (items.length > 0) listener.items(items);
    }
  }

  /** @param {string} block @returns {readonly (RecordItem | Lost)[]} */
  #itemOf(block) {
    const id = /^id: (\d+)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (id === undefined || data === undefined) return [];
    this.#last = id;
    const item = /** @type {RecordItem | Lost} */ (JSON.parse(data));
    if (item.type === "ended") this.#isOver = true;
    return [item];
  }

  /** @param {string} path @param {RequestInit} [options] */
  async #get(path, options = {}) {
    const headers = { ...options.headers, authorization: `Bearer ${this.#token}` };
    const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
    if (response.status === 401) throw new Refused("The token is not that of this inspector");
    if (!response.ok) throw new Error(await messageOf(response));
    return response;
  }
}

/** The server does not know the token. */
export class Refused extends Error {}

/** @param {Response} response */
async function messageOf(response) {
  try {
    const { error } = /** @type {{ error: { message: string } }} */ (await response.json());
    return error.message;
  } catch {
    return `The server answered with status ${response.status}`;
  }
}

function takeToken() {
  const given = location.hash.slice(1);
  if (/^[\w.~-]{16,}$/.test(given)) {
    sessionStorage.setItem(storageKey, given);
    // Neither the address bar nor the history shows it any more.
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(storageKey) ?? "";
}
