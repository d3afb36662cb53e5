import { expect, test } from "vitest";
import { createChildTrace, getTraceId, readChainMeta, readTraceContext, toChainMeta } from "../../src/core/chain.ts";

const id = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${id}-b7ad6b7169203331-00`;

test("a trace context is taken as it stands, with what belongs to it", () => {
  const trace = { traceparent, tracestate: "vendor=1", baggage: "user=7" };
  expect(readChainMeta({ ...trace, other: 1 })).toEqual({ depth: 0, trace });
  expect(getTraceId(trace)).toBe(id);
  expect(toChainMeta(readChainMeta(trace))).not.toHaveProperty("trace");
});

test.each([
  undefined,
  7,
  "",
  "00-1-2-01",
  `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
  `00-${id}-${"0".repeat(16)}-01`,
  `ff-${id}-b7ad6b7169203331-01`,
  `00-${id.toUpperCase()}-b7ad6b7169203331-01`,
  `${traceparent}-more`,
  `${traceparent}\n`,
  `01-${id}-b7ad6b7169203331-01more`,
  `01-${id}-b7ad6b7169203331-01-a\u0000b`,
])("what is no traceparent counts as none: %j", (written) => {
  expect(readTraceContext({ traceparent: written, tracestate: "vendor=1" })).toBeUndefined();
});

test("a later version may say more", () => {
  const later = `01-${id}-b7ad6b7169203331-01-more`;
  expect(readTraceContext({ traceparent: later })).toEqual({ traceparent: later });
});

test("what would not fit into a header is left out", () => {
  const meta = { traceparent, tracestate: "x".repeat(513), baggage: "a=\nb" };
  expect(readTraceContext(meta)).toEqual({ traceparent });
});

test("a call below goes on with the trace above under a span of its own", () => {
  const below = createChildTrace(id, { traceparent, tracestate: "vendor=1" });
  expect(below.traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
  expect(below.traceparent).not.toBe(traceparent);
  expect(below.tracestate).toBe("vendor=1");
});

test("a trace of our own takes nothing from the one above", () => {
  const own = "1".repeat(32);
  expect(createChildTrace(own, { traceparent, tracestate: "vendor=1" })).toEqual({
    traceparent: expect.stringMatching(new RegExp(`^00-${own}-[0-9a-f]{16}-01$`)),
  });
});

test.each([-1, 1.5, "2", null, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])(
  "%j, which a caller says, is no depth, no deadline and no budget of tokens",
  (said) => {
    const meta = { "duet/depth": said, "duet/deadline": said, "duet/budget": said };
    expect(readChainMeta(meta)).toMatchObject({ depth: 0, deadline: undefined, budget: undefined });
  },
);

test("a budget of money that a caller says counts as it stands, unless it is negative or no number", () => {
  expect([0, 0.5, -0.5, "1", Number.NaN].map((said) => readChainMeta({ "duet/cost-budget": said }).cost)).toEqual([
    0,
    0.5,
    undefined,
    undefined,
    undefined,
  ]);
});
