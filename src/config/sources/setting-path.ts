/** Holds the path of a value in the configuration: `["mcpServers", "amap", "args", 1]`. */
export type Path = readonly (string | number)[];

/** Returns the path as people write it: `mcpServers.amap.args[1]`. A name that would be ambiguous is quoted. */
export function renderPath(path: Path): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : renderStep(step, index === 0))).join("");
}

function renderStep(name: string, first: boolean): string {
  if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
  return first ? name : `.${name}`;
}

export function getValue(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, step)?.value;
  }
  return value;
}
