// Makes command-line options from the contract's JSON Schema: names, ranges, defaults and words of the engine's
// parameters.
import { readFileSync } from "node:fs";
import { Option } from "commander";
import { numberIn, NumberOption } from "./option-parsers.js";

interface Parameter {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** A word, between ^ and $, that is allowed in place of the number. */
  readonly pattern?: string;
  readonly default?: unknown;
  readonly description: string;
}

/** A group of parameters in schemas/parameters.schema.json. */
export type ParameterGroup = "load_params" | "generate_params";

let schema: { readonly $defs: Record<string, { readonly properties: Record<string, Parameter> }> } | undefined;

function parametersOf(group: ParameterGroup): [name: string, parameter: Parameter][] {
  schema ??= JSON.parse(
    readFileSync(new URL("../../../schemas/parameters.schema.json", import.meta.url), "utf8"),
  ) as NonNullable<typeof schema>;
  return Object.entries(schema.$defs[group]?.properties ?? {});
}

/**
 * Makes an option for each parameter of a group that is a number or one of several words, or only for the named ones.
 * The attribute of the option (`topK`) is the parameter's name in TypeScript. The options have no default values:
 * defaults come from option files and the engine.
 */
export function contractOptions(group: ParameterGroup, names?: readonly string[]): Option[] {
  return parametersOf(group).flatMap(([name, parameter]) => {
    const flag = `--${name.replaceAll("_", "-")}`;
    const option = numberOption(flag, parameter) ?? choiceOption(flag, parameter);
    return option === undefined || names?.includes(option.attributeName()) === false ? [] : [option];
  });
}

function numberOption(flag: string, parameter: Parameter): Option | undefined {
  const types = [parameter.type].flat();
  const isInteger = types.includes("integer");
  if (!isInteger && !types.includes("number")) return undefined;
  const values = (parameter.enum ?? []).map(Number);
  const min = parameter.minimum ?? Math.min(...values);
  const max = parameter.maximum ?? (values.length > 0 ? Math.max(...values) : undefined);
  const number = numberIn({ isInteger, min, ...(max !== undefined && { max }) });
  const word = parameter.pattern?.slice(1, -1);
  const parse = (text: string): number | string => (text === word ? text : number(text));
  const option = new NumberOption(`${flag} <n>`, description(parameter)).argParser(parse) as NumberOption;
  option.offers = [...values.map(String), ...(word === undefined ? [] : [word])];
  return option;
}

function choiceOption(flag: string, parameter: Parameter): Option | undefined {
  const words = parameter.enum?.map(String);
  return words && new Option(`${flag} <which>`, description(parameter)).choices(words);
}

function description({ description: text, default: value }: Parameter): string {
  const words = text.replace(/\.$/, "").replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase());
  return value === undefined ? words : `${words} (default: ${String(value)})`;
}

/** The values of these options that were given. */
export function givenOptions<T extends object>(some: readonly Option[], options: T): Partial<T> {
  const names = some.map((option) => option.attributeName() as keyof T);
  return Object.fromEntries(
    names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  ) as Partial<T>;
}
