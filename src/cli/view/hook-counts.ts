// Formats counts of what hooks did.
import { plural } from "../../base/plural.js";

export interface HookCounts {
  readonly calls: number;
  readonly modifications: number;
  readonly vetoes: number;
  readonly failures: number;
}

export function hookCounts({ calls, modifications, vetoes, failures }: HookCounts): string {
  const counts = [plural(calls, "call"), plural(modifications, "change"), plural(vetoes, "veto", "vetoes")];
  return [...counts, plural(failures, "failure")].join(", ");
}
