// npm as a program and its first arguments. Windows has npm as a script of its shell, whose quoting differs: there,
// Node runs the file that the script names.
import { dirname, join } from "node:path";

export const npmCommand =
  process.platform === "win32"
    ? [process.execPath, join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js")]
    : ["npm"];
