// Words that inputs of a target may contain, from the contract's tables and from formats: libFuzzer puts them in.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectDir } from "../build/llama-paths.mjs";

function contract(name) {
  return JSON.parse(readFileSync(join(projectDir, "native", "contract", `${name}.json`), "utf8"));
}

/** Every name in a table: keys, and texts that look like a name. */
function names(value, found = new Set()) {
  if (typeof value === "string") {
    if (/^[a-zA-Z][\w-]{1,40}$/.test(value)) found.add(value);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value) && /^[a-zA-Z][\w-]*$/.test(key)) found.add(key);
      names(member, found);
    }
  }
  return found;
}

const schemaWords =
  "type properties required items additionalProperties enum const anyOf oneOf allOf not $ref $defs #/$defs/a minLength maxLength minItems maxItems minimum maximum exclusiveMinimum pattern format prefixItems string integer number boolean object array null date-time uuid ^[a-z]{2,40}$ (a?){30} (a*)* \\\\d \\\\w [^a] .{3}".split(
    " ",
  );

const words = {
  grammar:
    'root ::= | "a" [a-z] [^b] ( ) ? * + {2} {0,9} {3,} . \\x41 \\u0041 \\U0001F600 <[12]> !<[3]> # %llguidance'.split(
      " ",
    ),
  template:
    "{{ }} {% %} {%- -%} for in if elif else endif endfor set macro endmacro call block range( | tojson length join default( loop.index namespace( messages message.role message.content tools bos_token eos_token add_generation_prompt raise_exception( strftime_now( is defined none true false not and or ~ [ ] [::-1] . trim upper filter endfilter break continue generation".split(
      " ",
    ),
  "tool-calls":
    '<tool_call> </tool_call> {"name": "weather", "arguments": {"city": } } <think> </think> <function=weather> </function> <parameter=city> </parameter> [TOOL_CALLS] <|channel|> <|message|> <|call|> <|python_tag|> ```json functools[ <|tool▁calls▁begin|> [weather( )] <|im_end|> stop'.split(
      " ",
    ),
  schema: schemaWords,
  permissions:
    "allow deny ask when path url text number min max ** * ? ../ ./ / // file:// http:// %2e%2e [::1] 0x7f.1 @ # :80 xn--".split(
      " ",
    ),
};

/** A word as a line of libFuzzer's dictionaries. */
function line(word) {
  const bytes = [...Buffer.from(word)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  return `"${bytes.join("")}"`;
}

function wordsOf(target) {
  if (target === "request") return [...names(contract("parameters")), ...schemaWords];
  if (target === "hooks") return [...names(contract("points")), ...names(contract("directives"))];
  if (target === "session-file")
    return ["conversations", "todos", "anchors", "usage", "queued", "children", "remembered"];
  if (target === "gguf") return ["u32", "i32", "f32", "str", "arr:u32", "arr:str", "q8_0", "f16", "bytes", "letters"];
  return words[target] ?? [];
}

/** False: there are none, and libFuzzer takes no empty dictionary. */
export function writeDictionary(target, file) {
  const all = wordsOf(target).filter((word) => word.length > 0 && word.length < 60);
  writeFileSync(file, all.map((word) => `${line(word)}\n`).join(""));
  return all.length > 0;
}
