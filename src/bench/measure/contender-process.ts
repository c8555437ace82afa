// The process of one measurement: contender-process NAME JSON, where JSON is a Job, a DescribeRequest for the name
// "describe", or a PairedJob for "paired". The last line of stdout is one JSON object: the result, or {"error":
// {"code", "message"}} with exit code 1.
import { LlamaHooksError } from "../../index.js";
import { measureHere } from "./contenders.js";
import { describe, type DescribeRequest } from "./describe.js";
import type { Job } from "./job.js";
import { measurePaired, type PairedJob } from "./paired.js";
import { measurementOf } from "./timing.js";

async function answer(name: string, json: string): Promise<object> {
  const request = JSON.parse(json) as unknown;
  if (name === "describe") return describe(request as DescribeRequest);
  if (name === "paired") return measurePaired(request as PairedJob);
  return measurementOf(await measureHere(name, request as Job));
}

async function main([name = "", json = "{}"]: readonly string[]): Promise<void> {
  try {
    console.log(JSON.stringify(await answer(name, json)));
  } catch (error) {
    const code = error instanceof LlamaHooksError ? error.code : null;
    const message = error instanceof Error ? error.message : String(error);
    console.log(JSON.stringify({ error: { code, message } }));
    process.exitCode = 1;
  }
}

void main(process.argv.slice(2));
