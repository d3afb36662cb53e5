import fc from "fast-check";
import type { RemoteTool } from "../../../src/client/lists/listing.ts";
import { anyText } from "../../fakes/any-text.ts";

export function tool(changes: Partial<RemoteTool> = {}): RemoteTool {
  return {
    name: "send",
    description: "Sends a message.",
    inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    annotations: {},
    ...changes,
  };
}

/** The same in other objects, as from a file or from another answer of the server. */
export function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** What servers may write into a schema, also the names that objects have by themselves. */
const key = fc.oneof(
  fc.constantFrom("type", "properties", "enum", "$comment", "__proto__", "constructor", "toString", "items", "x-y"),
  fc.string({ maxLength: 8 }),
);
const leaf = fc.oneof(fc.string({ maxLength: 20 }), fc.integer(), fc.boolean(), fc.constant(null));
const node = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(key, tie("node"), { maxKeys: 4 }),
  ),
})).node;
const schema = fc
  .dictionary(key, node, { maxKeys: 5 })
  .map((fields): Record<string, unknown> => copyOf({ ...fields, type: "object" }));
const flag = fc.option(fc.boolean(), { nil: undefined });

export const anyTool: fc.Arbitrary<RemoteTool> = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 20 }),
    description: anyText({ maxLength: 60 }),
    inputSchema: schema,
    outputSchema: schema,
    annotations: fc.record(
      { title: fc.string({ maxLength: 20 }), readOnly: flag, destructive: flag, idempotent: flag, openWorld: flag },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["name", "description", "inputSchema", "annotations"] },
);

/** The same value with its keys in the opposite order, everywhere. */
export function reordered<T>(value: T): T;
export function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, reordered(inner)]);
  return Object.fromEntries(entries.reverse());
}

/** Every tool that differs from this one at one place: a bit of a text, a flag, a number, a key or a node too many or too few. */
export function mutations(original: RemoteTool): RemoteTool[] {
  const { name, ...rest } = copyOf(original);
  return Object.entries(rest).flatMap(([part, value]) =>
    mutated(value).map((changed): RemoteTool => JSON.parse(JSON.stringify({ name, ...rest, [part]: changed }))),
  );
}

function mutated(value: unknown): unknown[] {
  if (typeof value === "string") return [`${value}x`, ...(value === "" ? [] : [flipped(value), value.slice(1)])];
  if (typeof value === "number") return [value + 1, String(value)];
  if (typeof value === "boolean") return [!value, String(value)];
  if (value === null) return [false, {}];
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, index) => mutated(item).map((changed) => value.with(index, changed)));
    return [...inner, [...value, 0], ...(value.length > 0 ? [value.slice(1)] : [])];
  }
  const entries = Object.entries(asObject(value));
  return entries
    .flatMap(([key, item], index) => [
      ...mutated(item).map((changed) => entries.with(index, [key, changed])),
      entries.with(index, [`${key}x`, item]),
      entries.toSpliced(index, 1),
    ])
    .concat([[...entries, [`${entries.length} more`, null]]])
    .map((changed) => Object.fromEntries(changed));
}

function asObject(value: unknown): object {
  if (typeof value !== "object" || value === null) throw new Error("This is no object");
  return value;
}

function flipped(text: string): string {
  const at = Math.floor(text.length / 2);
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
}
