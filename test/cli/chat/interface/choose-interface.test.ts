import { expect, test } from "vitest";
import { chooseInterface } from "../../../../src/cli/chat/interface/open-interface.ts";

const terminal = { isTTY: true };
const wide = { isTTY: true, columns: 40 };

test.each([
  ["a terminal", { stdin: terminal, stdout: wide, term: "xterm-256color", isScreenReader: false }, "screen"],
  ["one without TERM", { stdin: terminal, stdout: wide, term: undefined, isScreenReader: false }, "screen"],
  [
    "one of 20 columns",
    { stdin: terminal, stdout: { isTTY: true, columns: 20 }, term: "xterm", isScreenReader: false },
    "screen",
  ],
  [
    "one of 19 columns",
    { stdin: terminal, stdout: { isTTY: true, columns: 19 }, term: "xterm", isScreenReader: false },
    "plain",
  ],
  [
    "one that does not tell its width",
    { stdin: terminal, stdout: terminal, term: "xterm", isScreenReader: false },
    "plain",
  ],
  ["TERM=dumb", { stdin: terminal, stdout: wide, term: "dumb", isScreenReader: false }, "plain"],
  ["a screen reader", { stdin: terminal, stdout: wide, term: "xterm", isScreenReader: true }, "plain"],
  ["a pipe in", { stdin: {}, stdout: wide, term: "xterm", isScreenReader: false }, "plain"],
  ["a pipe out", { stdin: terminal, stdout: {}, term: "xterm", isScreenReader: false }, "plain"],
] as const)("%s gets the right face", (_, place, face) => {
  expect(chooseInterface(place)).toBe(face);
});
