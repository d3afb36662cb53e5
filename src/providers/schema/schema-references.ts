import { isRecord, type JsonSchema } from "../../kit/json.ts";
import { combineSchemas, mapParts, removeKeywords, toStrings } from "./schema-parts.ts";

/** Characters; references that multiply are cut off there. */
const longest = 60_000;
const deepest = 24;

/**
 * The schema with each reference replaced by what it points to. Nothing is fetched: a reference to elsewhere allows
 * anything. A schema that contains itself is cut where it does so for the first time.
 */
export function inlineReferences(root: JsonSchema): JsonSchema {
  let left = longest;

  function visit(node: JsonSchema, trail: readonly string[], depth: number): JsonSchema {
    left -= ownSize(node);
    if (left < 0 || depth > deepest) return cut(node);
    const reference = node.$ref;
    if (typeof reference !== "string") return mapParts(node, (part) => visit(part, trail, depth + 1));
    const siblings = removeKeywords(node, ["$ref"]);
    const target = pointed(root, reference);
    if (!target) return visit(siblings, trail, depth);
    if (trail.includes(reference)) return { ...cut(target), ...siblings };
    return visit(
      combineSchemas(removeKeywords(target, ["$defs", "definitions"]), siblings),
      [...trail, reference],
      depth,
    );
  }

  return visit(removeKeywords(root, ["$defs", "definitions"]), ["#"], 0);
}

/** What a node says itself, without the schemas inside it. */
function ownSize(node: JsonSchema): number {
  const shallow = mapParts(node, () => ({}));
  return JSON.stringify(shallow).length;
}

function cut({ type, description }: JsonSchema): JsonSchema {
  const [only, ...others] = typeof type === "string" ? [type] : toStrings(type);
  const told = typeof description === "string" ? description.slice(0, 200) : undefined;
  return {
    ...(only !== undefined && others.length === 0 ? { type: only } : {}),
    ...(told === undefined ? {} : { description: told }),
  };
}

/** `#`, `#/$defs/name`, and the same after the root's own `$id`. */
function pointed(root: JsonSchema, reference: string): JsonSchema | undefined {
  const own = typeof root.$id === "string" ? root.$id.replace(/#$/, "") : "";
  const local = own !== "" && reference.startsWith(`${own}#`) ? reference.slice(own.length) : reference;
  if (local === "#" || local === own) return root;
  if (!local.startsWith("#/")) return undefined;
  let node: unknown = root;
  for (const step of local.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const inside: Record<string, unknown> = Array.isArray(node) ? { ...node } : isRecord(node) ? node : {};
    node = Object.hasOwn(inside, key) ? inside[key] : undefined;
  }
  return isRecord(node) ? node : undefined;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
