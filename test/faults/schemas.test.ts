// Fault group J (docs/development/faults-servers.md#j-schemas-and-json): what the schemas, the arguments and the results of a
// server may hold.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import type { Pool } from "../../src/client/pool.ts";
import type { ToolResult } from "../../src/core/tools/tool.ts";
import type { JsonObject } from "../../src/kit/json.ts";
import { parseArguments } from "../../src/providers/wires/tool-fragments.ts";
import { withValidation } from "../../src/tools/schema/with-validation.ts";
import { fake, readJournal, readyPoolOf, temporaryFolder } from "../client/servers.ts";
import { testContext } from "../tools/context.ts";

interface Listed {
  name: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
}

/** A ready server whose list is this text, so that it may hold what no object can. */
async function listing(
  text: string,
  mode = "tools-from-file",
  name = "fake",
): Promise<{ pool: Pool; journal: string }> {
  const folder = temporaryFolder();
  const [file, journal] = [join(folder, "tools.json"), join(folder, "journal")];
  writeFileSync(file, text);
  const settings = fake(mode, { name, journal, args: ["--tools", file] });
  return { pool: await readyPoolOf(settings), journal };
}

const offering = (...tools: Listed[]) => listing(JSON.stringify(tools));

/** Calls as the agent does: the arguments are checked first. */
async function call(pool: Pool, name: string, args: JsonObject): Promise<ToolResult> {
  const tool = pool.tools().find((each) => each.name === name);
  if (tool === undefined) throw new Error(`No tool ${name}`);
  return withValidation(tool).run(args, testContext({ locale: "en" }));
}

const object = (properties: Record<string, unknown>, more: object = {}) => ({ type: "object", properties, ...more });
const explodes = "^(a|a)*$";
const bait = `${"a".repeat(40)}!`;

test("108: patterns that explode, in either schema, never hold up the process", async () => {
  const schema = object(
    { text: { type: "string", pattern: explodes } },
    {
      patternProperties: { "^(([a-z])+.)+[A-Z]([a-z])+$": { type: "string" } },
      propertyNames: { pattern: "^(a+)+$|^text$" },
    },
  );
  const { pool } = await offering({ name: "echo", inputSchema: schema, outputSchema: schema });
  const before = process.cpuUsage();
  const refused = await call(pool, "fake__echo", { text: bait });
  expect(refused.error?.code).toBe("invalid_arguments");
  await call(pool, "fake__echo", { text: "aaa", [bait]: bait });
  const { user } = process.cpuUsage(before);
  // Backtracking through 40 characters would take years.
  expect(user / 1e6).toBeLessThan(5);
});

test("108: an output schema is handed on and never run: a result that does not fit it is a result", async () => {
  const outputSchema = object({ city: { type: "string", pattern: explodes } }, { required: ["city"] });
  const { pool } = await offering({ name: "echo", inputSchema: { type: "object" }, outputSchema });
  expect(pool.tools()[0]?.outputSchema).toEqual(outputSchema);
  expect(await call(pool, "fake__echo", { text: bait })).toMatchObject({ ok: true });
});

const deep = (levels: number, end: string) =>
  `${'{"type":"object","properties":{"a":'.repeat(levels)}${end}${"}}".repeat(levels)}`;

test("109: a schema of 10,000 levels costs its tool, with the reason, and no other", async () => {
  const { pool } = await listing(
    `[{"name":"bomb","inputSchema":${deep(10_000, "{}")}},{"name":"good","inputSchema":{"type":"object"}}]`,
  );
  expect(pool.tools().map(({ name }) => name)).toEqual(["fake__good"]);
  expect(pool.status()[0]?.problems[0]?.en).toContain("Tool bomb was skipped: its inputSchema is nested too deeply");
});

test("109: a deep output schema costs only itself", async () => {
  const { pool } = await listing(
    `[{"name":"good","inputSchema":{"type":"object"},"outputSchema":${deep(10_000, "{}")}}]`,
  );
  expect(pool.tools()).toMatchObject([{ name: "fake__good" }]);
  expect(pool.tools()[0]?.outputSchema).toBeUndefined();
});

const doubling = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `d${n}`,
    { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
  ]),
);

test.each<[string, unknown]>([
  [
    "100,000 characters of subschemas",
    object(Object.fromEntries(Array.from({ length: 6000 }, (_, n) => [`p${n}`, { type: "string" }]))),
  ],
  ["references that double twenty times", { type: "object", $ref: "#/$defs/d0", $defs: { ...doubling, d20: {} } }],
])("109: %s: the call is refused with the reason and reaches no server", async (_, inputSchema) => {
  const { pool, journal } = await offering(
    { name: "bomb", inputSchema },
    { name: "good", inputSchema: { type: "object" } },
  );
  const { error, text } = await call(pool, "fake__bomb", {});
  expect(error?.code).toBe("tool");
  expect(text).toContain("too large");
  expect(readJournal(journal).filter(({ method }) => method === "tools/call")).toEqual([]);
  expect((await call(pool, "fake__good", {})).ok).toBe(true);
});

test("109: a schema that refers to itself, and one whose list must hold no value twice, are checked in time", async () => {
  const tree = object({ left: { $ref: "#" }, right: { $ref: "#" } });
  const unique = object({ list: { type: "array", uniqueItems: true } });
  const { pool } = await offering({ name: "tree", inputSchema: tree }, { name: "unique", inputSchema: unique });
  let args: JsonObject = {};
  for (let level = 0; level < 30; level += 1) args = { left: args, right: {} };
  expect((await call(pool, "fake__tree", args)).ok).toBe(true);
  const before = process.cpuUsage();
  const list = Array.from({ length: 100_000 }, (_, n) => n);
  expect((await call(pool, "fake__unique", { list })).ok).toBe(true);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10);
});

test("110: two servers that give their schemas the same $id are each checked by their own", async () => {
  const schema = (name: string) =>
    object(
      { [name]: { type: "string" } },
      { $id: "https://example.com/s", required: [name], additionalProperties: false },
    );
  const one = await offering({ name: "echo", inputSchema: schema("one") });
  const two = await listing(JSON.stringify([{ name: "echo", inputSchema: schema("two") }]), "tools-from-file", "other");
  expect((await call(one.pool, "fake__echo", { one: "x" })).ok).toBe(true);
  expect((await call(two.pool, "other__echo", { two: "x" })).ok).toBe(true);
  expect((await call(two.pool, "other__echo", { one: "x" })).error?.code).toBe("invalid_arguments");
});

test("111: 100,000 wrong items are told in a few lines, and leave the process free", async () => {
  const { pool } = await offering({
    name: "echo",
    inputSchema: object({ list: { type: "array", items: { type: "string" } } }),
  });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const { text } = await call(pool, "fake__echo", { list: Array.from({ length: 100_000 }, () => 1) });
  delay.disable();
  expect(text.length).toBeLessThan(2000);
  expect(delay.max / 1e6).toBeLessThan(3000);
});

test("112: __proto__ and constructor are names like any other, in schemas, arguments and results", async () => {
  const { pool, journal } = await listing(
    '[{"name":"echo","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"object"}},"required":["__proto__"]}}]',
  );
  const [tool] = pool.tools();
  expect(JSON.stringify(tool?.inputSchema)).toContain('"__proto__":{"type":"string"}');
  expect((await call(pool, "fake__echo", {})).error?.code).toBe("invalid_arguments");
  const args = parseArguments('{"__proto__":"x","constructor":{"prototype":{"polluted":1}}}') ?? {};
  const { ok, text } = await call(pool, "fake__echo", args);
  expect(ok).toBe(true);
  expect(text).toBe('{"__proto__":"x","constructor":{"prototype":{"polluted":1}}}');
  const sent = readJournal(journal).find(({ method }) => method === "tools/call");
  expect(JSON.stringify(sent)).toContain('"__proto__":"x"');
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect("polluted" in {}).toBe(false);
});

test.each([
  ["1e400", "a number beyond all numbers"],
  ["-1e400", "one below them"],
  ["9007199254740993", "an integer that would become another one"],
  ["9".repeat(1_000_000), "an integer of a million digits"],
])("113: %.20s is refused as arguments, not changed: %s", (number) => {
  expect(parseArguments(`{"value":${number}}`)).toBeUndefined();
});

test("113: numbers that can be kept are kept", async () => {
  const { pool } = await offering({ name: "echo", inputSchema: object({}) });
  const text = '{"a":-1.5,"b":1e300,"c":9007199254740991,"d":0.1,"e":0.30000000000000004,"f":1.10,"g":1E5,"h":-0}';
  const args = parseArguments(text);
  expect(args).toEqual({
    a: -1.5,
    b: 1e300,
    c: 9_007_199_254_740_991,
    d: 0.1,
    e: 0.30000000000000004,
    f: 1.1,
    g: 100_000,
    h: -0,
  });
  const result = await call(pool, "fake__echo", args ?? {});
  expect(JSON.parse(result.text)).toMatchObject({ b: 1e300, c: 9_007_199_254_740_991, e: 0.30000000000000004 });
});

test("114: half a surrogate pair and a NUL in a result become visible; both forms of a letter stay as they are", async () => {
  const { pool } = await offering({ name: "echo", inputSchema: object({}) });
  const half = await call(pool, "fake__echo", { text: "\ud800|\0|\u00e9|e\u0301" });
  expect(half.ok).toBe(true);
  expect(half.text.isWellFormed()).toBe(true);
  expect(half.text).not.toContain("\0");
  expect(half.text).toContain("|\u00e9|e\u0301");
});

test("115: a hundred images and a type that nobody knows are told in words, and the text is used", async () => {
  const { pool } = await listing("[]", "odd-content-many");
  const { ok, text } = await call(pool, "fake__echo", {});
  expect(ok).toBe(true);
  expect(text).toContain("still here");
  expect(text).toContain("image/png");
  expect(text).toContain("audio");
  expect(text).toContain('unknown type "hologram"');
  expect(text.length).toBeLessThan(20_000);
});
