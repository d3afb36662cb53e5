import { expect, test } from "vitest";
import { createDiff } from "../../../../src/cli/install/files/diff.ts";

test("only the place of the change is shown, with three lines around it", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const before = `${lines.join("\n")}\n`;
  const after = before.replace("line 10\n", "line ten\nand more\n");
  expect(createDiff("/a/file", before, after, [])).toBe(
    [
      "--- /a/file",
      "+++ /a/file",
      "@@ -7,7 +7,8 @@",
      ...[
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+line ten",
        "+and more",
        " line 11",
        " line 12",
        " line 13",
        "",
      ],
    ].join("\n"),
  );
});

test("a new file comes from nothing", () => {
  expect(createDiff("f", "", "{}\n", [])).toBe("--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+{}\n");
});

test("a byte order mark is not shown, not even where its line changes", () => {
  expect(createDiff("f", "\ufeff{}\n", '\ufeff{ "a": 1 }\n', [])).toBe(
    '--- f\n+++ f\n@@ -1,1 +1,1 @@\n-{}\n+{ "a": 1 }\n',
  );
});

test("no secret is shown: of this server or another, in variables, headers, arguments, or under a telling name", () => {
  const tree = {
    a: {
      command: "x",
      args: ["--api-key", "argument-secret-123", '{"api_key":"sk-json-secret-55555"}'],
      env: { ANY: "tiny", B: 'quoted "secret" 4567' },
    },
    b: { url: "x", headers: { Authorization: "Bearer header-secret-789" }, apiKey: "key-secret-000000" },
  };
  const after = `${JSON.stringify(tree, undefined, 2)}\n`;
  const shown = createDiff("f", "", after, [tree]);
  expect(shown).not.toMatch(/argument-secret|tiny|quoted|header-secret|key-secret|json-secret/);
  expect(shown).toContain('"ANY": "…"');
  expect(shown).toContain('"command": "x"');
});

test("no secret is shown that stands in an address, in a header among arguments, on several lines or before a $", () => {
  const tree = {
    a: { url: "https://ada:pass-word-1@example.com/s/abcdefghij0123456789xyz/mcp" },
    b: {
      args: ["mcp-remote", "--header", "Authorization: Bearer header-secret-789", "--header=X-Api-Key:key-of-ada-99"],
    },
    c: { env: { PRICE: "dollar-secret-$&", SHORT: "tiny", LONG: "first-line-of-it\nsecond-line-of-it" } },
  };
  const toml = `SHORT = 'tiny'\nLONG = """\nfirst-line-of-it\nsecond-line-of-it"""\n`;
  const shown = createDiff("f", "", `${JSON.stringify(tree, undefined, 2)}\n${toml}`, [tree]);
  expect(shown).not.toMatch(/pass-word|abcdefghij|header-secret|key-of-ada|dollar-secret|tiny|-line-of/);
  expect(shown).toContain("example.com/s/…9xyz/mcp");
});

test("long lines are cut, and control characters are made visible", () => {
  const shown = createDiff("f", "", `"${"x".repeat(500)}"\n"\u001b[31m"\n`, []);
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBe(160);
  expect(shown).toContain("\\u{1b}[31m");
});
