// The history of a record as server-sent events. A page names the last number that it has, and gets the later events.
import type { EventTexts } from "../../server/http/event-stream.js";
import type { Read } from "../record/history.js";
import type { Lost, RecordItem } from "../wire/wire.js";

/** One event of the stream: an item, or `{ "type": "lost", "count" }`. */
export const itemTexts: EventTexts<Read<RecordItem>> = {
  event(read) {
    const item: RecordItem | Lost = "lost" in read ? { type: "lost", count: read.lost } : read.item;
    return `id: ${read.n}\ndata: ${JSON.stringify(item)}\n\n`;
  },
  failure: () => "",
};
