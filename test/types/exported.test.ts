// Every type that a public signature mentions can be imported by its name, from one of the package's entries.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const entries = Object.values(
  (JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { exports: Record<string, { types?: string }> })
    .exports,
).flatMap(({ types }) =>
  types === undefined ? [] : path.join(root, types.replace("./dist/", "src/").replace(".d.ts", ".ts")),
);

/** A declaration by its file and its name there. */
type Key = `${string}#${string}`;

class Module {
  readonly declared = new Map<string, ts.Statement[]>();
  /** Names that come from other files of the package. */
  readonly imported = new Map<string, { readonly file: string; readonly name: string }>();
  readonly exported: {
    readonly as: string;
    readonly from: string | undefined;
    readonly name: string;
    readonly type: boolean;
  }[] = [];
  readonly everythingOf: string[] = [];

  constructor(readonly file: string) {
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) this.#take(statement);
  }

  #take(statement: ts.Statement): void {
    if (ts.isImportDeclaration(statement)) this.#takeImport(statement);
    else if (ts.isExportDeclaration(statement)) this.#takeExport(statement);
    else for (const name of namesOf(statement)) this.#declare(name, statement);
  }

  #declare(name: string, statement: ts.Statement): void {
    this.declared.set(name, [...(this.declared.get(name) ?? []), statement]);
    if (isExported(statement)) this.exported.push({ as: name, from: undefined, name, type: false });
  }

  #takeImport({ moduleSpecifier, importClause }: ts.ImportDeclaration): void {
    const file = fileOf(this.file, moduleSpecifier);
    const bindings = importClause?.namedBindings;
    if (file === undefined || bindings === undefined || !ts.isNamedImports(bindings)) return;
    for (const one of bindings.elements)
      this.imported.set(one.name.text, { file, name: (one.propertyName ?? one.name).text });
  }

  #takeExport({ moduleSpecifier, exportClause, isTypeOnly }: ts.ExportDeclaration): void {
    const from = moduleSpecifier && fileOf(this.file, moduleSpecifier);
    if (exportClause === undefined) return void (from !== undefined && this.everythingOf.push(from));
    if (!ts.isNamedExports(exportClause)) return;
    for (const one of exportClause.elements) {
      const type = isTypeOnly || one.isTypeOnly;
      this.exported.push({ as: one.name.text, from, name: (one.propertyName ?? one.name).text, type });
    }
  }
}

const modules = new Map<string, Module>();

function moduleOf(file: string): Module {
  let known = modules.get(file);
  if (known === undefined) modules.set(file, (known = new Module(file)));
  return known;
}

function fileOf(from: string, specifier: ts.Expression): string | undefined {
  if (!ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return undefined;
  return path.join(path.dirname(from), specifier.text.replace(/\.js$/, ".ts"));
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? name.text : []));
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

/** Where a name of a module is declared; undefined for names of other packages and of the language. */
function declarationOf(file: string, name: string): Key | undefined {
  const module = moduleOf(file);
  if (module.declared.has(name)) return `${file}#${name}`;
  const imported = module.imported.get(name);
  if (imported !== undefined) return declarationOf(imported.file, imported.name);
  const again = module.exported.find((one) => one.as === name && one.from !== undefined);
  if (again?.from !== undefined) return declarationOf(again.from, again.name);
  return module.everythingOf.map((from) => declarationOf(from, name)).find((key) => key !== undefined);
}

/** The exports of a file: the declaration of each, and whether only its type is exported. */
function exportsOf(file: string): Map<Key, { readonly type: boolean }> {
  const { exported, everythingOf } = moduleOf(file);
  const found = new Map(everythingOf.flatMap((from) => [...exportsOf(from)]));
  for (const { from, name, type } of exported) {
    const key = declarationOf(from ?? file, name);
    if (key !== undefined) found.set(key, { type: type && (found.get(key)?.type ?? true) });
  }
  return found;
}

/** The names of types that a declaration mentions where its users see them. */
function mentioned(statement: ts.Statement, onlyType: boolean): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node, known: ReadonlySet<string>): void => {
    if (isHidden(node, onlyType)) return;
    const own = new Set(known);
    if ("typeParameters" in node)
      for (const one of (node.typeParameters as ts.NodeArray<ts.TypeParameterDeclaration> | undefined) ?? [])
        own.add(one.name.text);
    if (ts.isMappedTypeNode(node)) own.add(node.typeParameter.name.text);
    if (ts.isConditionalTypeNode(node)) for (const name of inferred(node.extendsType)) own.add(name);
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    if (name !== undefined && ts.isIdentifier(name) && !own.has(name.text)) names.add(name.text);
    ts.forEachChild(node, (child) => visit(child, own));
  };
  visit(statement, new Set());
  return names;
}

function inferred(node: ts.Node): string[] {
  const own = ts.isInferTypeNode(node) ? [node.typeParameter.name.text] : [];
  const below: string[] = [];
  ts.forEachChild(node, (child) => void below.push(...inferred(child)));
  return [...own, ...below];
}

/** Bodies, values, private members; and the value side of a class that is exported as a type only. */
function isHidden(node: ts.Node, onlyType: boolean): boolean {
  if (ts.isBlock(node) || ts.isClassStaticBlockDeclaration(node)) return true;
  if (ts.isConstructorDeclaration(node) && onlyType) return true;
  const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];
  const has = (kind: ts.SyntaxKind): boolean => modifiers.some((one) => one.kind === kind);
  if (has(ts.SyntaxKind.PrivateKeyword) || (onlyType && has(ts.SyntaxKind.StaticKeyword))) return true;
  if ("name" in node && node.name !== undefined && ts.isPrivateIdentifier(node.name as ts.Node)) return true;
  const { parent } = node;
  return (
    parent !== undefined &&
    (ts.isPropertyDeclaration(parent) || ts.isVariableDeclaration(parent) || ts.isParameter(parent)) &&
    parent.initializer === node
  );
}

/** The interface of the AI SDK, whose own package exports it. */
const ofOthers = path.join(root, "src/ai-sdk/specification.ts");

/** An alias that its module does not export is replaced by its definition. */
function needsName(key: Key): boolean {
  const [file = "", name = ""] = key.split("#");
  const isOwnAlias = (one: ts.Statement): boolean => ts.isTypeAliasDeclaration(one) && !isExported(one);
  return file !== ofOthers && !(moduleOf(file).declared.get(name) ?? []).every(isOwnAlias);
}

test("every type that a public signature mentions can be imported", () => {
  const all = new Map<Key, boolean>();
  for (const entry of entries)
    for (const [key, { type }] of exportsOf(entry)) all.set(key, type && (all.get(key) ?? true));
  expect(all.size).toBeGreaterThan(200);
  const missing = new Map<Key, string>();
  for (const [key, onlyType] of all) {
    const [file = "", name = ""] = key.split("#");
    for (const statement of moduleOf(file).declared.get(name) ?? [])
      for (const other of mentioned(statement, onlyType)) {
        const declared = declarationOf(file, other);
        if (declared !== undefined && !all.has(declared) && needsName(declared)) missing.set(declared, name);
      }
  }
  const lines = [...missing].map(([key, by]) => `${path.relative(root, key)}, mentioned by ${by}`);
  expect(lines).toEqual([]);
});
