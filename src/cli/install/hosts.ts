import type { Text } from "../../kit/locale.ts";
import { findPackagedFolders, getDotConfigFolder, getSettingsFolder, joinPath, type Machine } from "./machine.ts";

/** Names the fields of an entry. Without `args`, the command is one list with its arguments. */
export interface EntryFields {
  command: string;
  args?: string;
  env: string;
  /** Names the field that repeats the server's name, where there is one. */
  name?: string;
}

/** Describes a program that starts MCP servers, and how to register one with it. */
export interface Host {
  title: string;
  /**
   * Lists the possible files for the user's servers. The first folder that exists is used, and in it the first file that exists,
   * or else the first one.
   */
  files(machine: Machine): string[];
  /** Holds the path segments of a project's file below the project folder; absent for hosts without project files. */
  projectFile?: readonly string[];
  form: "json" | "toml" | "yaml";
  /** Names the key that holds the servers. */
  key: "mcpServers" | "servers" | "mcp_servers" | "mcp" | "context_servers" | "extensions" | "agent_servers";
  /** Names the fields of an entry where they are not `command`, `args` and `env`. */
  fields?: EntryFields;
  /** Holds the fields of an entry besides the command; values that the user has set are kept. */
  defaults: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Names the field of an entry that limits a call of a tool, and its unit; absent where there is none. */
  timeout?: { field: string; unit: "s" | "ms" };
  /** Describes which shell variables a server inherits: a small set, all, or only those that its entry names. */
  variables: "few" | "all" | "named";
  next: Text;
  /** Says where the host's makers describe its servers, and when that was read. */
  documented: { url: string; date: string };
  /** Describes the entry of an agent, in the same file; absent for hosts that start no agents. */
  agent?: Pick<Host, "key" | "defaults" | "next">;
}

export const hostNames = [
  ...["claude-desktop", "claude-code", "cursor", "vscode", "codex"],
  ...["gemini-cli", "qwen-code", "copilot-cli", "opencode", "windsurf"],
  ...["zed", "kiro", "cline", "lm-studio", "goose"],
] as const;
export type HostName = (typeof hostNames)[number];

/** The values come from the vendors' documentation and issues, as of November 2026. */
export const hosts: Readonly<Record<HostName, Host>> = {
  "claude-desktop": {
    title: "Claude Desktop",
    // https://github.com/anthropics/claude-code/issues/26073: since 2026 the Windows installer makes a package.
    files: (machine) =>
      [...findPackagedFolders(machine, /^Claude_/), getSettingsFolder(machine)].map((folder) =>
        joinPath(machine, folder, "Claude", "claude_desktop_config.json"),
      ),
    form: "json",
    key: "mcpServers",
    defaults: {},
    variables: "few",
    documented: { url: "https://modelcontextprotocol.io/quickstart/user", date: "2026-11-26" },
    next: {
      zh: "请完全退出 Claude Desktop（不只是关闭窗口）再启动。",
      en: "Quit Claude Desktop, not only its window, and start it again.",
    },
  },
  "claude-code": {
    title: "Claude Code",
    files: (machine) => [joinPath(machine, machine.environment.CLAUDE_CONFIG_DIR || machine.home, ".claude.json")],
    projectFile: [".mcp.json"],
    form: "json",
    key: "mcpServers",
    // No `timeout`: it is a hard limit that progress does not extend, and without it a call may take 28 hours.
    defaults: { type: "stdio" },
    timeout: { field: "timeout", unit: "ms" },
    variables: "all",
    documented: { url: "https://code.claude.com/docs/en/mcp", date: "2026-11-24" },
    next: { zh: "请开始新的会话；/mcp 显示状态。", en: "Start a new session; /mcp shows its state." },
  },
  cursor: {
    title: "Cursor",
    files: (machine) => [joinPath(machine, machine.home, ".cursor", "mcp.json")],
    projectFile: [".cursor", "mcp.json"],
    form: "json",
    key: "mcpServers",
    defaults: { type: "stdio" },
    variables: "few",
    documented: { url: "https://cursor.com/docs/mcp", date: "2026-11-26" },
    next: {
      zh: "请重启 Cursor，并在设置的 MCP 列表中确认它已打开。",
      en: "Restart Cursor, and check in its settings, under MCP, that it is switched on.",
    },
  },
  vscode: {
    title: "VS Code",
    files: (machine) =>
      ["Code", "Code - Insiders"].map((edition) =>
        joinPath(machine, getSettingsFolder(machine), edition, "User", "mcp.json"),
      ),
    projectFile: [".vscode", "mcp.json"],
    form: "json",
    key: "servers",
    defaults: { type: "stdio" },
    variables: "few",
    documented: { url: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration", date: "2026-11-26" },
    next: {
      zh: "请在命令面板运行“MCP: List Servers”，启动并信任它。",
      en: "Run “MCP: List Servers” in the Command Palette, start it and trust it.",
    },
  },
  codex: {
    title: "Codex",
    files: (machine) => [
      joinPath(machine, machine.environment.CODEX_HOME || joinPath(machine, machine.home, ".codex"), "config.toml"),
    ],
    projectFile: [".codex", "config.toml"],
    form: "toml",
    key: "mcp_servers",
    // In seconds. Its own are 10, and between 60 and 300 by its version. Without the last one it makes its calls one by one:
    // https://developers.openai.com/codex/config-reference, 2026-11-24.
    defaults: { startup_timeout_sec: 30, tool_timeout_sec: 600, supports_parallel_tool_calls: true },
    timeout: { field: "tool_timeout_sec", unit: "s" },
    variables: "named",
    documented: { url: "https://developers.openai.com/codex/config-reference", date: "2026-11-24" },
    next: { zh: "请重新启动 Codex；/mcp 显示状态。", en: "Start Codex again; /mcp shows its state." },
  },
  "gemini-cli": {
    title: "Gemini CLI",
    // https://geminicli.com/docs/tools/mcp-server, 2026-11-24: 10 minutes by default.
    files: (machine) => [
      joinPath(machine, machine.environment.GEMINI_CLI_HOME || machine.home, ".gemini", "settings.json"),
    ],
    projectFile: [".gemini", "settings.json"],
    form: "json",
    key: "mcpServers",
    defaults: { timeout: 600_000 },
    timeout: { field: "timeout", unit: "ms" },
    // The same page: variables whose names look like those of keys are not handed on unless the entry holds them.
    variables: "few",
    documented: { url: "https://geminicli.com/docs/tools/mcp-server", date: "2026-11-24" },
    next: { zh: "请重新启动 Gemini CLI；/mcp 显示状态。", en: "Start Gemini CLI again; /mcp shows its state." },
  },
  "qwen-code": {
    title: "Qwen Code",
    // mcp-server.md in the documentation of https://github.com/QwenLM/qwen-code, 2026-11-24: 10 minutes by default.
    files: (machine) => [
      joinPath(machine, machine.environment.QWEN_HOME || joinPath(machine, machine.home, ".qwen"), "settings.json"),
    ],
    projectFile: [".qwen", "settings.json"],
    form: "json",
    key: "mcpServers",
    defaults: { timeout: 600_000 },
    timeout: { field: "timeout", unit: "ms" },
    variables: "all",
    documented: {
      url: "https://github.com/QwenLM/qwen-code/blob/main/docs/developers/tools/mcp-server.md",
      date: "2026-11-24",
    },
    next: { zh: "请重新启动 Qwen Code；/mcp 显示状态。", en: "Start Qwen Code again; /mcp shows its state." },
  },
  "copilot-cli": {
    title: "Copilot CLI",
    // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers and `copilot mcp add --help`,
    // 2026-11-24: without `tools` no tool is offered.
    files: (machine) => [
      joinPath(
        machine,
        machine.environment.COPILOT_HOME || joinPath(machine, machine.home, ".copilot"),
        "mcp-config.json",
      ),
    ],
    projectFile: [".github", "mcp.json"],
    form: "json",
    key: "mcpServers",
    defaults: { type: "local", tools: ["*"], timeout: 600_000 },
    timeout: { field: "timeout", unit: "ms" },
    variables: "few",
    documented: {
      url: "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
      date: "2026-11-24",
    },
    next: { zh: "请重新启动 Copilot CLI；/mcp 显示状态。", en: "Start Copilot CLI again; /mcp shows its state." },
  },
  opencode: {
    title: "opencode",
    // https://opencode.ai/docs/mcp-servers and https://opencode.ai/config.json, 2026-11-24: requests may take 5 seconds by default.
    files: (machine) =>
      ["opencode.jsonc", "opencode.json"].map((name) =>
        joinPath(machine, getDotConfigFolder(machine), "opencode", name),
      ),
    projectFile: ["opencode.json"],
    form: "json",
    key: "mcp",
    fields: { command: "command", env: "environment" },
    defaults: { type: "local", enabled: true, timeout: 600_000 },
    timeout: { field: "timeout", unit: "ms" },
    variables: "all",
    documented: { url: "https://opencode.ai/docs/mcp-servers", date: "2026-11-24" },
    next: {
      zh: "请重新启动 opencode；opencode mcp list 显示状态。",
      en: "Start opencode again; opencode mcp list shows its state.",
    },
  },
  windsurf: {
    title: "Windsurf",
    // https://docs.windsurf.com/windsurf/cascade/mcp, 2026-11-24: no field for a time limit.
    files: (machine) => [joinPath(machine, machine.home, ".codeium", "windsurf", "mcp_config.json")],
    form: "json",
    key: "mcpServers",
    defaults: {},
    variables: "few",
    documented: { url: "https://docs.windsurf.com/windsurf/cascade/mcp", date: "2026-11-24" },
    next: {
      zh: "请在 Cascade 面板的 MCP 列表中刷新。",
      en: "Refresh the list of MCP servers in the Cascade panel.",
    },
  },
  zed: {
    title: "Zed",
    // https://zed.dev/docs/ai/mcp, and crates/settings_content/src/project.rs in https://github.com/zed-industries/zed, 2026-11-24:
    // in seconds, 60 by default.
    files: (machine) => [
      machine.platform === "win32"
        ? joinPath(machine, getSettingsFolder(machine), "Zed", "settings.json")
        : joinPath(machine, getDotConfigFolder(machine), "zed", "settings.json"),
    ],
    projectFile: [".zed", "settings.json"],
    form: "json",
    key: "context_servers",
    defaults: { timeout: 600 },
    timeout: { field: "timeout", unit: "s" },
    variables: "few",
    documented: { url: "https://zed.dev/docs/ai/mcp", date: "2026-11-24" },
    next: {
      zh: "Zed 会立即启动它；代理面板的设置里显示状态。",
      en: "Zed starts it at once; the settings of the Agent Panel show its state.",
    },
    // https://zed.dev/docs/ai/external-agents, 2026-11-26: in the user's settings only.
    agent: {
      key: "agent_servers",
      defaults: { type: "custom" },
      next: {
        zh: "请在 Zed 的代理面板中用“+”新建会话并选择它。",
        en: "Choose it in Zed's Agent Panel, under “+”, for a new thread.",
      },
    },
  },
  kiro: {
    title: "Kiro",
    // https://kiro.dev/docs/mcp/configuration, 2026-11-24: no time limit there. The CLI's own page has `timeout` in milliseconds,
    // 120,000 by default: https://kiro.dev/docs/cli/custom-agents/configuration-reference.
    files: (machine) => [joinPath(machine, machine.home, ".kiro", "settings", "mcp.json")],
    projectFile: [".kiro", "settings", "mcp.json"],
    form: "json",
    key: "mcpServers",
    defaults: {},
    timeout: { field: "timeout", unit: "ms" },
    variables: "few",
    documented: { url: "https://kiro.dev/docs/mcp/configuration", date: "2026-11-24" },
    next: {
      zh: "Kiro 会自动重新连接；MCP 面板显示状态。",
      en: "Kiro connects by itself; its MCP panel shows the state.",
    },
  },
  cline: {
    title: "Cline",
    // https://docs.cline.bot/getting-started/config, 2026-11-24: the extension and the CLI share this file since 4.0; older
    // extensions have theirs in the settings of VS Code. `timeout` is in seconds, 60 by default: @cline/shared 3.0.65, mcp.d.ts.
    files: (machine) => [
      joinPath(machine, machine.home, ".cline", "data", "settings", "cline_mcp_settings.json"),
      joinPath(
        machine,
        ...[getSettingsFolder(machine), "Code", "User", "globalStorage", "saoudrizwan.claude-dev"],
        ...["settings", "cline_mcp_settings.json"],
      ),
    ],
    form: "json",
    key: "mcpServers",
    defaults: { timeout: 600 },
    timeout: { field: "timeout", unit: "s" },
    variables: "few",
    documented: { url: "https://docs.cline.bot/getting-started/config", date: "2026-11-24" },
    next: {
      zh: "请在 Cline 的 MCP Servers 列表中确认它已打开。",
      en: "Check in Cline, under MCP Servers, that it is switched on.",
    },
  },
  "lm-studio": {
    title: "LM Studio",
    // https://lmstudio.ai/docs/app/mcp; `timeout` in milliseconds since 0.3.18:
    // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1651, 2026-11-24: 60 seconds by default.
    files: (machine) =>
      [[".lmstudio"], [".cache", "lm-studio"]].map((folder) => joinPath(machine, machine.home, ...folder, "mcp.json")),
    form: "json",
    key: "mcpServers",
    defaults: { timeout: 600_000 },
    timeout: { field: "timeout", unit: "ms" },
    variables: "few",
    documented: { url: "https://lmstudio.ai/docs/app/mcp", date: "2026-11-24" },
    next: {
      zh: "请在 LM Studio 聊天的 Integrations 中打开它。",
      en: "Switch it on in LM Studio, under Integrations of the chat.",
    },
  },
  goose: {
    title: "goose",
    // config-files.md in the documentation of https://github.com/block/goose, 2026-11-24: in seconds, 300 by default.
    files: (machine) => [
      machine.platform === "win32"
        ? joinPath(machine, getSettingsFolder(machine), "Block", "goose", "config", "config.yaml")
        : joinPath(machine, getDotConfigFolder(machine), "goose", "config.yaml"),
    ],
    form: "yaml",
    key: "extensions",
    fields: { command: "cmd", args: "args", env: "envs", name: "name" },
    defaults: { type: "stdio", enabled: true, timeout: 600 },
    timeout: { field: "timeout", unit: "s" },
    variables: "few",
    documented: {
      url: "https://github.com/block/goose/blob/main/documentation/docs/guides/config-files.md",
      date: "2026-11-24",
    },
    next: { zh: "请开始新的 goose 会话。", en: "Start a new session of goose." },
  },
};
