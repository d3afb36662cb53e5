import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Tells, of the first calculation in a process, when mathjs is loaded and when a time limit begins. */
const program = `
import { registerHooks } from "node:module";
const order = [];
registerHooks({ load(url, context, next) {
  if (/\\/mathjs\\//.test(url) && order.at(-1) !== "load") order.push("load");
  return next(url, context);
} });
const { createBuiltinTools } = await import("./src/tools/builtin/builtin-tools.ts");
const calculator = createBuiltinTools({ roots: [], locale: "en", search: undefined }).find(({ name }) => name === "calculator");
const start = globalThis.setTimeout;
globalThis.setTimeout = (work, ms, ...rest) => { if (ms === 5000) order.push("limit"); return start(work, ms, ...rest); };
const context = { signal: new AbortController().signal, locale: "en", progress() {}, notice() {} };
const { text } = await calculator.run({ expression: "2+3*4" }, context);
console.log(JSON.stringify({ order, text }));
`;

test("the first calculation of a process loads mathjs before the limit of the call begins", () => {
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(JSON.parse(told)).toEqual({ order: ["load", "limit"], text: "2+3*4 = 14" });
});
