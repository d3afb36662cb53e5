import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { hosts } from "../../../../src/cli/install/hosts.ts";
import { planChange } from "../../../../src/cli/install/install.ts";
import { launch } from "../machine.ts";

const wanted = { launch, values: {}, names: ["DEEPSEEK_API_KEY"] };
const command = 'command = "/absolute/path/to/node"';
/** Holds the arguments with a window that fits a limit of 600 or 1200 seconds. */
const toArgs = (window: number): string =>
  `args = ${JSON.stringify([...launch.args, "--window", String(window)]).replaceAll(",", ", ")}`;
const entry = `[mcp_servers.duet]
${command}
${toArgs(590)}
startup_timeout_sec = 30
tool_timeout_sec = 600
supports_parallel_tool_calls = true
env_vars = ["DEEPSEEK_API_KEY"]
`;

function installed(
  before: string,
  change: typeof wanted | { launch: typeof launch; values: object; names: [] } = wanted,
) {
  return planChange(hosts.codex, "file", before, "duet", { ...change, values: { ...change.values } }).text;
}

function removed(before: string): string {
  return planChange(hosts.codex, "file", before, "duet", undefined).text;
}

test("the table is added at the end, and taken away without a trace", () => {
  const before = `# mine
model = "gpt" # the one

[mcp_servers.fs]
command = "npx"
args = [
  "-y", # quietly
  "[mcp_servers.duet]",
]

[features]
notes = """
[mcp_servers.duet]
command = "not this"
"""
`;
  const after = installed(before);
  expect(after).toBe(`${before}\n${entry}`);
  expect(removed(after)).toBe(before);
  expect(installed(after)).toBe(after);
});

test("a table in the middle is changed line by line: comments, limits and tables of its own stay", () => {
  const before = `[mcp_servers.duet] # the agent
command = "/old/node" # by hand
args = [
  "/old/duet.js", # there
  "serve",
]
tool_timeout_sec = 1200
enabled = false

[mcp_servers.duet.env]
LANG = 'zh_CN.UTF-8'

# of the other
[mcp_servers.other]
command = "x"
`;
  const after = installed(before, { launch, values: { TAVILY_API_KEY: "tvly-1" }, names: [] });
  expect(after).toBe(`[mcp_servers.duet] # the agent
supports_parallel_tool_calls = true
startup_timeout_sec = 30
${command} # by hand
${toArgs(1190)}
tool_timeout_sec = 1200
enabled = false

[mcp_servers.duet.env]
TAVILY_API_KEY = "tvly-1"
LANG = 'zh_CN.UTF-8'

# of the other
[mcp_servers.other]
command = "x"
`);
  expect(removed(after)).toBe(
    `
# of the other
[mcp_servers.other]
command = "x"
`.trimStart(),
  );
});

test.each([
  [
    "dotted keys",
    'mcp_servers.duet.command = "old"\nmcp_servers.duet.args = []\nmcp_servers.duet.startup_timeout_sec = 5\nmcp_servers.duet.tool_timeout_sec = 5\nmcp_servers.duet.env_vars = ["DEEPSEEK_API_KEY"]\n',
  ],
  ["quoted keys", '["mcp_servers" . \'duet\']\n"command" = "old"\n'],
  ["line ends of Windows", 'model = "x"\r\n\r\n[mcp_servers.duet]\r\ncommand = "old"\r\n\r\n[a]\r\nb = 1\r\n'],
  ["no line end at the end", '[mcp_servers.duet]\ncommand = "old"'],
])("an entry with %s is understood", (_, before) => {
  const after = installed(before);
  expect(parse(after)).toMatchObject({ mcp_servers: { duet: { command: launch.command } } });
  expect(after.includes("\r\n") && /[^\r]\n/.test(after)).toBe(false);
});

test.each([
  ["all servers in braces", 'mcp_servers = { duet = { command = "old" } }\n', "mcp_servers is an inline table"],
  ["other servers in braces", 'mcp_servers = { fs = { command = "npx" } }\n', "mcp_servers is an inline table"],
  [
    "the entry in braces",
    '[mcp_servers]\nduet = { command = "old" }\n',
    "duet cannot be changed without affecting other content",
  ],
])("an entry that cannot be changed by itself is left to its owner: %s", (_, before, message) => {
  expect(() => installed(before)).toThrow(message);
});

test("half a table is made a whole one", () => {
  expect(parse(installed("[mcp_servers.duet]\nenv_vars = []\n"))).toMatchObject({
    mcp_servers: { duet: { command: launch.command } },
  });
});

test("a variable whose value the entry has is not handed on besides", () => {
  const after = installed("", { launch, values: { DEEPSEEK_API_KEY: "sk-1" }, names: [] });
  expect(installed(after)).toBe(after);
});

test("a file that is no TOML is refused in one line", () => {
  expect(() => installed("a = 1\nmodel = \n")).toThrow("file:2:9: is not valid TOML; the file was not changed");
});
