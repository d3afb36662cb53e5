import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyDecoder } from "../../../../src/cli/terminal/keys/decode-keys.ts";
import type { Key } from "../../../../src/cli/terminal/keys/key.ts";

const plain = { text: "", ctrl: false, alt: false, shift: false };

describe("characters", () => {
  test("each character that is typed is a key of its own, whatever its script", () => {
    expect(namesOf("a北👍é")).toEqual(["a", "北", "👍", "é"]);
  });

  test("Enter and Ctrl-J are two keys, so that one submits and the other makes a new line", () => {
    expect(keysOf("\r\n")).toEqual([
      { ...plain, name: "enter" },
      { ...plain, name: "text", text: "j", ctrl: true },
    ]);
  });

  test.each([
    ["\u0003", "ctrl-c"],
    ["\u0000", "ctrl- "],
    ["\u001f", "ctrl-_"],
    ["\t", "tab"],
    ["\u007f", "backspace"],
    ["\b", "backspace"],
    ["\u001bb", "alt-b"],
    ["\u001bB", "alt-shift-b"],
    ["\u001b\r", "alt-enter"],
    ["\u001b\u007f", "alt-backspace"],
  ])("%j is %s", (bytes, name) => {
    expect(namesOf(bytes)).toEqual([name]);
  });

  test("bytes that are no UTF-8 become a character that says so", () => {
    const keys = decode([Uint8Array.of(0x61, 0xff, 0x62)]);
    expect(keys.map(({ text }) => text)).toEqual(["a", "\ufffd", "b"]);
  });
});

describe("sequences", () => {
  test.each([
    ["\u001b[A", "up"],
    ["\u001bOB", "down"],
    ["\u001b[1;5D", "ctrl-left"],
    ["\u001b[1;3C", "alt-right"],
    ["\u001b[1;1:1C", "right"],
    ["\u001bOH", "home"],
    ["\u001b[4~", "end"],
    ["\u001b[3~", "delete"],
    ["\u001b[5~", "page-up"],
    ["\u001b[Z", "shift-tab"],
    ["\u001b\u001b[A", "alt-up"],
    ["\u001b[15~", "other"],
    ["\u001b[[A", "other"],
    ["\u001bOM", "enter"],
  ])("%j is %s", (bytes, name) => {
    expect(namesOf(bytes)).toEqual([name]);
  });

  test.each([
    ["\u001b[13;2u", "shift-enter"],
    ["\u001b[27u", "escape"],
    ["\u001b[99;5u", "ctrl-c"],
    ["\u001b[99;6u", "ctrl-shift-c"],
    ["\u001b[127;5u", "ctrl-backspace"],
    ["\u001b[97;2u", "A"],
    ["\u001b[49:33;2u", "!"],
    ["\u001b[97;;229u", "å"],
    ["\u001b[57404u", "5"],
    ["\u001b[57414u", "enter"],
    ["\u001b[99;9u", "other"],
  ])("kitty's %j is %s", (bytes, name) => {
    expect(namesOf(bytes)).toEqual([name]);
  });

  test("a key that is let go is none", () => {
    expect(namesOf("\u001b[97;1:3u\u001b[1;1:3A\u001b[3;1:3~")).toEqual([]);
  });

  test.each([
    ["\u001b[27;2;13~", "shift-enter"],
    ["\u001b[27;5;99~", "ctrl-c"],
    ["\u001b[27;2;65~", "A"],
    ["\u001b[27;5;9~", "ctrl-tab"],
  ])("modifyOtherKeys' %j is %s", (bytes, name) => {
    expect(namesOf(bytes)).toEqual([name]);
  });
});

describe("an escape", () => {
  test("is a key when nothing follows it in time", () => {
    const decoder = createKeyDecoder();
    expect(decoder.push(bytesOf("\u001b"))).toEqual([]);
    expect(decoder.patienceMs).toBe(50);
    expect(decoder.flush()).toEqual([{ ...plain, name: "escape" }]);
    expect(decoder.patienceMs).toBeUndefined();
  });

  test("that a key follows at once is Alt with it, also where the key opens a sequence", () => {
    expect(namesOf("\u001b[")).toEqual(["alt-["]);
    expect(namesOf("\u001b]")).toEqual(["alt-]"]);
    expect(namesOf("\u001b\u001b")).toEqual(["escape", "escape"]);
  });

  test("that a sequence breaks off behind takes no key with it", () => {
    expect(namesOf("\u001b[1;\u0003a")).toEqual(["ctrl-c", "a"]);
    expect(namesOf("\u001b]0;title\ra")).toEqual(["enter", "a"]);
  });
});

describe("what a terminal replies", () => {
  test.each([
    ["its attributes", "\u001b[?62;22c\u001b[>41;354;0c"],
    ["where the cursor is", "\u001b[12;40R"],
    ["a mode", "\u001b[?2026;2$y"],
    ["its keyboard protocol", "\u001b[?1u"],
    ["a colour, ended by BEL or ST", "\u001b]11;rgb:0000/0000/0000\u0007\u001b]10;rgb:ff/ff/ff\u001b\\"],
    ["its version", "\u001bP>|XTerm(390)\u001b\\"],
    ["an image's fate", "\u001b_Gi=1;OK\u001b\\"],
  ])("is no text: %s", (_, reply) => {
    expect(namesOf(`a${reply}b`)).toEqual(["a", "b"]);
  });
});

describe("a paste", () => {
  test("is one key, its line ends LF and its escapes as they are", () => {
    const keys = keysOf("\u001b[200~one\r\ntwo\rthree\u001b[31m\u0003\u001b[201~x");
    expect(keys).toEqual([
      { ...plain, name: "paste", text: "one\ntwo\nthree\u001b[31m\u0003" },
      { ...plain, name: "text", text: "x" },
    ]);
  });

  test("that does not end is given when it has waited", () => {
    const decoder = createKeyDecoder();
    expect(decoder.push(bytesOf("\u001b[200~half"))).toEqual([]);
    expect(decoder.patienceMs).toBeGreaterThan(1000);
    expect(decoder.flush()).toEqual([{ ...plain, name: "paste", text: "half" }]);
    expect(decoder.push(bytesOf("\u001b[201~a")).map(({ text }) => text)).toEqual(["a"]);
  });

  test("of 5 MB keeps one character more than 1,000,000, so that whoever takes it sees that it is too long", () => {
    const keys = keysOf(`\u001b[200~${"x".repeat(5_000_000)}\u001b[201~y`);
    expect(keys.map(({ text }) => text.length)).toEqual([1_000_001, 1]);
  });
});

const piece = fc.oneof(
  fc.constantFrom(
    "\u001b",
    "\u001b[",
    "\u001bO",
    "\u001b]",
    "\u001bP",
    "\u001b\\",
    "\u0007",
    "\r",
    "[",
    ";",
    "1",
    "A",
    "u",
    "~",
  ),
  fc.constantFrom("\u001b[200~", "\u001b[201~", "\u001b[13;2u", "\u001b[1;5", "北", "👍", "\u0003"),
  fc.string(),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.array(piece, { maxLength: 12 }).map((pieces) => bytesOf(pieces.join(""))),
);

test("a long text that comes at once without the marks of a paste is one key", () => {
  expect(namesOf(`${"长".repeat(100)}\rab`)).toEqual(["长".repeat(100), "enter", "a", "b"]);
});

test("any bytes decode, and to the same keys however they are split", () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(60), { maxLength: 6 }), (all, cuts) => {
      const borders = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
      const parts = borders.slice(1).map((end, index) => all.subarray(borders[index], end));
      expect(decode(parts)).toEqual(decode([all]));
    }),
    { numRuns: 400 },
  );
});

test("no key but text and pastes has a text, and no typed text a control character", () => {
  fc.assert(
    fc.property(bytes, (all) => {
      for (const { name, text } of decode([all])) {
        if (name === "text") expect(text).toMatch(/^[^\p{Cc}]+$/u);
        else if (name !== "paste") expect(text).toBe("");
      }
    }),
  );
});

function decode(parts: readonly Uint8Array[]): Key[] {
  const decoder = createKeyDecoder();
  return [...parts.flatMap((part) => decoder.push(part)), ...decoder.flush()];
}

function keysOf(text: string): Key[] {
  return decode([bytesOf(text)]);
}

function namesOf(text: string): string[] {
  return keysOf(text).map((key) => {
    const held = `${key.ctrl ? "ctrl-" : ""}${key.alt ? "alt-" : ""}${key.shift ? "shift-" : ""}`;
    return `${held}${key.name === "text" ? key.text : key.name}`;
  });
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
