// Every name that the package exports says what it is. Must not: judge how.
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const entries = ["src/index.ts", "src/ready-hooks/index.ts", "src/testing/index.ts"].map((file) =>
  path.join(root, file),
);

test("every exported name has a docstring", () => {
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(entries, { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const names = entries.flatMap((entry) => {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${entry} exports nothing`);
    return checker.getExportsOfModule(module).map((exported) => {
      const alias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const own = alias ? checker.getAliasedSymbol(exported) : exported;
      return { name: exported.name, says: ts.displayPartsToString(own.getDocumentationComment(checker)).trim() };
    });
  });
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter(({ says }) => says === "").map(({ name }) => name)).toEqual([]);
});
