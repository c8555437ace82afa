// The tools tiny-agent was trained to call, with the descriptions it knows best. Demos and tests use these very objects.

const tool = (name, description, parameter) => ({
  name,
  description,
  parameters: {
    type: "object",
    properties: { [parameter]: { type: "string" } },
    required: [parameter],
  },
});

export const calculator = tool("calculator", "Evaluates an arithmetic expression.", "expression");
export const weather = tool("weather", "Tells the current weather of a city.", "city");
export const readFile = tool("read_file", "Reads a text file.", "path");

export const tools = [calculator, weather, readFile];

// The engine's own tools, as native/contract/control_tools.json describes them; the template shows names and descriptions only.
const control = (name, description, ...parameters) => ({
  name,
  description,
  parameters: { type: "object", properties: Object.fromEntries(parameters.map((p) => [p, { type: "string" }])) },
});

export const delegate = control(
  "delegate",
  "Has another agent do a task, and gives its summary.",
  "tier",
  "task",
  "resume",
);
export const complete = control(
  "complete",
  "Ends the work. Call it when everything is done, with a summary of what was done.",
  "summary",
);
// Those that tiny-agent passes over.
export const otherControls = [
  control(
    "pipeline",
    "Has several agents work on a task in turn, each with what the one before has made.",
    "task",
    "stages",
  ),
  control(
    "plan",
    "Carries out several steps. In the texts of a step, ${name} stands for what the earlier step of that name gave.",
    "flow",
    "steps",
  ),
  control("todo", "Sets the list of what is to be done, in place of the one before.", "todos"),
  control(
    "prune_context",
    "Shortens earlier results of tools that are not needed any more. At least one of the arguments.",
    "tool",
    "ids",
    "keep_last",
  ),
  control("phase_change", "Goes over to another phase of the work.", "phase"),
  control("context_inspect", "Reads a result again that was shortened.", "id", "offset"),
];

// Other ways in which somebody else may describe the same tools.
export const otherDescriptions = {
  calculator: [
    "Calculates the value of an expression.",
    "A calculator for numbers.",
    "Does arithmetic: + - * / and parentheses.",
    "Computes a result, for example 2 + 3.",
  ],
  weather: [
    "Gets the weather for a city.",
    "The weather in a city, as JSON.",
    "Returns temperature and condition for a place.",
    "Looks up how the weather is now.",
  ],
  read_file: [
    "Returns the contents of a file.",
    "Opens a file and gives back its text.",
    "Gets the text of the file at a path.",
    "Read a file from the workspace.",
  ],
};

// Tools that may be in the list and are never the right ones.
const other = (name, description, ...parameters) => ({
  name,
  description,
  parameters: {
    type: "object",
    properties: Object.fromEntries(parameters.map((p) => [p, { type: "string" }])),
    required: parameters,
  },
});

export const distractors = [
  other("send_email", "Sends an email.", "to", "text"),
  other("search", "Searches the web.", "query"),
  other("get_time", "Tells the time."),
  other("write_file", "Writes text to a file.", "path", "text"),
  other("list_files", "Lists the files of a folder.", "folder"),
  other("translate", "Translates a text.", "text", "language"),
  other("set_alarm", "Sets an alarm.", "time"),
  other("shell", "Runs a command.", "command"),
  other("remember", "Keeps a note for later.", "note"),
  other("play_music", "Plays a song.", "title"),
  other("add_todo", "Adds a task to the list.", "task"),
];
