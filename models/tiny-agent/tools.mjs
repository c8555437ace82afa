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
  other("delegate", "Gives a task to another agent.", "tier", "task"),
  other("remember", "Keeps a note for later.", "note"),
  other("play_music", "Plays a song.", "title"),
  other("add_todo", "Adds a task to the list.", "task"),
];
