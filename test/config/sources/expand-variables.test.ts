import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expandVariables, type ReferenceProblem } from "../../../src/config/sources/expand-variables.ts";
import { refusal } from "../workplace.ts";

const environment = { NAME: "value", EMPTY: "", NESTED: `\${NAME}` };
const fail = ({ text }: ReferenceProblem): never => {
  throw new Error(text.en);
};
const one = (text: string): unknown => expandVariables(text, environment, fail);

describe("variables in strings", () => {
  test.each([
    [`\${NAME}`, "value"],
    [`\${env:NAME}`, "value"],
    [`a \${NAME}/\${NAME} b`, "a value/value b"],
    [`\${NAME:-other}`, "value"],
    [`\${GONE:-other}`, "other"],
    [`\${env:GONE:-a:-b}`, "a:-b"],
    [`\${GONE:-}`, ""],
    [`\${EMPTY:-other}`, "other"],
    [`\${NESTED}`, `\${NAME}`],
    [`$\${NAME}`, `\${NAME}`],
    ["$NAME $5 {NAME}", "$NAME $5 {NAME}"],
  ])("%s becomes %s", (text, expanded) => {
    expect(one(text)).toBe(expanded);
  });

  test.each([`\${GONE}`, `\${EMPTY}`, `\${env:GONE}`, `\${toString}`, `\${__proto__}`])(
    "%s is refused with the path of its key",
    async (text) => {
      const line = await refusal({ file: { tools: { roots: ["ok", text] } } });
      expect(line).toMatch(/^duet\.config\.json: tools\.roots\[1\]: the variable \w+ is not set/);
    },
  );

  test.each([`\${}`, `\${input:key}`, `\${NAME`, `\${GONE:-\${NAME}}`, `\${NAME-x}`, `\${1}`])(
    "%s is refused, and what is allowed is said",
    (text) => {
      expect(() => one(text)).toThrow(/is not valid \(allowed: /);
    },
  );

  test("keys, numbers and switches stay", () => {
    const name = `\${NAME}`;
    expect(expandVariables({ [name]: [1, true, null, name] }, environment, fail)).toEqual({
      [name]: [1, true, null, "value"],
    });
  });
});

test("any tree without a dollar is left as it is", () => {
  const plain = fc.string().map((text) => text.replaceAll("$", ""));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      plain,
      fc.integer(),
      fc.boolean(),
      fc.array(tie("tree")),
      fc.dictionary(plain, tie("tree")),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(expandVariables(value, {}, fail)).toEqual(value);
    }),
  );
});

test("whatever a variable holds comes through unchanged, around it too", () => {
  const plain = fc.string().map((text) => text.replaceAll("$", ""));
  fc.assert(
    fc.property(plain, fc.string({ minLength: 1 }), plain, (before, value, after) => {
      expect(expandVariables(`${before}\${X}${after}`, { X: value }, fail)).toBe(before + value + after);
    }),
  );
});

test("escaping makes any text mean itself", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const text = `${a}\${${b}`;
      const escaped = text.replaceAll(`\${`, () => `$\${`);
      expect(expandVariables(escaped, {}, fail)).toBe(text);
    }),
  );
});
