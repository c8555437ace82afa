// The page: a prompt, and the tokens as they arrive.
const { engine } = /** @type {{ engine: import("./page.d.mts").EngineBridge }} */ (/** @type {unknown} */ (window));
const form = /** @type {HTMLFormElement} */ (document.querySelector("form"));
const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("prompt"));
const output = /** @type {HTMLPreElement} */ (document.querySelector("pre"));

engine.onSaid(({ type, text }) => output.append(type === "token" ? text : `\n[${text}]\n`));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  engine.ask(input.value);
});
document.querySelector("button[type=button]")?.addEventListener("click", () => engine.stop());
