import fc from "fast-check";
import { expect, test } from "vitest";
import { findHidden, makeTextVisible, makeToolVisible } from "../../../src/client/trust/hidden-characters.ts";
import { anyText } from "../../fakes/any-text.ts";
import { tool } from "./tools.ts";

test.each([
  ["tags", "a\u{e0041}\u{e0042}b", "a\\u{E0041}\\u{E0042}b"],
  ["zero-width characters", "ma\u200bil\u2060\ufeff", "ma\\u{200B}il\\u{2060}\\u{FEFF}"],
  ["bidi controls", "\u202eevil\u2066", "\\u{202E}evil\\u{2066}"],
  ["escapes and other controls", "\u001b[8mx\u0007\r\u0085", "\\u{1B}[8mx\\u{7}\\u{D}\\u{85}"],
  [
    "fillers that are letters by their category",
    "a\u3164b\u115fc\uffa0\u2800",
    "a\\u{3164}b\\u{115F}c\\u{FFA0}\\u{2800}",
  ],
  ["soft hyphens and line separators", "so\u00adft\u2028", "so\\u{AD}ft\\u{2028}"],
  ["private characters, lone surrogates, no characters", "\ue000\ud800\uffff", "\\u{E000}\\u{D800}\\u{FFFF}"],
  ["variation selectors that carry data", "😀\u{e0101}\u{e0102}", "😀\\u{E0101}\\u{E0102}"],
  ["joiners between plain letters", "m\u200dail", "m\\u{200D}ail"],
])("%s are shown", (_, text, shown) => {
  expect(makeTextVisible(text)).toBe(shown);
  expect(findHidden(text).count).toBeGreaterThan(0);
});

test.each([
  ["lines, tabs, Windows' line ends", "one\ttwo\nthree\r\nfour"],
  ["Chinese", "查询天气，例如：“北京”（或 citycode）　100℃"],
  ["emoji", "👨\u200d👩\u200d👧 ❤\ufe0f ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 👍🏽"],
  ["Persian and Hindi", "می\u200cخواهم क्\u200dष"],
  ["accents, Korean, Japanese, Cyrillic", "Zürich 한국어 カタカナ ひらがな Привет"],
])("%s stay as they are", (_, text) => {
  expect(makeTextVisible(text)).toBe(text);
  expect(findHidden(text)).toEqual({ count: 0, kinds: [], isAll: true });
});

test("nothing hidden is left in any text, and a text without stays the same", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const shown = makeTextVisible(text);
      expect(findHidden(shown).count).toBe(0);
      if (findHidden(text).count === 0) expect(shown).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

test("the kinds are told once each, and a flood is not counted to its end", () => {
  expect(findHidden("a\u200bb\u202ec\u200b")).toEqual({ count: 3, kinds: ["U+200B", "U+202E"], isAll: true });
  const flood = "x\u200b".repeat(5000);
  expect(findHidden(flood)).toEqual({ count: 1000, kinds: ["U+200B"], isAll: false });
  expect(makeTextVisible(flood)).toBe("x\\u{…}".repeat(5000));
});

test("a tool is made visible everywhere but in its name, and stays the same object where nothing is hidden", () => {
  const plain = tool({ annotations: { title: "Send" } });
  expect(makeToolVisible(plain)).toBe(plain);
  const schema = JSON.parse(
    '{"type":"object","properties":{"t\u200bo":{"enum":["\u202ea"]},"__proto__":{"default":"\u{e0041}"}}}',
  );
  const shown = makeToolVisible({
    name: "se\u200bnd",
    description: "a\u{e0041}",
    inputSchema: schema,
    outputSchema: { type: "object", $comment: "\u200b" },
    annotations: { title: "\u202eT", readOnly: true },
  });
  expect(JSON.stringify(shown)).toBe(
    JSON.stringify({
      name: "se\u200bnd",
      description: "a\\u{E0041}",
      inputSchema: JSON.parse(
        String.raw`{"type":"object","properties":{"t\\u{200B}o":{"enum":["\\u{202E}a"]},"__proto__":{"default":"\\u{E0041}"}}}`,
      ),
      outputSchema: { type: "object", $comment: "\\u{200B}" },
      annotations: { title: "\\u{202E}T", readOnly: true },
    }),
  );
});
