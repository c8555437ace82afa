// Evaluates + - * / % ^ and parentheses over decimal numbers. Must not: run anything else (no eval).

/** Returns the value of an arithmetic expression. Throws an `Error` that says which part is invalid. */
export function evaluate(expression: string): number {
  const tokens = expression.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|\*\*|[-+*/%^()]|\S/gi) ?? [];
  if (tokens.length > 1000) throw new Error("expression too long");
  let at = 0;

  const sum = (): number => {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-")
      value = tokens[at++] === "+" ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = signed();
    while (tokens[at] === "*" || tokens[at] === "/" || tokens[at] === "%") {
      const operator = tokens[at++];
      const right = signed();
      if (operator !== "*" && right === 0) throw new Error("division by zero");
      value = operator === "*" ? value * right : operator === "/" ? value / right : value % right;
    }
    return value;
  };
  const signed = (): number => {
    if (tokens[at] === "-") return (at++, -signed());
    if (tokens[at] === "+") return (at++, signed());
    return power();
  };
  const power = (): number => {
    const base = atom();
    if (tokens[at] !== "^" && tokens[at] !== "**") return base;
    at++;
    return base ** signed();
  };
  const atom = (): number => {
    const token = tokens[at++];
    if (token === "(") {
      const value = sum();
      if (tokens[at++] !== ")") throw new Error("bad expression: ) is missing");
      return value;
    }
    if (token === undefined || !/^[.\d]/.test(token))
      throw new Error(`bad expression: ${token ?? "it ends too early"}`);
    return Number(token);
  };

  const value = sum();
  if (at < tokens.length) throw new Error(`bad expression: ${tokens[at]}`);
  if (!Number.isFinite(value)) throw new Error("number too large");
  return value;
}
