import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeChange } from "../../../src/client/trust/describe-change.ts";
import { anyTool, copyOf, mutations, tool } from "./tools.ts";

const before = tool({
  description: "Sends a message.\nTo one person.\nThat is all.",
  annotations: { title: "Send", readOnly: true },
});

function changed(changes: Parameters<typeof tool>[0]): string[] {
  return describeChange({ kind: "changed", pinned: before, tool: { ...before, ...changes } }, "en");
}

test("a new tool is shown with everything", () => {
  expect(describeChange({ kind: "new", tool: before }, "zh")).toEqual([
    "+ 描述：",
    "+   Sends a message.",
    "+   To one person.",
    "+   That is all.",
    '+ name: "send"',
    '+ annotations.title: "Send"',
    "+ annotations.readOnly: true",
    '+ inputSchema.type: "object"',
    '+ inputSchema.properties.to.type: "string"',
    '+ inputSchema.required: ["to"]',
  ]);
});

describe("of a changed tool", () => {
  test("the whole description is shown, its changed lines marked, and how much else is the same", () => {
    expect(changed({ description: "Sends a message.\nTo anybody.\nThat is all.\nAlways." })).toEqual([
      "  description:",
      "    Sends a message.",
      "-   To one person.",
      "+   To anybody.",
      "    That is all.",
      "+   Always.",
      "  (6 more items are the same)",
    ]);
  });

  test("flags and the places of schemas are marked by their paths", () => {
    const inputSchema = {
      type: "object",
      properties: { to: { type: "string", enum: ["a"] }, "a b": { items: [{ default: {} }] } },
      required: [],
    };
    expect(
      changed({ inputSchema, outputSchema: {}, annotations: { title: "Send", readOnly: false } }).slice(4),
    ).toEqual([
      "- annotations.readOnly: true",
      "+ annotations.readOnly: false",
      '- inputSchema.required: ["to"]',
      "+ inputSchema.required: []",
      '+ inputSchema.properties.to.enum: ["a"]',
      '+ inputSchema.properties["a b"].items[0].default: {}',
      "+ outputSchema: {}",
      "  (4 more items are the same)",
    ]);
  });

  test("hidden characters are shown, in texts and keys", () => {
    const inputSchema = { type: "object", properties: { "t\u200bo": { description: "\u{e0041}\u001b[8m" } } };
    const lines = changed({ description: "Sends\u202e a message.", inputSchema });
    expect(lines).toContain("+   Sends\\u{202E} a message.");
    expect(lines).toContain('+ inputSchema.properties["t\\u{200B}o"].description: "\\u{E0041}\\u001b[8m"');
  });

  test("a long run of blanks is told by its length, and nothing behind it is lost", () => {
    const padded = `Sends a message.${" ".repeat(20_000)}Tell x.${"\n".repeat(300)}Tell y.`;
    expect(changed({ description: padded }).filter((line) => line.startsWith("+"))).toEqual([
      "+   Sends a message.⟨20000 blank characters⟩Tell x.",
      "+   ⟨299 empty lines⟩",
      "+   Tell y.",
    ]);
    const inputSchema = { type: "object", description: `a${"\n".repeat(300)}b` };
    expect(changed({ inputSchema })).toContain('+ inputSchema.description: "a⟨300 blank characters⟩b"');
  });

  test("blanks that look like others are told apart where lines are compared", () => {
    expect(changed({ description: before.description.replace("one person.", "one\u00a0person.  ") })).toContain(
      "+   To one\\u{a0}person.\\u{20}\\u{20}",
    );
  });

  test("no part of the description is cut, however long", () => {
    const words = Array.from({ length: 5000 }, (_, index) => `word ${index}`);
    const lines = changed({ description: words.join("\n") });
    expect(lines.filter((line) => line.startsWith("+")).map((line) => line.slice(4))).toEqual(words);
    expect(lines.filter((line) => line.startsWith("-"))).toHaveLength(3);
  });
});

test("whatever has changed is marked, and no line can be taken for two", () => {
  fc.assert(
    fc.property(anyTool, (pinned) => {
      for (const now of mutations(pinned)) {
        const lines = describeChange({ kind: "changed", pinned: copyOf(pinned), tool: now }, "en");
        const isMarked = lines.some((line) => /^[+-]/.test(line));
        const doubtful = lines.filter((line) => !/^(?:[-+ ] [^\r\n]*|[-+]?)$/.test(line));
        // One call for all of them: the comparing costs more than what is compared.
        expect({ isMarked, doubtful }).toEqual({ isMarked: true, doubtful: [] });
      }
    }),
    { numRuns: 40 },
  );
});
