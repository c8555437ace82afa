// Colours text if the stream shows colours.
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colours a text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_, text) => text;

/** Colours only for a terminal, and only if neither NO_COLOR nor TERM=dumb is set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  const colour = stream.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  return colour ? (style, text) => styleText(style, text, { validateStream: false }) : plainPaint;
}
