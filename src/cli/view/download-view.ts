// Shows the progress of a download.
import { size } from "../../base/byte-size.js";
import { plural } from "../../base/plural.js";
import type { OnDownload } from "../../index.js";
import { sanitizeName } from "../process/sanitize.js";
import type { Terminal } from "../process/terminal.js";

/** Shows one line that changes on a terminal; without a terminal, one line for each tenth of a file. */
export function downloadView(terminal: Terminal): OnDownload {
  let file = "";
  let tenth = 0;
  return (progress) => {
    const { receivedBytes, totalBytes, index, count, interruptions } = progress;
    const share = totalBytes ? receivedBytes / totalBytes : 0;
    const which = count > 1 ? ` (${index + 1} of ${count})` : "";
    const of = totalBytes === undefined ? "" : ` of ${size(totalBytes)}, ${Math.floor(share * 100)} %`;
    const cuts = interruptions > 0 ? `, ${plural(interruptions, "interruption")}` : "";
    const name = sanitizeName(progress.file.replace(/^.*\//, ""));
    const line = `fetching ${name}${which}: ${size(receivedBytes)}${of}${cuts}`;
    if (progress.file !== file) [file, tenth] = [progress.file, 0];
    terminal.progress(line);
    if (terminal.isInteractive && share < 1) return;
    if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10);
      terminal.note(line);
    }
  };
}
