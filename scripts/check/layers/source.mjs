// The imports that each module under src/ may have, beside packages and node: modules: the rows of table.mjs, and the
// rules for the files in front of rooms.
import { layers, nameOf } from "./table.mjs";

const ofSource = layers.filter(({ path }) => path.startsWith("src/"));
const facade = ofSource.find(({ path }) => path === "src/");
const users = ofSource.filter((layer) => layer !== facade);

const modules = (names) => new RegExp(`^(${names.join("|")})(/|\\.ts$)`);
const listed = (names) => names.map((name) => `src/${name}`).join(", ");

/** The rooms of a folder in order: each imports `includes`, itself and earlier ones. */
function storey(layer) {
  const rooms = Object.keys(layer.rooms).map((room) => `${nameOf(layer)}/${room}`);
  return rooms.map((name, index) => {
    const names = [...layer.includes.split(" "), ...rooms.slice(0, index + 1)];
    return {
      files: new RegExp(`^${name}/[^/]+$`),
      allowed: modules(names),
      rule: `src/${name} imports ${listed(names.filter((other) => other !== name))} only`,
    };
  });
}

/** A folder without rooms. */
function single(layer) {
  const names = layer.includes.split(" ");
  return {
    files: new RegExp(`^${nameOf(layer)}/`),
    allowed: modules([...names, nameOf(layer)]),
    rule: `src/${nameOf(layer)} imports ${listed(names)} only`,
  };
}

/** The rooms of the facade: each imports itself, those named before it, and what is generated. */
function facadeRooms() {
  const rooms = Object.keys(facade.rooms);
  return rooms.map((name, index) => {
    const names = [facade.includes, ...rooms.slice(0, index + 1)];
    return {
      files: new RegExp(`^${name}/`),
      allowed: new RegExp(`^(${names.join("|")})/`),
      rule: `src/${name} stands on ${listed(names)} only`,
    };
  });
}

/** The first row that fits a file is its own. `allowed`: modules under src/ that the files may import. */
export const SOURCE = [
  ...users
    .filter(({ includes }) => includes !== undefined)
    .flatMap((layer) => (layer.rooms === undefined ? [single(layer)] : storey(layer))),
  {
    files: /^cli\/[^/]+$/,
    allowed: /^(index|bench\/.*|cli\/.*|base\/package-json)\.ts$/,
    rule: "the top of src/cli joins its rooms, and uses no more of the facade than they do",
  },
  { files: /^page\//, allowed: /^page\//, rule: "what pages share knows nothing of the engine" },
  {
    files: /^server\/[^/]+$/,
    allowed: /^(index|base\/check|server\/.*)\.ts$/,
    rule: "the top of src/server joins its rooms, and is a user of src/index.ts like any other",
  },
  {
    files: /^inspector\/[^/]+$/,
    allowed: /^(index|base\/(call-site|check)|ready-hooks\/index|server\/http\/.*|inspector\/.*)\.ts$/,
    rule: "the top of src/inspector joins its rooms, on src/index.ts, ready hooks and the HTTP of src/server",
  },
  { files: /^generated\//, allowed: /^generated\/.*\.ts$/, rule: "generated modules import nothing of ours" },
  ...facadeRooms(),
  {
    files: /./,
    allowed: new RegExp(`^(?!(?:${users.map(nameOf).join("|")})/)`),
    rule: "the facade does not import its users",
  },
];
