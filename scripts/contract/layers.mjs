// The table of layers in docs/architecture.md, from the rows that scripts/check/layers.mjs checks.
import { layers } from "../check/layers/table.mjs";
import { markdownTable } from "./text.mjs";

function roomText([name, room]) {
  const what = typeof room === "string" ? room : room.what;
  return `\`${name}\`${what === "" ? "" : ` (${what})`}`;
}

function contentsOf({ contents, rooms = {}, front }) {
  const list = Object.entries(rooms).map(roomText);
  const named = `${list.length > 1 ? "rooms" : "room"} ${list.join(", ")}`;
  return [contents, list.length > 0 && named, front && `in front ${front}`].filter(Boolean).join("; ");
}

export function layersSection() {
  const rows = layers.map((layer) => [layer.number, `\`${layer.path}\``, contentsOf(layer)]);
  const table = markdownTable(["#", "folder", "contents"], rows);
  return `<!-- prettier-ignore-start -->\n\n${table}\n<!-- prettier-ignore-end -->\n`;
}
