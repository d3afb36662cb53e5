import type { Text } from "../../kit/locale.ts";
import { findPackagedFolders, getSettingsFolder, joinPath, type Machine } from "./machine.ts";

/** Describes a program that starts MCP servers, and how to register one with it. */
export interface Host {
  title: string;
  /** Lists the possible files for the user's servers; the first one whose folder exists is used. */
  files(machine: Machine): string[];
  /** Holds the path segments of a project's file below the project folder; absent for hosts without project files. */
  projectFile?: readonly string[];
  form: "json" | "toml";
  /** Names the key that holds the servers. */
  key: "mcpServers" | "servers" | "mcp_servers";
  /** Holds the fields of an entry besides the command; values that the user has set are kept. */
  defaults: Readonly<Record<string, string | number>>;
  /** Describes which shell variables a server inherits: a small set, all, or only those that its entry names. */
  variables: "few" | "all" | "named";
  next: Text;
}

export const hostNames = ["claude-desktop", "claude-code", "cursor", "vscode", "codex"] as const;
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
    variables: "all",
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
    // In seconds. Its own are 10, and between 60 and 300 by its version.
    defaults: { startup_timeout_sec: 30, tool_timeout_sec: 600 },
    variables: "named",
    next: { zh: "请重新启动 Codex；/mcp 显示状态。", en: "Start Codex again; /mcp shows its state." },
  },
};
