import { expect, test } from "vitest";
import { checkChain } from "../../src/core/chain.ts";
import { hasChainProperty, readChain, removeChainProperty, toChainText } from "../../src/core/chain-text.ts";
import { DuetError } from "../../src/kit/errors.ts";

const id = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${id}-b7ad6b7169203331-01`;
const full = { depth: 2, deadline: 1_764_000_000_000, budget: 40_000, cost: 0.5 };

test("a chain travels as a text and comes back as it was", () => {
  expect(toChainText(full)).toBe("2;1764000000000;40000;0.5");
  expect(toChainText({ depth: 1 })).toBe("1");
  for (const chain of [full, { depth: 1 }, { depth: 1, cost: 1e-7 }])
    expect(readChain(undefined, toChainText(chain, { traceparent, tracestate: "a=1" }))).toEqual({
      deadline: undefined,
      budget: undefined,
      cost: undefined,
      ...chain,
      trace: { traceparent },
    });
  expect(toChainText(full, { traceparent }).length).toBeLessThan(200);
});

test("of two words about the same chain the deeper and stricter one holds", () => {
  const meta = { "duet/depth": 1, "duet/deadline": 200, "duet/budget": 10, "duet/cost-budget": 0.2 };
  expect(readChain(meta, "2;100;20;0.1")).toMatchObject({ depth: 2, deadline: 100, budget: 10, cost: 0.1 });
  expect(readChain(meta, "")).toMatchObject({ depth: 1, deadline: 200, budget: 10, cost: 0.2 });
  expect(readChain(undefined, "3;;7")).toEqual({ depth: 3, budget: 7 });
});

test.each([
  undefined,
  null,
  7,
  {},
  "",
  "x",
  "-1",
  "1.5",
  "-1;-1;-1;-1",
  "9e99;x;;NaN",
  " ;;;Infinity",
  "3".repeat(201),
])("what is no chain counts as not said: %j", (argument) => {
  expect(readChain({ "duet/cost-budget": -1 }, argument)).toEqual({ depth: 0 });
});

test("the trace is that of the call, else of its argument, else of the request's headers", () => {
  const headers = new Headers({ traceparent, tracestate: "vendor=1" });
  expect(readChain({}, undefined, headers).trace).toEqual({ traceparent, tracestate: "vendor=1" });
  const other = traceparent.replace("0af", "1af");
  expect(readChain({}, `1;;;;${other}`, headers).trace).toEqual({ traceparent: other });
  expect(readChain({ traceparent }, `1;;;;${other}`, new Headers()).trace).toEqual({ traceparent });
});

test("a tool that takes a chain is known by its schema, of which models see the rest", () => {
  const question = { type: "string" };
  const schema = {
    type: "object",
    properties: { question, duet_chain: question },
    required: ["question", "duet_chain"],
  };
  expect(hasChainProperty(schema)).toBe(true);
  expect(removeChainProperty(schema)).toEqual({ type: "object", properties: { question }, required: ["question"] });
  expect(hasChainProperty(removeChainProperty(schema))).toBe(false);
  expect([{}, { properties: [] }, { properties: { question } }].map(hasChainProperty)).toEqual([false, false, false]);
});

test.each([{ depth: 4 }, { depth: 1, budget: 0 }, { depth: 1, cost: 0 }])(
  "a run at the end of a chain (%j) is refused in words for a model, in both languages",
  (chain) => {
    let refused: unknown;
    try {
      checkChain(chain);
    } catch (thrown) {
      refused = thrown;
    }
    if (!(refused instanceof DuetError)) throw new Error("not refused");
    expect(refused.text.en).toContain("not run");
    expect(refused.text.zh).toContain("没有执行");
    expect(refused.hint).toEqual({
      zh: "请不要再调用这个工具，用已有的信息直接回答。",
      en: "Do not call this tool again; answer from what is known.",
    });
  },
);

test("a run within the chain is not", () => {
  for (const chain of [undefined, { depth: 3 }, { depth: 1, budget: 1, cost: 0.01 }])
    expect(() => checkChain(chain)).not.toThrow();
});
