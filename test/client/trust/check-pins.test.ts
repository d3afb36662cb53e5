import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RemoteTool } from "../../../src/client/lists/listing.ts";
import { approvePins, checkPins, type PinCheck, type PinCheckOptions } from "../../../src/client/trust/check-pins.ts";
import type { ServerPins } from "../../../src/client/trust/pins.ts";
import { anyTool, copyOf, mutations, reordered, tool } from "./tools.ts";

const options: PinCheckOptions = { origin: "one", newTools: "stop" };
const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name);
const waits = ({ waiting }: PinCheck): [string, string][] => waiting.map(({ kind, tool }) => [kind, tool.name]);

/** Pins as they come back from a file. */
function pinned(...tools: RemoteTool[]): ServerPins {
  return copyOf(checkPins(undefined, tools, options).pins);
}

describe("a server that was never seen", () => {
  test("may be used with all that it offers, in its order, and that is pinned", () => {
    const listed = [tool({ name: "b" }), tool({ name: "a" })];
    const { usable, waiting, pins } = checkPins(undefined, listed, options);
    expect(usable).toEqual(listed);
    expect(usable[0]).toBe(listed[0]);
    expect(waiting).toEqual([]);
    expect(pins).toEqual({ origin: "one", tools: listed });
  });

  test("is also one that is another program now, or had nothing to offer yet", () => {
    const listed = [tool({ description: "Something else." })];
    expect(checkPins({ ...pinned(tool()), origin: "two" }, listed, options).usable).toEqual(listed);
    expect(checkPins({ origin: "one", era: "modern", tools: [] }, listed, options)).toMatchObject({
      usable: listed,
      pins: { origin: "one", era: "modern", tools: listed },
    });
  });
});

describe("a server that was seen", () => {
  test("may be used as it was, whatever the order of keys, and nothing is kept anew", () => {
    fc.assert(
      fc.property(anyTool, (known) => {
        const pins = pinned(known);
        const judgement = checkPins(pins, [reordered(copyOf(known))], options);
        expect(names(judgement.usable)).toEqual([known.name]);
        expect(judgement.pins).toBe(pins);
      }),
    );
  });

  test("has a tool stopped that differs in a single place, and the others go on", () => {
    fc.assert(
      fc.property(anyTool, (known) => {
        const other = tool({ name: `${known.name} other` });
        const pins = pinned(known, other);
        for (const changed of mutations(known)) {
          const judgement = checkPins(pins, [changed, other], options);
          // One call for all of them: the comparing costs more than what is compared.
          expect([
            waits(judgement),
            JSON.stringify(judgement.waiting[0]?.pinned),
            judgement.usable.map((each) => each === other),
            judgement.pins === pins,
          ]).toEqual([[["changed", known.name]], JSON.stringify(known), [true], true]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("has a tool stopped that gets or loses an output schema or a flag", () => {
    const plain = tool();
    const more = tool({ outputSchema: { type: "object" } });
    const flagged = tool({ annotations: { readOnly: true } });
    for (const [before, now] of [
      [plain, more],
      [more, plain],
      [plain, flagged],
      [flagged, plain],
      [flagged, tool({ annotations: { readOnly: false } })],
    ] as const) {
      expect(waits(checkPins(pinned(before), [now], options))).toEqual([["changed", "send"]]);
    }
  });

  test("has a flag without a value that is the same as none", () => {
    const listed = [tool({ annotations: { readOnly: undefined, title: undefined } })];
    expect(checkPins(pinned(tool()), listed, options).usable).toEqual(listed);
  });

  test("does not pass off a key that all objects have as one of its own", () => {
    const own = tool({ inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') });
    const without = tool({ inputSchema: { type: "object", properties: {} } });
    const other = tool({ inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"number"}}}') });
    for (const [before, now] of [
      [own, without],
      [without, own],
      [own, other],
    ] as const) {
      expect(waits(checkPins(pinned(before), [now], options))).toEqual([["changed", "send"]]);
    }
    expect(checkPins(pinned(own), [own], options).usable).toEqual([own]);
  });

  test("has new tools wait, or not, as the policy says", () => {
    const listed = [tool({ name: "send_v2" }), tool()];
    const stopped = checkPins(pinned(tool()), listed, options);
    expect([names(stopped.usable), waits(stopped)]).toEqual([["send"], [["new", "send_v2"]]]);
    const allowed = checkPins(pinned(tool()), listed, { ...options, newTools: "allow" });
    expect([names(allowed.usable), names(allowed.pins.tools)]).toEqual([
      ["send_v2", "send"],
      ["send_v2", "send"],
    ]);
  });

  test("has changed tools wait also where new ones are allowed", () => {
    const judgement = checkPins(pinned(tool()), [tool({ description: "Worse." })], { ...options, newTools: "allow" });
    expect(waits(judgement)).toEqual([["changed", "send"]]);
  });

  test("has every tool wait, whatever the policy, when its pins are damaged", () => {
    const listed = [tool(), tool({ name: "send_v2" })];
    for (const newTools of ["allow", "stop"] as const) {
      const judgement = checkPins(undefined, listed, { origin: "one", newTools, isDamaged: true });
      expect([names(judgement.usable), waits(judgement)]).toEqual([
        [],
        [
          ["new", "send"],
          ["new", "send_v2"],
        ],
      ]);
      expect(judgement.pins.tools).toEqual([]);
    }
  });

  test("keeps the pins of a tool that is gone, so that it comes back as it was or waits", () => {
    const pins = pinned(tool(), tool({ name: "stay" }));
    const without = checkPins(pins, [tool({ name: "stay" })], options);
    expect(without.pins).toBe(pins);
    expect(waits(checkPins(without.pins, [tool({ description: "Worse." })], options))).toEqual([["changed", "send"]]);
    const more = checkPins(pins, [tool({ name: "stay" }), tool({ name: "more" })], { ...options, newTools: "allow" });
    expect(names(more.pins.tools)).toEqual(["stay", "more", "send"]);
  });

  test("takes the first of two tools of one name, as if the second were not there", () => {
    const listed = [tool(), tool({ description: "Worse." })];
    expect(checkPins(pinned(tool()), listed, options)).toMatchObject({ usable: [listed[0]], waiting: [] });
    expect(waits(checkPins(pinned(tool()), listed.toReversed(), options))).toEqual([["changed", "send"]]);
  });

  test("cannot make the pins grow without end by new names", () => {
    let pins = pinned(tool());
    for (let round = 0; round < 1100; round += 1) {
      const listed = [tool({ name: `send_${round}` })];
      pins = checkPins(pins, listed, { ...options, newTools: "allow" }).pins;
    }
    expect(pins.tools.length).toBeLessThanOrEqual(1001);
  });
});

describe("an approval", () => {
  const changed = tool({ description: "Better." });
  const fresh = tool({ name: "new" });

  test("pins what was shown, in its old place or at the end, and touches nothing else", () => {
    const pins = pinned(tool(), tool({ name: "stay" }));
    const before = copyOf(pins);
    const { waiting } = checkPins(pins, [fresh, changed, tool({ name: "stay" })], options);
    const after = approvePins(pins, waiting, ["send", "new"]);
    expect(after.tools).toEqual([changed, tool({ name: "stay" }), fresh]);
    expect(pins).toEqual(before);
    expect(checkPins(after, [fresh, changed, tool({ name: "stay" })], options).waiting).toEqual([]);
  });

  test("of one tool leaves the others waiting; of what does not wait it changes nothing", () => {
    const pins = pinned(tool());
    const { waiting } = checkPins(pins, [fresh, changed], options);
    expect(waits(checkPins(approvePins(pins, waiting, ["new"]), [fresh, changed], options))).toEqual([
      ["changed", "send"],
    ]);
    expect(approvePins(pins, waiting, ["stay", "__proto__"])).toBe(pins);
  });
});

describe("what a person has approved", () => {
  test("is told apart from what was trusted at first use, and is gone with another program", () => {
    const first = checkPins(undefined, [tool({ name: "a" }), tool({ name: "b" })], options).pins;
    expect(first.approved).toBeUndefined();
    const pins = approvePins(first, [{ kind: "trusted", tool: tool({ name: "b" }) }], ["b"]);
    expect(pins.approved).toEqual(["b"]);
    const later = checkPins(pins, [tool({ name: "b" }), tool({ name: "c" })], { ...options, newTools: "allow" });
    expect(later.pins.approved).toEqual(["b"]);
    expect(checkPins(pins, [tool({ name: "b" })], { ...options, origin: "two" }).pins.approved).toBeUndefined();
  });
});
