// Every name that the package exports, and every member of these, says what it is. Must not: judge how.
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const entries = [
  "index",
  "ready-hooks/index",
  "server/index",
  "inspector/index",
  "ai-sdk/index",
  "mcp/index",
  "otel/index",
  "testing/index",
].map((name) => path.join(root, "src", `${name}.ts`));

interface Documented {
  readonly name: string;
  readonly says: string;
}

const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), (file) => ts.sys.readFile(file)) as {
  config: unknown;
};
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(entries, { ...options, noEmit: true });
const checker = program.getTypeChecker();

const exported = entries.flatMap((entry) => {
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${entry} exports nothing`);
  return checker.getExportsOfModule(module).map((symbol) => {
    const alias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return { name: symbol.name, own: alias ? checker.getAliasedSymbol(symbol) : symbol };
  });
});

const documented = (name: string, symbol: ts.Symbol | undefined): Documented => ({
  name,
  says: symbol === undefined ? "" : ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
});

/** The members that a declaration lists: its own, and those of object types that are written out within it. */
function membersOf(name: string, node: ts.Node): Documented[] {
  if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeLiteralNode(node)) {
    return node.members.filter(isPublic).flatMap((member) => {
      const own = `${name}.${member.name?.getText() ?? ""}`;
      return [documented(own, member.name && checker.getSymbolAtLocation(member.name)), ...within(own, member)];
    });
  }
  return ts.isTypeAliasDeclaration(node) ? within(name, node) : [];
}

/** Types that are written out in a type: not in the parameters of functions, whose docstrings speak of them. */
function within(name: string, node: ts.Node): Documented[] {
  const type = (node as { readonly type?: ts.Node }).type;
  if (type === undefined || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return [];
  const found: Documented[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isTypeLiteralNode(inner)) found.push(...membersOf(name, inner));
    else if (!ts.isFunctionTypeNode(inner)) ts.forEachChild(inner, visit);
  };
  visit(type);
  return found;
}

function isPublic(member: ts.ClassElement | ts.TypeElement): boolean {
  const { name } = member;
  const hidden = ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(({ kind }) => isHidden(kind));
  return name !== undefined && !ts.isPrivateIdentifier(name) && hidden !== true && !isInternal(member);
}

function isHidden(kind: ts.SyntaxKind): boolean {
  return kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.StaticKeyword;
}

function isInternal(member: ts.Node): boolean {
  return ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal");
}

const silent = (names: readonly Documented[]): string[] =>
  names.filter(({ says }) => says === "").map(({ name }) => name);

test("every exported name has a docstring", () => {
  expect(exported.length).toBeGreaterThan(200);
  expect(silent(exported.map(({ name, own }) => documented(name, own)))).toEqual([]);
});

test("every member of an exported type has a docstring", () => {
  const all = exported.flatMap(({ name, own }) => (own.declarations ?? []).flatMap((node) => membersOf(name, node)));
  expect(all.length).toBeGreaterThan(900);
  expect(silent(all)).toEqual([]);
});
