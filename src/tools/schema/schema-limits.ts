import { isRecord, type JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

const maxCharacters = 100_000;
const maxDepth = 64;
const maxVisits = 100_000;

/** Why a schema is too big to be compiled (it may come from a hostile server), or undefined. */
export function findSchemaExcess(schema: JsonSchema): Text | undefined {
  const depth = depthOf(schema);
  if (depth > maxDepth) return excess(`嵌套深度超过 ${maxDepth}`, `it is nested deeper than ${maxDepth}`);
  const size = JSON.stringify(schema).length;
  if (size > maxCharacters)
    return excess(`${size} 个字符（上限 ${maxCharacters}）`, `${size} characters (limit ${maxCharacters})`);
  if (visitsOf(schema) > maxVisits) return excess("引用展开后过大", "its references expand to too much");
  return undefined;
}

function excess(zh: string, en: string): Text {
  return { zh: `工具的参数模式过大：${zh}`, en: `The tool's input schema is too large: ${en}` };
}

/** Stops counting one level past the limit, so that a schema that contains itself ends too. */
function depthOf(root: unknown): number {
  let level = [root];
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((node) => (typeof node === "object" && node !== null ? Object.values(node) : []));
    if (level.length === 0) return depth;
    if (level.length > maxCharacters) return maxDepth + 1;
  }
  return maxDepth + 1;
}

/** How many subschemas a validation can visit in one place: local references are counted as often as they are used. */
function visitsOf(root: JsonSchema): number {
  const known = new Map<object, number>();
  const visit = (node: unknown): number => {
    if (typeof node !== "object" || node === null) return 0;
    const before = known.get(node);
    if (before !== undefined) return before;
    // A reference back to where we are recurses with the data, not with the schema.
    known.set(node, 1);
    let visits = 1;
    for (const child of Object.values(node)) visits += visit(child);
    if (isRecord(node)) visits += visit(referenced(root, node.$ref) ?? referenced(root, node.$dynamicRef));
    known.set(node, Math.min(visits, maxVisits + 1));
    return visits;
  };
  try {
    return visit(root);
  } catch (thrown) {
    // A chain of references longer than the stack.
    if (thrown instanceof RangeError) return maxVisits + 1;
    throw thrown;
  }
}

function referenced(root: JsonSchema, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  const steps = reference.split("/").slice(1);
  let node: unknown = root;
  for (const step of steps) {
    const key = decodeStep(step);
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = Object.getOwnPropertyDescriptor(node, key)?.value;
  }
  return node;
}

function decodeStep(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
