import { expect, test } from "vitest";
import { type HostName, hostNames, hosts } from "../../../src/cli/install/hosts.ts";
import { linux, mac, windows } from "./machine.ts";

test.each<[HostName, string, string, string]>([
  [
    "claude-desktop",
    "/home/ada/.config/Claude/claude_desktop_config.json",
    "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
    "C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
  ],
  ["claude-code", "/home/ada/.claude.json", "/Users/ada/.claude.json", "C:\\Users\\ada\\.claude.json"],
  ["cursor", "/home/ada/.cursor/mcp.json", "/Users/ada/.cursor/mcp.json", "C:\\Users\\ada\\.cursor\\mcp.json"],
  [
    "vscode",
    "/home/ada/.config/Code/User/mcp.json",
    "/Users/ada/Library/Application Support/Code/User/mcp.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
  ],
  ["codex", "/home/ada/.codex/config.toml", "/Users/ada/.codex/config.toml", "C:\\Users\\ada\\.codex\\config.toml"],
  [
    "gemini-cli",
    "/home/ada/.gemini/settings.json",
    "/Users/ada/.gemini/settings.json",
    "C:\\Users\\ada\\.gemini\\settings.json",
  ],
  [
    "qwen-code",
    "/home/ada/.qwen/settings.json",
    "/Users/ada/.qwen/settings.json",
    "C:\\Users\\ada\\.qwen\\settings.json",
  ],
  [
    "copilot-cli",
    "/home/ada/.copilot/mcp-config.json",
    "/Users/ada/.copilot/mcp-config.json",
    "C:\\Users\\ada\\.copilot\\mcp-config.json",
  ],
  [
    "opencode",
    "/home/ada/.config/opencode/opencode.jsonc",
    "/Users/ada/.config/opencode/opencode.jsonc",
    "C:\\Users\\ada\\.config\\opencode\\opencode.jsonc",
  ],
  [
    "windsurf",
    "/home/ada/.codeium/windsurf/mcp_config.json",
    "/Users/ada/.codeium/windsurf/mcp_config.json",
    "C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json",
  ],
  [
    "zed",
    "/home/ada/.config/zed/settings.json",
    "/Users/ada/.config/zed/settings.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
  ],
  [
    "kiro",
    "/home/ada/.kiro/settings/mcp.json",
    "/Users/ada/.kiro/settings/mcp.json",
    "C:\\Users\\ada\\.kiro\\settings\\mcp.json",
  ],
  [
    "cline",
    "/home/ada/.cline/data/settings/cline_mcp_settings.json",
    "/Users/ada/.cline/data/settings/cline_mcp_settings.json",
    "C:\\Users\\ada\\.cline\\data\\settings\\cline_mcp_settings.json",
  ],
  ["lm-studio", "/home/ada/.lmstudio/mcp.json", "/Users/ada/.lmstudio/mcp.json", "C:\\Users\\ada\\.lmstudio\\mcp.json"],
  [
    "goose",
    "/home/ada/.config/goose/config.yaml",
    "/Users/ada/.config/goose/config.yaml",
    "C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
  ],
])("%s has its file where each system keeps it", (host, onLinux, onMac, onWindows) => {
  expect([linux, mac, windows].map((machine) => hosts[host].files(machine)[0])).toEqual([onLinux, onMac, onWindows]);
});

test("a Claude Desktop of the older installer on Windows is looked for after the packaged one", () => {
  const classic = "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json";
  expect(hosts["claude-desktop"].files(windows)[1]).toBe(classic);
  expect(hosts["claude-desktop"].files({ ...windows, packages: [] })).toEqual([classic]);
});

test("folders that the user has moved are found by their variables", () => {
  const environment = {
    ...{ XDG_CONFIG_HOME: "/etc/ada", CODEX_HOME: "/srv/codex", CLAUDE_CONFIG_DIR: "/srv/claude" },
    ...{ GEMINI_CLI_HOME: "/srv/gemini", QWEN_HOME: "/srv/qwen", COPILOT_HOME: "/srv/copilot" },
  };
  const files = hostNames.map((host) => hosts[host].files({ ...linux, environment })[0]);
  expect(files).toEqual([
    "/etc/ada/Claude/claude_desktop_config.json",
    "/srv/claude/.claude.json",
    "/home/ada/.cursor/mcp.json",
    "/etc/ada/Code/User/mcp.json",
    "/srv/codex/config.toml",
    "/srv/gemini/.gemini/settings.json",
    "/srv/qwen/settings.json",
    "/srv/copilot/mcp-config.json",
    "/etc/ada/opencode/opencode.jsonc",
    "/home/ada/.codeium/windsurf/mcp_config.json",
    "/etc/ada/zed/settings.json",
    "/home/ada/.kiro/settings/mcp.json",
    "/home/ada/.cline/data/settings/cline_mcp_settings.json",
    "/home/ada/.lmstudio/mcp.json",
    "/etc/ada/goose/config.yaml",
  ]);
});
