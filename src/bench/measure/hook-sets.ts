// The hooks whose cost is measured, by contender. Must not: do more than a hook of that kind needs to.
import { type Engine, pointNames, type Registration } from "../../index.js";

/** Adds the hooks and returns their registrations. `library`: a shared library with the C hook `bench_noop`. */
export type AddHooks = (engine: Engine, library?: string) => readonly Registration[];

export const noHooks: AddHooks = () => [];

/** A hook that changes the text at once. An equal text would count as no answer, and be cheaper. */
const awaited: AddHooks = ({ hooks }) => [hooks.on("streamToken", ({ text }) => ({ text: `${text}.` }))];

const cHook: AddHooks = ({ hooks }, library) => {
  if (library === undefined) throw new TypeError("the C hook needs its library");
  return [hooks.addNative({ library, symbol: "bench_noop", point: "streamToken" })];
};

const observed: AddHooks = ({ hooks }) => [hooks.on("streamToken", () => undefined, { observe: true })];

const async: AddHooks = ({ hooks }) => [
  hooks.on("streamToken", async ({ text }) => {
    await undefined;
    return { text: `${text}.` };
  }),
];

const allPoints: AddHooks = ({ hooks }) => pointNames.map((point) => hooks.on(point, () => undefined));

export const hookSets: Readonly<Record<string, AddHooks>> = {
  engine: noHooks,
  "engine-c-hook": cHook,
  "engine-observed": observed,
  "engine-awaited": awaited,
  "engine-async": async,
  "engine-all-points": allPoints,
};
