// Heavy, like compile-schema.ts: whoever needs this file imports it when first needed.
import { isDeeperThan, isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import { resolvePointer } from "../../kit/json-pointer.ts";
import { type ArgumentsCheck, compileCheck, findSchemaExcess } from "./compile-schema.ts";

/** Limits the levels of a value that is checked. */
const deepestValue = 64;

/** Limits the steps of one check: the values of the data, times what the schema says of one of them. */
const mostSteps = 1_000_000;

/** Limits what a schema says in all, which is compiled in one go. */
const mostSaid = 1000;

/** Is how many characters of a text count as one value. */
const charactersPerValue = 1000;

/**
 * Compiles a schema for values that its own author has chosen too, and who may be hostile: the check ends at the first fault, and finds
 * none where it could take long. Returns undefined for a schema that cannot be checked in steps which are known beforehand. Patterns and
 * formats are not checked.
 */
export function compileBounded(schema: JsonSchema): ArgumentsCheck | undefined {
  if (findSchemaExcess(schema) !== undefined) return undefined;
  try {
    const said = countSaid(schema);
    if (said > mostSaid) return undefined;
    const check = compileCheck(schema, "first");
    return (value) => (isSmall(value, mostSteps / said) ? check(value) : []);
  } catch {
    // It is not valid, or a chain of references is longer than the stack.
    return undefined;
  }
}

/** Returns true for a value that is shallow, and has at most this many values in it. */
function isSmall(value: JsonObject, most: number): boolean {
  if (isDeeperThan(value, deepestValue)) return false;
  let count = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && count <= most) {
    const each = waiting.pop();
    count += 1;
    if (typeof each === "string") count += each.length / charactersPerValue;
    if (typeof each !== "object" || each === null) continue;
    for (const [key, inner] of Object.entries(each)) {
      count += key.length / charactersPerValue;
      waiting.push(inner);
    }
  }
  return count <= most;
}

/** Lists the keywords under which a pattern or a format that is not checked would make a value wrong that is right. */
const turning = ["not", "if", "oneOf", "contains"];

/** Lists the keywords that lead elsewhere than a pointer does, or whose steps nobody can foresee. */
const unforeseeable = ["$dynamicRef", "$recursiveRef", "patternProperties"];

/**
 * Counts what a schema says in all, that to which it refers as often as it does. Returns infinity for one that refers to itself, which
 * recurses with the data, and for one that uses keywords in a way that cannot be followed.
 */
function countSaid(root: JsonSchema): number {
  const known = new Map<object, number>();
  const used = new Set<string>();
  const visit = (node: unknown): number => {
    if (typeof node !== "object" || node === null) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    // Who comes by here again before this is done has found a circle.
    known.set(node, Number.POSITIVE_INFINITY);
    let said = 1;
    for (const [key, child] of Object.entries(node)) {
      used.add(key);
      said += visit(child);
    }
    if (isRecord(node)) said += visitReference(node);
    known.set(node, said);
    return said;
  };
  const visitReference = ({ $ref }: Record<string, unknown>): number => {
    if (typeof $ref !== "string") return 0;
    const target = resolvePointer(root, $ref);
    return target === undefined ? Number.POSITIVE_INFINITY : visit(target);
  };
  const said = visit(root);
  const isForeseeable = !unforeseeable.some((key) => used.has(key)) && !hasInnerName(root);
  const hasUnchecked = used.has("pattern") || used.has("format");
  return isForeseeable && !(hasUnchecked && turning.some((key) => used.has(key))) ? said : Number.POSITIVE_INFINITY;
}

/** Returns true where a part of the schema has a name of its own, which changes where the pointers below it lead. */
function hasInnerName(root: JsonSchema): boolean {
  const waiting: unknown[] = Object.values(root);
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isRecord(node) && typeof node.$id === "string") return true;
    waiting.push(...Object.values(node));
  }
  return false;
}
