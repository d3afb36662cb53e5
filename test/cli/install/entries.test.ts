import { expect, test } from "vitest";
import { type HostName, hosts } from "../../../src/cli/install/hosts.ts";
import { planChange } from "../../../src/cli/install/install.ts";
import { built, launch } from "./machine.ts";

const wanted = { launch, values: {}, names: [] };
const windowArguments = [...launch.args, "--window", "590"];
const command = built.node;

/** Holds a file as its user may have written it, and the entry that it gets. */
const cases: [host: HostName, before: string, entry: object][] = [
  [
    "gemini-cli",
    '{\n  // mine\n  "theme": "Dracula",\n  "mcpServers": {\n    "fs": { "command": "npx" } // files\n  }\n}\n',
    { command, args: windowArguments, timeout: 600_000 },
  ],
  [
    "qwen-code",
    '{\n  "model": { "name": "qwen3" }, // mine\n  "mcpServers": {}\n}\n',
    { command, args: windowArguments, timeout: 600_000 },
  ],
  [
    "copilot-cli",
    '{\n  "mcpServers": {\n    "fs": { "type": "local", "command": "npx", "args": [], "tools": ["*"] } // mine\n  }\n}\n',
    { type: "local", command, args: windowArguments, tools: ["*"], timeout: 600_000 },
  ],
  [
    "opencode",
    '{\n  "$schema": "https://opencode.ai/config.json", // mine\n  "mcp": {\n    "fs": { "type": "local", "command": ["npx"] },\n  },\n}\n',
    { type: "local", command: [command, ...windowArguments], enabled: true, timeout: 600_000 },
  ],
  [
    "windsurf",
    '{\n  "mcpServers": {\n    "fs": { "command": "npx" } // mine\n  }\n}\n',
    { command, args: launch.args },
  ],
  [
    "zed",
    '// mine\n{\n  "vim_mode": true, // yes\n  "context_servers": {\n    "fs": { "command": "npx", "args": [] },\n  },\n}\n',
    { command, args: windowArguments, timeout: 600 },
  ],
  ["kiro", '{\n  "mcpServers": {\n    "fs": { "command": "npx" } // mine\n  }\n}\n', { command, args: launch.args }],
  [
    "cline",
    '{\n  "mcpServers": {\n    "fs": { "transport": { "type": "stdio", "command": "npx" } } // mine\n  }\n}\n',
    { command, args: windowArguments, timeout: 600 },
  ],
  [
    "lm-studio",
    '{\n  "mcpServers": {\n    "fs": { "command": "npx" } // mine\n  }\n}\n',
    { command, args: windowArguments, timeout: 600_000 },
  ],
  [
    "goose",
    '# mine\nGOOSE_MODE: "auto" # the mode\nextensions:\n  fs: # files\n    type: stdio\n    args:\n    - a\n    # more to come\n# after\nGOOSE_MODEL: x\n',
    { type: "stdio", name: "duet", cmd: command, args: windowArguments, enabled: true, timeout: 600 },
  ],
];

test.each(cases)(
  "%s gets its entry beside what is there, and its file is itself again after a removal",
  (name, before, entry) => {
    const host = hosts[name];
    const planned = planChange(host, "file", before, "duet", wanted);
    expect(planned.entry).toEqual(entry);
    expect(planned.text).toContain(" mine\n");
    expect(planChange(host, "file", planned.text, "duet", wanted).shown).toBe("");
    expect(planChange(host, "file", planned.text, "duet", undefined).text).toBe(before);
  },
);

test.each<[host: HostName, window: string, before: string]>([
  ["codex", "1190", '[mcp_servers.duet]\ncommand = "old"\ntool_timeout_sec = 1200\n'],
  ["gemini-cli", "80", '{ "mcpServers": { "duet": { "command": "old", "timeout": 90000 } } }'],
  ["opencode", "4", '{ "mcp": { "duet": { "type": "local", "command": ["old"], "timeout": 5000 } } }'],
  ["zed", "50", '{ "context_servers": { "duet": { "command": "old", "timeout": 60 } } }'],
  ["kiro", "110", '{ "mcpServers": { "duet": { "command": "old", "timeout": 120000 } } }'],
  ["claude-code", "290", '{ "mcpServers": { "duet": { "command": "old", "timeout": 300000 } } }'],
  ["cline", "1", '{ "mcpServers": { "duet": { "command": "old", "timeout": 1 } } }'],
  ["goose", "290", "extensions:\n  duet:\n    cmd: old\n    timeout: 300\n"],
])(
  "the time limit that somebody has set in %s stays, and the server is told a window of %s s",
  (name, window, before) => {
    const { text, entry } = planChange(hosts[name], "file", before, "duet", wanted);
    const [, limit] = /timeout\D*?(\d+)/.exec(before) ?? [];
    expect(text).toMatch(new RegExp(`timeout\\D*${limit}\\b`));
    const started = [entry?.args ?? entry?.command].flat();
    expect(started.slice(-2)).toEqual(["--window", window]);
  },
);

test.each<[HostName, unknown]>([
  ["cursor", 60_000],
  ["windsurf", 60_000],
  ["kiro", undefined],
  ["gemini-cli", "soon"],
  ["gemini-cli", 0],
])("duet install passes no --window where no time limit of %s is known (%s)", (name, limit) => {
  const before = JSON.stringify({ mcpServers: { duet: { command: "old", timeout: limit } } });
  expect(planChange(hosts[name], "file", before, "duet", wanted).entry?.args).toEqual(launch.args);
});

test("variables go where each host keeps them, and none of their values is shown", () => {
  const change = { ...wanted, values: { CORNER: "tiny" } };
  const opencode = planChange(hosts.opencode, "file", "", "duet", change);
  expect(opencode.entry).toMatchObject({ environment: { CORNER: "tiny" } });
  const goose = planChange(hosts.goose, "file", "", "duet", change);
  expect(goose.text).toContain("    envs:\n      CORNER: tiny\n");
  expect(opencode.shown + goose.shown).not.toContain("tiny");
});

test("the entry of goose has the name that the user gives the server", () => {
  expect(planChange(hosts.goose, "file", "", "agent", wanted).text).toContain(
    "  agent:\n    type: stdio\n    name: agent\n",
  );
});

test.each<[host: HostName, before: string]>([
  ["claude-desktop", '{ "mcpServers": {} }\n'],
  ["claude-desktop", ""],
  ["codex", '[mcp_servers.duet]\ncommand = "x"\n'],
  ["codex", ""],
  ["goose", "GOOSE_MODEL: x\n"],
  ["goose", ""],
])("the byte order mark of a file of %s stays, and everything behind it is as without: %j", (host, before) => {
  const [plain, marked] = [before, `\ufeff${before}`].map((text) => {
    const added = planChange(hosts[host], "file", text, "duet", wanted);
    return { added, removed: planChange(hosts[host], "file", added.text, "duet", undefined) };
  });
  expect(marked?.added.text).toBe(`\ufeff${plain?.added.text}`);
  expect(marked?.removed.text).toBe(`\ufeff${plain?.removed.text}`);
  expect(marked?.removed.shown).toBe(plain?.removed.shown);
  expect(marked?.added.shown).not.toMatch(/feff/i);
});
