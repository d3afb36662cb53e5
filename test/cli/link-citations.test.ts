import { describe, expect, test } from "vitest";
import { createLinker } from "../../src/cli/create-renderer.ts";
import { canShowHyperlinks, createHyperlink } from "../../src/cli/terminal/text/hyperlink.ts";

const cited = [
  { n: 1, title: "A", url: "https://a.example/x" },
  { n: 2, title: "B", url: "https://b.example/y" },
];

function link(address: string, text: string): string {
  return `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;
}

const [one, two] = [link("https://a.example/x", "[1]"), link("https://b.example/y", "[2]")];

describe("a terminal shows links", () => {
  const terminal = { isTTY: true };
  test.each([
    [{ TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.5.4" }, true],
    [{ TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.0.15" }, false],
    [{ TERM_PROGRAM: "WezTerm", TERM_PROGRAM_VERSION: "20240203-110809-5046fc22" }, true],
    [{ TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.104.2" }, true],
    [{ TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.71.0" }, false],
    [{ TERM_PROGRAM: "ghostty", TERM_PROGRAM_VERSION: "1.2.0" }, true],
    [{ TERM_PROGRAM: "Apple_Terminal" }, false],
    [{ VTE_VERSION: "7600" }, true],
    [{ VTE_VERSION: "5000" }, false],
    [{ WT_SESSION: "0a1b" }, true],
    [{ TERM: "xterm-kitty" }, true],
    [{ TERM: "foot-extra" }, true],
    [{ TERM: "xterm-256color" }, false],
    [{ TERM: "tmux-256color", VTE_VERSION: "7600" }, false],
    [{ TERM: "xterm-256color", VTE_VERSION: "7600", TMUX: "/tmp/tmux-0/default,1,0" }, false],
    [{ TERM: "xterm-256color", FORCE_HYPERLINK: "1" }, true],
    [{ TERM: "xterm-kitty", FORCE_HYPERLINK: "0" }, false],
    [{ TERM: "xterm-kitty", NO_COLOR: "1" }, false],
    [{ TERM: "dumb", FORCE_HYPERLINK: "1" }, false],
    [{}, false],
  ])("%o: %s", (environment, shown) => {
    expect(canShowHyperlinks(terminal, environment)).toBe(shown);
  });

  test("but no pipe does, and none where colours are not wanted", () => {
    expect(canShowHyperlinks({}, { TERM: "xterm-kitty", FORCE_HYPERLINK: "1" })).toBe(false);
    expect(canShowHyperlinks(terminal, { TERM: "xterm-kitty" }, false)).toBe(false);
  });
});

test.each([
  ["javascript:alert(1)"],
  ["file:///etc/passwd"],
  ["not an address"],
  ["https://good.example@evil.example/"],
  ["https://a.example/\u001b]8;;https://evil.example\u001b\\"],
  ["https://a.example/\u202egpj.exe"],
  [`https://a.example/${"x".repeat(3000)}`],
])("nothing is linked to %j", (address) => {
  expect(createHyperlink(address, "[1]")).toBe("[1]");
});

test("an address is written anew, in ASCII", () => {
  expect(createHyperlink("HTTPS://例子.example/查 询?q=“x”", "[1]")).toBe(
    link("https://xn--fsqu00a.example/%E6%9F%A5%20%E8%AF%A2?q=%E2%80%9Cx%E2%80%9D", "[1]"),
  );
});

test("the numbers of known citations become links as soon as they are known", () => {
  const push = createLinker();
  expect(push("x [1]", [cited[0] ?? fail()])).toBe(`x ${one}`);
  expect(push(" y [2][1]", cited)).toBe(` y ${two}${one}`);
  expect(push(" z [3] [2]")).toBe(` z [3] ${two}`);
});

test("so do the addresses in the list of references, and no others", () => {
  const push = createLinker();
  const list = "\n\nReferences\n\n- [1] A https://a.example/x\n- [2] See https://else.example https://b.example/y";
  expect(push(list, cited)).toBe(
    `\n\nReferences\n\n- ${one} A ${link("https://a.example/x", "https://a.example/x")}\n- ${two} See https://else.example ${link("https://b.example/y", "https://b.example/y")}`,
  );
});

test("code stays as it is, also when it comes in pieces", () => {
  const push = createLinker();
  expect(push("`a[1]` [1]\n", cited)).toBe(`\`a[1]\` ${one}\n`);
  const pieces = [
    "```js\n",
    "a[1] = b[2]",
    "\n",
    "```\n",
    "[1] ",
    "- list\n",
    "  - ```\n",
    "[2]\n  ",
    "```\n[2](x)",
    " [2]",
  ];
  expect(pieces.map((piece) => push(piece)).join("")).toBe(
    `\`\`\`js\na[1] = b[2]\n\`\`\`\n${one} - list\n  - \`\`\`\n[2]\n  \`\`\`\n[2](x) ${two}`,
  );
});

function fail(): never {
  throw new Error("no citation");
}
