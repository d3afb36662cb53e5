import { expect, test } from "vitest";
import { hosts } from "../../../../src/cli/install/hosts.ts";
import { planChange } from "../../../../src/cli/install/install.ts";
import { launch } from "../machine.ts";

const wanted = { launch, values: {}, names: [] };

/** What Claude Desktop's file becomes. */
function installed(before: string, change = wanted): string {
  return planChange(hosts["claude-desktop"], "file", before, "duet", change).text;
}

function removed(before: string): string {
  return planChange(hosts["claude-desktop"], "file", before, "duet", undefined).text;
}

test("comments, order, indentation and what stands on one line stay as they are", () => {
  const before = `// mine
{
    "theme": "dark", /* the best */
    "mcpServers": {
        "fs": { "command": "npx", "args": ["-y", "fs"] } // files
    },
    "last": [1,2]
}
`;
  const after = installed(before);
  expect(after).toBe(`// mine
{
    "theme": "dark", /* the best */
    "mcpServers": {
        "fs": { "command": "npx", "args": ["-y", "fs"] }, // files
        "duet": {
            "command": "/absolute/path/to/node",
            "args": [
                "/absolute/path/to/duet/dist/duet.js",
                "serve",
                "--config",
                "/absolute/path/to/duet.config.json"
            ]
        }
    },
    "last": [1,2]
}
`);
  expect(removed(after)).toBe(before);
});

test.each([
  ["an empty object", "{}"],
  ["no servers yet", '{\n  "mcpServers": {}\n}\n'],
  ["other settings alone", '{ "a": 1 }'],
  ["one line", '{"mcpServers":{"a":{"command":"x"}},"b":2}'],
  ["tabs", '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n'],
  ["line ends of Windows", '{\r\n  "mcpServers": {\r\n    "a": { "command": "x" }\r\n  }\r\n}\r\n'],
  ["a last comma", '{\n  "mcpServers": {\n    "a": { "command": "x" },\n  },\n}\n'],
  ["a byte order mark", '\ufeff{\n  "mcpServers": {}\n}'],
  ["a comma in a comment", '{\n  "mcpServers": {\n    "a": {} // one, two\n    /* , */\n  }\n}\n'],
])("a file with %s gets the entry, keeps its line ends and is itself again without it", (_, before) => {
  const after = installed(before);
  expect(after).toContain('"duet": {');
  expect(after.includes("\r\n") && /[^\r]\n/.test(after)).toBe(false);
  expect(installed(after)).toBe(after);
  const again = removed(after);
  expect(again).not.toContain("duet");
  expect(installed(again)).toContain('"duet": {');
});

test("an entry that is there is brought up to date where it stands, and what somebody added to it stays", () => {
  const before = `{
  "mcpServers": {
    "duet": {
      "command": "/old/node", // by hand
      "args": ["/old/duet.js", "serve"],
      "env": { "LANG": "zh_CN.UTF-8" },
      "disabled": true
    },
    "other": { "command": "x" }
  }
}
`;
  expect(installed(before, { ...wanted, values: { DEEPSEEK_API_KEY: "sk-1" } })).toBe(`{
  "mcpServers": {
    "duet": {
      "command": "/absolute/path/to/node", // by hand
      "args": [
        "/absolute/path/to/duet/dist/duet.js",
        "serve",
        "--config",
        "/absolute/path/to/duet.config.json"
      ],
      "env": {
        "LANG": "zh_CN.UTF-8",
        "DEEPSEEK_API_KEY": "sk-1"
      },
      "disabled": true
    },
    "other": { "command": "x" }
  }
}
`);
});

test("a last comma is there again after a removal", () => {
  const before = '{\n  "mcpServers": {\n    "a": { "command": "x" }, // mine\n  },\n}\n';
  expect(installed(before)).toMatch(/\n {4}\},\n {2}\},\n\}\n$/);
  expect(removed(installed(before))).toBe(before);
});

test("servers that are null become an object", () => {
  expect(JSON.parse(installed('{ "mcpServers": null, "a": 1 }'))).toEqual({ mcpServers: { duet: launch }, a: 1 });
});

test("an entry for a remote server of that name is replaced as a whole", () => {
  const after = installed('{ "mcpServers": { "duet": { "type": "http", "url": "https://example.com/mcp" } } }');
  expect(JSON.parse(after)).toEqual({ mcpServers: { duet: launch } });
});

test.each([
  ["no JSON", '{\n  "mcpServers": 中\n}', "2:17: is not valid JSON; the file was not changed"],
  ["no object", "[]", " is not an object; the file was not changed"],
  ["servers that are no object", '{ "mcpServers": [] }', " mcpServers is not an object; the file was not changed"],
  [
    "its servers twice",
    '{ "mcpServers": { "a": {} }, "mcpServers": { "b": {} } }',
    " mcpServers appears twice; the file was not changed: keep one of them",
  ],
  [
    "the server twice",
    '{ "mcpServers": { "duet": { "command": "a" }, "duet": { "command": "b" } } }',
    " duet appears twice; the file was not changed: keep one of them",
  ],
])("a file with %s is refused in one line", (_, before, message) => {
  expect(() => installed(before)).toThrow(`file:${message}`);
});
