// Lays out text in columns under headings.
import type { Paint } from "../../base/paint.js";

export interface Column {
  readonly heading: string;
  readonly align: "left" | "right";
}

/** A cell and its style. */
export interface Cell {
  readonly text: string;
  readonly style?: Parameters<Paint>[0];
}

/** Columns of the terminal that tables are laid out for. */
export const pageWidth = 80;

const gap = "  ";

/** Lines whose columns are as wide as their longest cell. Empty columns are left out; lines have no trailing spaces. */
export function grid(every: readonly Column[], cellRows: readonly (readonly Cell[])[], paint: Paint): string[] {
  const used = every.map((_, index) => cellRows.some((cells) => (cells[index]?.text ?? "") !== ""));
  const columns = every.filter((_, index) => used[index]);
  const rows = cellRows.map((cells) => cells.filter((_, index) => used[index]));
  const head = columns.map(({ heading }): Cell => ({ text: heading, style: "dim" }));
  const all = [head, ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((cells) => (cells[index]?.text ?? "").length)));
  return all.map((cells) =>
    columns
      .map(({ align }, index) => {
        const { text, style } = cells[index] ?? { text: "" };
        const shown = style === undefined || text === "" ? text : paint(style, text);
        const fill = " ".repeat((widths[index] ?? 0) - text.length);
        return align === "right" ? fill + shown : shown + fill;
      })
      .join(gap)
      .trimEnd(),
  );
}
