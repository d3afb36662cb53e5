import { isAbsolute, relative, sep } from "node:path";
import { say, type Text } from "../../kit/locale.ts";
import type { AcpSettings } from "../config.ts";
import { configError, missingError, notAllowedError } from "../config-errors.ts";
import type { Settings } from "../schema/file-schema.ts";
import { findKnownAgent } from "./known-agents.ts";

type AgentEntry = Settings["agents"][string];
type AcpEntry = NonNullable<AgentEntry["acp"]>;

interface AcpPlace {
  /** Is the working folder of the program. */
  directory: string;
  /** Lists the names of the MCP servers. */
  servers: readonly string[];
  /** Is the home directory of the user. */
  home: string;
  describePlace(...keys: string[]): string;
  resolvePath(path: string): string;
}

/** Lists what belongs to agents of our own alone: another program decides about these itself. */
const ownKeys = ["models", "tools", "prompts"] as const;

/** Reads how another agent is started. Throws a `config` error that names the key. */
export function readAcp(
  name: string,
  entry: AgentEntry,
  acp: AcpEntry,
  { directory, home, servers, describePlace, resolvePath }: AcpPlace,
): AcpSettings {
  const own = ownKeys.find((key) => entry[key] !== undefined);
  if (own !== undefined) throw configError(describePlace(own), besideAcp);
  if (entry.mode !== "agent") throw configError(describePlace("mode"), modeBesideAcp);
  const known = findKnownAgent(name);
  const command = acp.command ?? known?.command;
  if (command === undefined) throw missingError(describePlace("acp", "command"), programName);
  const named = Array.isArray(acp.mcpServers) ? acp.mcpServers : [];
  const unknown = named.find((each) => !servers.includes(each));
  if (unknown !== undefined)
    throw notAllowedError(describePlace("acp", "mcpServers"), JSON.stringify(unknown), toServerNames(servers));
  // What is given to another program is not meant for the one of the table.
  const args = acp.args ?? (acp.command === undefined ? [...(known?.args ?? [])] : []);
  const cwd = acp.cwd === undefined ? directory : resolvePath(acp.cwd);
  return {
    transport: { type: "stdio", command, args, env: acp.env ?? {}, inheritEnv: acp.inheritEnv ?? [], cwd },
    cwd,
    lacksFolder: acp.cwd === undefined && acp.roots === undefined && isTooWide(directory, home),
    roots: acp.roots?.map(resolvePath) ?? [cwd],
    mode: acp.mode,
    model: acp.model,
    mcpServers: acp.mcpServers,
    // Another program under a known name need not have its modes.
    asking: known?.asking && { ...known.asking, isRequired: acp.command === undefined },
    permissions: acp.permissions,
    terminal: acp.terminal,
    startTimeoutMs: Math.round(acp.startTimeout * 1000),
    maxConcurrent: acp.maxConcurrent,
  };
}

function toServerNames(servers: readonly string[]): Text {
  if (servers.length === 0) return { zh: "没有配置 mcpServers", en: "none, there are no mcpServers" };
  return { zh: servers.join("、"), en: servers.join(", ") };
}

/** Returns true for the home directory and what it lies in. Hosts on a desktop start programs there. */
function isTooWide(directory: string, home: string): boolean {
  const below = relative(directory, home);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/** Returns what the main agent reads of an agent, where the configuration does not say it. */
export function describeKnownAgent(name: string, locale: "zh" | "en"): string | undefined {
  const known = findKnownAgent(name);
  return known && say(locale, known.description);
}

const besideAcp: Text = { zh: "不能与 acp 同时使用", en: "is not allowed beside acp" };
const modeBesideAcp: Text = {
  zh: "不能与 acp 同时使用（该智能体自己的模式写在 acp.mode）",
  en: "is not allowed beside acp (the agent's own mode belongs into acp.mode)",
};
const programName: Text = { zh: "要启动的程序", en: "the program to start" };
