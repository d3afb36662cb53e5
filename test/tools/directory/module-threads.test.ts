import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Text } from "../../../src/core/locale.ts";
import type { Tool, ToolResult } from "../../../src/core/tool.ts";
import { openModules } from "../../../src/tools/directory/load-modules.ts";
import type { ModuleLimits } from "../../../src/tools/modules/module-host.ts";
import { temporaryFiles } from "../builtin/files.ts";
import { testContext } from "../context.ts";
import { moduleOf } from "./loading.ts";

const lost = "What it kept in memory is lost; the next call starts it again.";
const patient: ModuleLimits = { loadMs: 20_000, callMs: 20_000 };

interface Opened {
  directory: string;
  tool(name: string): Tool;
  call(name: string, args?: Record<string, string | boolean>, signal?: AbortSignal): Promise<ToolResult>;
  dropped: string[];
  warnings: Text[];
  close(): Promise<void>;
}

/** The modules of a directory in real threads, as the program opens them. */
async function open(files: Record<string, string>, limits = patient): Promise<Opened> {
  const folder = await temporaryFiles(files);
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const warnings: Text[] = [];
  const modules = Object.keys(files).filter((name) => !name.includes("/"));
  const { loaded, close } = await openModules(folder.path, modules, { limits, warn: (line) => warnings.push(line) });
  onTestFinished(close);
  const { tools, dropped } = await loaded;
  const tool = (name: string): Tool => {
    const found = tools.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no tool ${name}: ${dropped.map(({ text }) => text.en).join()}`);
    return found;
  };
  return {
    directory: folder.path,
    tool,
    call: (name, args = {}, signal) => tool(name).run(args, testContext(signal ? { signal } : {})),
    dropped: dropped.map(({ text }) => text.en),
    warnings,
    close,
  };
}

/** A module that counts its calls in memory and loops for ever where it is asked to. */
const counter = `let calls = 0;
${moduleOf("count", "({ loop }) => { calls++; if (loop) while (true); return String(calls); }")}`;

test("an endless loop in run ends at its limit with an error that says what is lost, and the next call works", async () => {
  const { call } = await open({ "count.mjs": counter }, { loadMs: 20_000, callMs: 1500 });
  expect(await call("count")).toEqual({ ok: true, text: "1" });
  expect(await call("count")).toEqual({ ok: true, text: "2" });
  const text = `count.mjs kept its thread busy until the time limit of 1.5 s and was ended. ${lost}`;
  expect(await call("count", { loop: true })).toEqual({ ok: false, text, error: { code: "timeout", message: text } });
  expect(await call("count")).toEqual({ ok: true, text: "1" });
});

test("other modules answer while one loops, and its own other calls are told why they end", async () => {
  const waits = moduleOf("waits", '(_, { progress }) => { progress("here"); return new Promise(() => {}); }');
  const loops = moduleOf("loops", "() => { while (true); }");
  const files = {
    "fine.mjs": moduleOf("fine", '() => "fine"'),
    "two.mjs": `${waits.replace("export default", "const waits =")}
${loops.replace("export default", "const loops =")}
export default [waits, loops];`,
  };
  const { call, tool } = await open(files, { loadMs: 20_000, callMs: 1500 });
  const here = Promise.withResolvers<void>();
  const order: string[] = [];
  const looping = call("loops").finally(() => order.push("loops"));
  const waiting = tool("waits").run({}, { ...testContext(), progress: () => here.resolve() });
  await call("fine").finally(() => order.push("fine"));
  const [looped, waited] = await Promise.all([looping, waiting]);
  expect(order).toEqual(["fine", "loops"]);
  expect(looped.text).toMatch(/^two\.mjs kept its thread busy until the time limit/);
  expect(waited).toMatchObject({ ok: false, error: { code: "tool" } });
  expect(waited.text).toBe(
    `two.mjs was ended during this call, because another call of the module (loops) kept its thread busy. ${lost}`,
  );
});

test("a call that waits in vain ends at its limit, and the module goes on with what it knows", async () => {
  const module = `let calls = 0;
${moduleOf("slow", "({ wait }) => { calls++; return wait ? new Promise(() => {}) : String(calls); }")}`;
  const { call } = await open({ "slow.mjs": module }, { loadMs: 20_000, callMs: 1500 });
  expect((await call("slow", { wait: true })).text).toBe("slow timed out after 1.5 s");
  expect(await call("slow")).toEqual({ ok: true, text: "2" });
});

test("a loop whose caller has left is ended, which is told", async () => {
  const { call, warnings, tool } = await open({
    "count.mjs": counter
      .replace("({ loop })", "({ loop }, { progress })")
      .replace("calls++;", 'calls++; progress("on");'),
  });
  const leave = new AbortController();
  const context = {
    ...testContext({ signal: leave.signal }),
    progress: () => leave.abort(new Error("the caller left")),
  };
  await expect(tool("count").run({ loop: true }, context)).rejects.toThrow("the caller left");
  await vi.waitFor(() => expect(warnings).toHaveLength(1), { timeout: 10_000 });
  expect(warnings[0]?.en).toBe(`count.mjs kept its thread busy after its call was cancelled and was ended. ${lost}`);
  expect(await call("count")).toEqual({ ok: true, text: "1" });
});

test("a module that loops or waits for ever while it loads is left out, and the others load", async () => {
  const files = {
    "fine.mjs": moduleOf("fine", '() => "fine"'),
    "loops.mjs": "while (true);",
    "waits.mjs": "await new Promise(() => {});",
  };
  const { call, dropped } = await open(files, { loadMs: 1500, callMs: 20_000 });
  expect(dropped).toEqual(["loops.mjs: did not load within 1.5 s", "waits.mjs: did not load within 1.5 s"]);
  expect(await call("fine")).toEqual({ ok: true, text: "fine" });
});

test.each([
  ["ends the process", "process.exit(3)", "it called process.exit(3)"],
  ["throws later", 'setTimeout(() => { throw new TypeError("late"); })', "nothing caught its error: TypeError: late"],
  ["leaves a rejection", 'Promise.reject(new Error("alone"))', "nothing caught its error: Error: alone"],
])("a module that %s ends alone, and the next call starts it again", async (_, what, why) => {
  const run = `({ now }) => { if (!now) return "fine"; ${what}; return new Promise(() => {}); }`;
  const { call } = await open({ "odd.mjs": moduleOf("odd", run) });
  const text = `odd.mjs ended: ${why}. ${lost}`;
  expect(await call("odd", { now: true })).toEqual({ ok: false, text, error: { code: "tool", message: text } });
  expect(await call("odd")).toEqual({ ok: true, text: "fine" });
});

test("a module that breaks while nobody calls it is told of, and the next call starts it again", async () => {
  const run = '({ now }) => { if (now) setTimeout(() => { throw new Error("late"); }, 20); return "fine"; }';
  const { call, warnings } = await open({ "odd.mjs": moduleOf("odd", run) });
  expect(await call("odd", { now: true })).toEqual({ ok: true, text: "fine" });
  await vi.waitFor(() => expect(warnings).toHaveLength(1), { timeout: 10_000 });
  expect(warnings[0]?.en).toBe(`odd.mjs ended: nothing caught its error: Error: late. ${lost}`);
  expect(await call("odd")).toEqual({ ok: true, text: "fine" });
});

test("a module that eats its memory ends alone", async () => {
  const run = '({ now }) => { const all = []; while (now) all.push({ all: [all.length] }); return "fine"; }';
  const { call } = await open({ "eats.mjs": moduleOf("eats", run) }, { ...patient, memoryMb: 32 });
  expect((await call("eats", { now: true })).text).toBe(`eats.mjs ended: it took more than 32 MB of memory. ${lost}`);
  expect(await call("eats")).toEqual({ ok: true, text: "fine" });
});

test("the signal's reason reaches the module, and its progress the caller", async () => {
  const run = `(_, { signal, progress }) => new Promise((end) => {
    signal.addEventListener("abort", () => { console.error(signal.reason.name + ": " + signal.reason.message); globalThis.heard = signal.reason.name; });
    progress("begun");
  })`;
  const files = {
    "obeys.mjs": `const a = ${moduleOf("obeys", run).replace("export default ", "")}
export default [a, { name: "heard", description: "d", inputSchema: {}, run: () => globalThis.heard }];`,
  };
  const { call, tool } = await open(files);
  const leave = new AbortController();
  const context = {
    ...testContext({ signal: leave.signal }),
    progress: () => leave.abort(new DOMException("no", "AbortError")),
  };
  await expect(tool("obeys").run({}, context)).rejects.toThrow("no");
  expect(await call("heard")).toEqual({ ok: true, text: "AbortError" });
});

test("a flood of progress and of output does not hold up the program", async () => {
  const run = `(_, { progress }) => { for (let i = 0; i < 200_000; i++) { progress("p" + i); } return "done"; }`;
  const { tool } = await open({ "floods.mjs": moduleOf("floods", run) });
  const context = testContext();
  expect(await tool("floods").run({}, context)).toEqual({ ok: true, text: "done" });
  expect(context.progressed[0]).toBe("p0");
  expect(context.progressed.length).toBeLessThan(2000);
});

test("what cannot cross to another thread is a readable error, and what can be JSON is JSON", async () => {
  const values: [string, ToolResult | RegExp][] = [
    ["() => 1", /^run gave a function \(allowed: text, JSON, MCP content blocks\)$/],
    ['Symbol("a")', /^run gave a symbol/],
    ["10n", /BigInt/],
    ["(() => { const a = {}; a.a = a; return a; })()", /circular/],
    ["new (class A { b = 1; c() {} })()", { ok: true, text: '{"b":1}' }],
    ["new Date(0)", { ok: true, text: '"1970-01-01T00:00:00.000Z"' }],
    ['[{ type: "text", text: "block" }]', { ok: true, text: "block" }],
  ];
  const tools = values.map(
    ([value], index) => `{ name: "v${index}", description: "d", inputSchema: {}, run: () => ${value} }`,
  );
  const { call } = await open({ "values.mjs": `export default [${tools.join(",\n")}];` });
  for (const [index, [, expected]] of values.entries()) {
    const result = await call(`v${index}`);
    if (expected instanceof RegExp) expect(result).toMatchObject({ ok: false, text: expect.stringMatching(expected) });
    else expect(result).toEqual(expected);
  }
});

test("a Zod schema fills in defaults, transforms and refuses inside the thread", async () => {
  const module = `import { z } from "zod";
const inputSchema = z.object({ day: z.string().transform((day) => new Date(day)), people: z.number().default(2) })
  .refine(async ({ day }) => day.getUTCFullYear() > 2000, { path: ["day"], message: "too long ago" });
export default { name: "rooms", description: "d", inputSchema, run: ({ day, people }) => day.getUTCDate() + " " + people };`;
  const { call, tool } = await open({ "rooms.mjs": module });
  expect(tool("rooms").inputSchema).toMatchObject({ properties: { day: { type: "string" }, people: { default: 2 } } });
  expect(await call("rooms", { day: "2026-11-23" })).toEqual({ ok: true, text: "23 2" });
  expect(await call("rooms", { day: "1999-11-23" })).toMatchObject({
    ok: false,
    error: { code: "invalid_arguments" },
    text: expect.stringContaining("- day: too long ago"),
  });
});

test("a module sees and sets the environment of the program", async () => {
  process.env.DUET_TEST_MODULE = "from the program";
  onTestFinished(() => void delete process.env.DUET_TEST_MODULE);
  const run =
    "() => { const was = process.env.DUET_TEST_MODULE; process.env.DUET_TEST_MODULE = 'from the module'; return was; }";
  const { call } = await open({ "env.mjs": moduleOf("env", run) });
  expect(await call("env")).toEqual({ ok: true, text: "from the program" });
  expect(process.env.DUET_TEST_MODULE).toBe("from the module");
});

test("closing ends the threads, also one that loops, and a call after it is refused", async () => {
  const beat = 'appendFileSync(new URL("beats", import.meta.url), ".")';
  const { call, tool, directory, close } = await open({
    "beats.mjs": `import { appendFileSync } from "node:fs";
${moduleOf("beats", `(_, { progress }) => { ${beat}; progress("on"); while (true) ${beat}; }`)}`,
  });
  const on = Promise.withResolvers<void>();
  const looping = tool("beats").run({}, { ...testContext(), progress: () => on.resolve() });
  await on.promise;
  await close();
  expect(await looping).toMatchObject({ ok: false, text: "Duet is closing" });
  const beats = (): number => statSync(join(directory, "beats")).size;
  const last = beats();
  expect(last).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(beats()).toBe(last);
  expect(await call("beats")).toMatchObject({ ok: false, text: "Duet is closing" });
});

test("closing ends a thread that is still loading", async () => {
  const folder = await temporaryFiles({ "loops.mjs": "while (true);", "waits.mjs": "await new Promise(() => {});" });
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const { loaded, close } = await openModules(folder.path, ["loops.mjs", "waits.mjs"], {
    limits: patient,
    warn: () => {},
  });
  await close();
  expect((await loaded).dropped.map(({ text }) => text.en)).toEqual([
    "loops.mjs: Duet is closing",
    "waits.mjs: Duet is closing",
  ]);
});
