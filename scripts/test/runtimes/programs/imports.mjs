// Imports each entry of the package.
const entries = ["", "/hooks", "/server", "/inspector", "/ai-sdk", "/mcp", "/otel", "/testing"];
const modules = await Promise.all(entries.map((entry) => import(`llama-hooks${entry}`)));
console.log(modules.filter((module) => Object.keys(module).length > 0).length, "entries");
