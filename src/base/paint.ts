// Colours on a stream that shows them. Must not: know what is coloured.
import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Puts a text in a colour, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_, text) => text;

export function paintFor(stream: NodeJS.WriteStream): Paint {
  const colour = stream.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  return colour ? (style, text) => styleText(style, text, { validateStream: false }) : plainPaint;
}
