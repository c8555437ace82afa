// The value of an arithmetic expression: numbers, + - * / and parentheses. Throws a SyntaxError for anything else.

export function calculate(expression) {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]|[^\s\d]/g) ?? [];
  let at = 0;
  const fail = () => {
    throw new SyntaxError(`not an arithmetic expression: ${expression}`);
  };

  function factor() {
    const token = tokens[at++];
    if (token === "-") return -factor();
    if (token === "(") {
      const inner = sum();
      return tokens[at++] === ")" ? inner : fail();
    }
    return /^\d/.test(token ?? "") ? Number(token) : fail();
  }

  function product() {
    let value = factor();
    while (tokens[at] === "*" || tokens[at] === "/") value = tokens[at++] === "*" ? value * factor() : value / factor();
    return value;
  }

  function sum() {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-")
      value = tokens[at++] === "+" ? value + product() : value - product();
    return value;
  }

  const value = sum();
  return at === tokens.length ? value : fail();
}
