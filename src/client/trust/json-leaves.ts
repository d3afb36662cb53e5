import { isRecord } from "../../kit/json.ts";

/**
 * A JSON value as its leaves, each under its path (`inputSchema.properties.to.type`); a list of plain values is one leaf.
 * Two values are the same exactly when their leaves are.
 */
export function listLeaves(value: unknown, path: string): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  collect(value, path, leaves);
  return leaves;
}

function collect(value: unknown, path: string, leaves: Map<string, unknown>): void {
  const inner = partsOf(value);
  if (inner.length === 0) {
    if (value !== undefined) leaves.set(path, value);
    return;
  }
  for (const [step, part] of inner) collect(part, path + step, leaves);
}

function partsOf(value: unknown): [string, unknown][] {
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object" || item === null)) return [];
    return value.map((item, index) => [`[${index}]`, item]);
  }
  return isRecord(value) ? Object.entries(value).map(([key, part]) => [stepOf(key), part]) : [];
}

function stepOf(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
