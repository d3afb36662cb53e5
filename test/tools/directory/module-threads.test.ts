import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Tool, ToolResult } from "../../../src/core/tools/tool.ts";
import type { Text } from "../../../src/kit/locale.ts";
import { openModules } from "../../../src/tools/directory/load-modules.ts";
import type { ModuleLimits } from "../../../src/tools/modules/module-host.ts";
import { documentTools } from "../../../src/tools/tool-documents.ts";
import { patienceMs } from "../../runner/patience.ts";
import { temporaryFiles } from "../builtin/files.ts";
import { testContext } from "../context.ts";
import { moduleOf } from "./loading.ts";

const lost = "What it kept in memory is lost; the next call starts it again.";
const patient: ModuleLimits = { loadMs: 20_000, callMs: 20_000 };
/** For a module of which one call is to reach its limit, and the others must not on a busy machine. */
const mixed: ModuleLimits = { loadMs: 20_000, callMs: 5000 };

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

/** Loops for ever and leaves the processor to others: a loop that works all the time is in the test of the caller that has left. */
const endlessLoop = "while (true) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);";
/** A module that counts its calls in memory and loops for ever where it is asked to. */
const counter = `let calls = 0;
${moduleOf("count", `({ loop }) => { calls++; if (loop) ${endlessLoop} return String(calls); }`)}`;

test("an endless loop in run ends at its limit with an error that says what is lost, and the next call works", async () => {
  const { call } = await open({ "count.mjs": counter }, mixed);
  expect(await call("count")).toEqual({ ok: true, text: "1" });
  expect(await call("count")).toEqual({ ok: true, text: "2" });
  const text = `count.mjs kept its thread busy until the time limit of 5 s and was stopped. ${lost}`;
  expect(await call("count", { loop: true })).toEqual({ ok: false, text, error: { code: "timeout", message: text } });
  expect(await call("count")).toEqual({ ok: true, text: "1" });
});

test("other modules answer while one loops, and its own other calls are told why they end", async () => {
  const waits = moduleOf("waits", '(_, { progress }) => { progress("here"); return new Promise(() => {}); }');
  const loops = moduleOf("loops", `() => { ${endlessLoop} }`);
  const fine = await open({ "fine.mjs": moduleOf("fine", '() => "fine"') });
  const files = {
    "two.mjs": `${waits.replace("export default", "const waits =")}
${loops.replace("export default", "const loops =")}
export default [waits, loops];`,
  };
  const { call, tool } = await open(files, { loadMs: 20_000, callMs: 1500 });
  const here = Promise.withResolvers<void>();
  const order: string[] = [];
  const looping = call("loops").finally(() => order.push("loops"));
  const waiting = tool("waits").run({}, { ...testContext(), progress: () => here.resolve() });
  await fine.call("fine").finally(() => order.push("fine"));
  const [looped, waited] = await Promise.all([looping, waiting]);
  expect(order).toEqual(["fine", "loops"]);
  expect(looped.text).toMatch(/^two\.mjs kept its thread busy until the time limit/);
  expect(waited).toMatchObject({ ok: false, error: { code: "tool" } });
  expect(waited.text).toBe(
    `two.mjs was stopped during this call, because another call of the module (loops) kept its thread busy. ${lost}`,
  );
});

test("a call that waits in vain ends at its limit, and the module goes on with what it knows", async () => {
  const module = `let calls = 0;
${moduleOf("slow", "({ wait }) => { calls++; return wait ? new Promise(() => {}) : String(calls); }")}`;
  const { call } = await open({ "slow.mjs": module }, mixed);
  expect((await call("slow", { wait: true })).text).toBe("slow timed out after 5 s");
  expect(await call("slow")).toEqual({ ok: true, text: "2" });
});

test("a loop whose caller has left is ended, which is told", async () => {
  const { call, warnings, tool } = await open({
    "count.mjs": counter
      .replace("({ loop })", "({ loop }, { progress })")
      .replace("calls++;", 'calls++; progress("on");')
      .replace(endlessLoop, "while (true);"),
  });
  const leave = new AbortController();
  const context = {
    ...testContext({ signal: leave.signal }),
    progress: () => leave.abort(new Error("the caller left")),
  };
  await expect(tool("count").run({ loop: true }, context)).rejects.toThrow("the caller left");
  await vi.waitFor(() => expect(warnings).toHaveLength(1), patienceMs);
  expect(warnings[0]?.en).toBe(`count.mjs kept its thread busy after its call was cancelled and was stopped. ${lost}`);
  expect(await call("count")).toEqual({ ok: true, text: "1" });
});

test("a module that loops or waits for ever while it loads is left out, and the others load", async () => {
  const files = {
    "fine.mjs": moduleOf("fine", '() => "fine"'),
    "loops.mjs": endlessLoop,
    "waits.mjs": "await new Promise(() => {});",
  };
  const { call, dropped } = await open(files, { loadMs: 5000, callMs: 20_000 });
  expect(dropped).toEqual(["loops.mjs: did not load within 5 s", "waits.mjs: did not load within 5 s"]);
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
  await vi.waitFor(() => expect(warnings).toHaveLength(1), patienceMs);
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

/** A module of one tool for each of these expressions, which it returns. */
function returning(values: readonly string[]): string {
  const tools = values.map(
    (value, index) => `{ name: "v${index}", description: "d", inputSchema: {}, run: () => ${value} }`,
  );
  return `export default [${tools.join(",\n")}];`;
}

test("a result that JSON would lose is one line that names the file, the value and what is allowed", async () => {
  const values: [string, string][] = [
    ["() => 1", "run returned a function"],
    ['Symbol("a")', "run returned a symbol"],
    ["10n", "run returned a BigInt"],
    ["({ rooms: [1, { seats: 10n }] })", "run returned a BigInt at rooms[1].seats"],
    ["[{ a: 1, free() {} }]", "run returned a function at [0].free"],
    ['({ a: { b: Symbol("a") } })', "run returned a symbol at a.b"],
    ["new Map([[1, 2]])", "run returned a Map"],
    ["({ all: new Set([1]) })", "run returned a Set at all"],
    ["({ later: Promise.resolve(1) })", "run returned a Promise at later"],
    ['({ why: new TypeError("no") })', "run returned an Error at why"],
    [
      "(() => { const a = { b: [] }; a.b.push(a); return a; })()",
      "run returned an object that contains itself at b[0]",
    ],
    [
      "(() => { let a = {}; for (let i = 0; i < 5000; i++) a = { a }; return a; })()",
      "run returned an object with more than 1000 levels",
    ],
    ["({ toJSON() {} })", "run returned nothing"],
    ["(() => { throw null; })()", "run threw null"],
    ["(() => { throw { code: 3 }; })()", "run threw { code: 3 }"],
  ];
  const { call } = await open({ "values.mjs": returning(values.map(([value]) => value)) });
  for (const [index, [, said]] of values.entries()) {
    const allowed = said.includes("threw") ? "an Error, a non-empty string" : "text, JSON, MCP content blocks";
    const text = `values.mjs[${index}]: ${said} (allowed: ${allowed})`;
    expect(await call(`v${index}`)).toEqual({ ok: false, text, error: { code: "tool", message: text } });
  }
});

test("a result that cannot be used is told in Chinese where the call is in Chinese", async () => {
  const { tool } = await open({
    "values.mjs": returning(["({ rooms: [10n] })", "new Map()", "(() => { throw null; })()", "undefined"]),
  });
  const context = testContext({ locale: "zh" });
  const texts = [];
  for (const name of ["v0", "v1", "v2", "v3"]) texts.push((await tool(name).run({}, context)).text);
  expect(texts).toEqual([
    "values.mjs[0]：run 返回值的 rooms[0] 是 BigInt（允许：文本、JSON、MCP 内容块）",
    "values.mjs[1]：run 返回了 Map（允许：文本、JSON、MCP 内容块）",
    "values.mjs[2]：run 抛出了 null（允许：Error、非空文本）",
    "values.mjs[3]：run 没有返回内容（允许：文本、JSON、MCP 内容块）",
  ]);
});

test("what can be JSON is JSON, and a run that returns nothing says so without having failed", async () => {
  const values: [string, string][] = [
    ["new (class A { b = 1; c() {} })()", '{"b":1}'],
    ["new Date(0)", '"1970-01-01T00:00:00.000Z"'],
    [
      "(() => { const a = { b: 1 }; return [a, a, { c: a }, undefined, { d: undefined }]; })()",
      '[{"b":1},{"b":1},{"c":{"b":1}},null,{}]',
    ],
    ["({ [Symbol.iterator]: 1, map: { toJSON: () => 1 } })", '{"map":1}'],
    ['[{ type: "text", text: "block" }]', "block"],
    ["null", ""],
    ["undefined", "values.mjs[6]: run returned nothing (allowed: text, JSON, MCP content blocks)"],
  ];
  const { call } = await open({ "values.mjs": returning(values.map(([value]) => value)) });
  for (const [index, [, text]] of values.entries()) expect(await call(`v${index}`)).toEqual({ ok: true, text });
});

test("output that is left out is told even where the module prints nothing after it", async () => {
  const run = `() => { process.stdout.write("x".repeat(1_500_000)); return "done"; }`;
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const { call, warnings } = await open({ "prints.mjs": moduleOf("prints", run) });
  expect(await call("prints")).toEqual({ ok: true, text: "done" });
  await vi.waitFor(() => expect(warnings).toHaveLength(1), patienceMs);
  expect(warnings).toEqual([
    {
      en: "prints.mjs printed too much: 500000 characters left out",
      zh: "prints.mjs：输出过多，省略了 500000 个字符",
    },
  ]);
});

test("the documents of a module's tool name the time that a call of it may take", async () => {
  const { tool } = await open({ "fine.mjs": moduleOf("fine", '() => "fine"') }, { loadMs: 20_000, callMs: 60_000 });
  expect(documentTools([tool("fine")], { locale: "en" })).toContain("- Limit: 60 s per call\n");
  expect(documentTools([tool("fine")], { locale: "zh" })).toContain("- 时限：每次调用 60 秒\n");
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
