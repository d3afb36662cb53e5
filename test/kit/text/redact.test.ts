import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/kit/text/redact.ts";

const key = "sk-CANARY/1+2=é-0123456789";
const longer = `${key}-and-more`;
const redactor = createRedactor([
  { name: "API_KEY", value: key },
  { name: "LONGER", value: longer },
  { name: "PASSWORD", value: "aabaabaac" },
]);

/** Writes the key as somebody may who was told to hide it. */
const spellings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  percent: encodeURIComponent,
  base64: (text) => Buffer.from(text).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  "percent throughout": (text) => `%${listBytes(text).join("%")}`,
  "percent throughout, upper case": (text) => `%${listBytes(text).join("%").toUpperCase()}`,
  "JSON throughout": (text) => escapeUnits(text, "abcdef"),
  "JSON throughout, upper case": (text) => escapeUnits(text, "ABCDEF"),
};

function listBytes(text: string): string[] {
  return [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, "0"));
}

function escapeUnits(text: string, letters: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"));
  return units
    .map((unit) => `\\u${unit.replace(/[a-f]/g, (digit) => letters["abcdef".indexOf(digit)] ?? "")}`)
    .join("");
}

test.each(Object.keys(spellings))("a secret that is split over pieces in any way is replaced (%s)", (name) => {
  const text = `Your key is ${spellings[name]?.(key)}; sk-CAN is none, ${longer} is another, sk-CANARY/1+2=é`;
  const whole = redactor.redact(text);
  expect(whole).toMatch(/^Your key is \[redacted API_KEY\]=*; sk-CAN is none, \[redacted LONGER\] is another, /);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      const stream = redactor.openStream();
      const shown = places.slice(1).map((end, at) => stream.push(text.slice(places[at], end)));
      expect(shown.join("") + stream.end()).toBe(whole);
      for (const piece of shown) expect(piece).not.toContain("sk-CANARY");
    }),
  );
});

test("a start that repeats itself is found where the secret really begins", () => {
  const stream = redactor.openStream();
  const shown = [..."aabaabaabaac aab"].map((letter) => stream.push(letter)).join("");
  expect(shown).toBe("aab[redacted PASSWORD] ");
  expect(stream.end()).toBe("aab");
  expect(stream.push("aab")).toBe("");
});

test("text without a secret is handed on at once and unchanged", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (pieces) => {
      const stream = redactor.openStream();
      expect(pieces.map((piece) => stream.push(piece)).join("") + stream.end()).toBe(pieces.join(""));
    }),
  );
  expect(redactor.openStream().push("The answer is 42. ")).toBe("The answer is 42. ");
});
