import { expect, test } from "vitest";
import { chooseReflow } from "../../../../src/cli/terminal/screen/choose-reflow.ts";

/** Four lines of one, two, three and two rows, the cursor in the second row of the third. */
const rewrapped = { added: [0, 1, 2, 1], cursor: 2, upToCursor: 1, isShorter: false };

test.each([
  ["where lines are cut off, none of them", { XTERM_VERSION: "XTerm(390)", TERM: "xterm-256color" }, 0],
  ["in GNU screen, none", { STY: "1.tty", TERM: "screen" }, 0],
  ["where the cursor stays with its character, those before it", { VTE_VERSION: "7600" }, 2],
  ["known by TERM, through ssh too", { TERM: "xterm-kitty" }, 2],
  ["in tmux, whatever it runs in", { TMUX: "/tmp/tmux-0/default,1,0", TERM: "screen", XTERM_VERSION: "390" }, 2],
  ["in VS Code, those of the lines below too", { TERM_PROGRAM: "vscode" }, 4],
  ["where nobody knows, those of the lines above", { TERM: "xterm-256color" }, 1],
])("what is wrapped again moves the cursor: %s", (_, environment, moved) => {
  expect(chooseReflow(environment)(rewrapped)).toBe(moved);
});

test("in VS Code, the lines above alone count where it has lost rows too", () => {
  expect(chooseReflow({ TERM_PROGRAM: "vscode" })({ ...rewrapped, isShorter: true })).toBe(1);
});
