import { toWindowSeconds } from "../../core/limits/call-window.ts";
import type { Host } from "../../runs/input/host.ts";

/** Describes what is known of a host: how long it waits for a call, and what it gives its model. */
export interface KnownHost {
  /** Is the name that the host reports, exactly. */
  name: string;
  /** Is the version that it reports, where the name alone may be anybody's. */
  version?: string;
  /** Says whether this one asks for progress, where hosts of one name differ in it. */
  asksProgress?: boolean;
  /** Says whether this one speaks the 2026 era of MCP, where hosts of one name differ in it. */
  isModern?: boolean;
  /** Is true for one that is known by calling a tool before it has listed any in that connection, see `HostSigns`. */
  callsUnlisted?: boolean;
  /** Lists the products behind the name, for people. */
  title: string;
  /** Is how long the host waits for a tool call by default, in seconds; `none` where it waits without a limit. */
  timeout: number | "none";
  /** Is after how long a call returns `running`, in seconds, where that does not follow from `timeout`. */
  window?: number;
  /** Is `resets-timeout` where each notification starts the host's clock anew, and `shown` where it only shows them. */
  progress: "not-asked-for" | "shown" | "resets-timeout";
  elicitation: boolean;
  /** Is which part of a result the host gives its model; absent for libraries, which have none. */
  modelReads?: "text" | "object" | "both";
  evidence: Evidence;
}

/** Says how it is known: by a client of `scripts/interop`, by an address where its makers say it, or by both. */
export interface Evidence {
  seen?: { client: string; version: string };
  documented?: string;
  date: string;
}

/**
 * Lists the hosts that are known. A row needs its evidence: `scripts/interop` drives these clients and prints what they sent, and
 * the time-outs of those that wait for minutes are documented.
 */
export const knownHosts: readonly KnownHost[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    // MCP_TOOL_TIMEOUT is about 28 hours, and each progress notification starts its idle clock anew.
    timeout: 100_800,
    progress: "resets-timeout",
    elicitation: true,
    modelReads: "object",
    evidence: {
      seen: { client: "claude-code", version: "Claude Code 2.1.330" },
      documented: "https://code.claude.com/docs/en/mcp",
      date: "2026-11-24",
    },
  },
  {
    name: "codex-mcp-client",
    title: "Codex",
    timeout: 60,
    progress: "shown",
    elicitation: true,
    modelReads: "object",
    evidence: {
      seen: { client: "codex", version: "Codex 0.169.0" },
      documented: "https://developers.openai.com/codex/config-reference",
      date: "2026-11-24",
    },
  },
  {
    name: "gemini-cli-mcp-client",
    title: "Gemini CLI",
    timeout: 600,
    progress: "shown",
    elicitation: false,
    modelReads: "text",
    evidence: {
      seen: { client: "gemini-cli", version: "Gemini CLI 0.61.0" },
      documented: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
      date: "2026-11-24",
    },
  },
  {
    // The end is the name that `duet install` gives the server in its settings.
    name: "qwen-cli-mcp-client-duet",
    title: "Qwen Code",
    timeout: 600,
    progress: "shown",
    elicitation: false,
    modelReads: "both",
    evidence: {
      seen: { client: "qwen-code", version: "Qwen Code 0.24.4" },
      documented: "https://github.com/QwenLM/qwen-code/blob/main/docs/developers/tools/mcp-server.md",
      date: "2026-11-26",
    },
  },
  {
    name: "opencode",
    title: "opencode",
    timeout: 60,
    progress: "resets-timeout",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: { client: "opencode", version: "opencode 1.18.33" }, date: "2026-11-26" },
  },
  {
    name: "copilot-cli",
    title: "Copilot CLI",
    // Its makers name no default; the SDK's is 60 seconds.
    timeout: 60,
    progress: "shown",
    elicitation: true,
    modelReads: "both",
    evidence: { seen: { client: "copilot-cli", version: "Copilot CLI 1.0.102" }, date: "2026-11-26" },
  },
  {
    name: "goose-cli",
    title: "goose",
    timeout: 300,
    progress: "shown",
    elicitation: true,
    modelReads: "text",
    evidence: {
      seen: { client: "goose", version: "goose 1.52.0" },
      documented: "https://github.com/block/goose/blob/main/documentation/docs/guides/config-files.md",
      date: "2026-11-26",
    },
  },
  {
    name: "google-adk",
    title: "Google ADK",
    timeout: 5,
    progress: "not-asked-for",
    elicitation: false,
    modelReads: "both",
    evidence: {
      seen: { client: "python-google-adk", version: "google-adk 2.13.0" },
      documented: "https://github.com/google/adk-python/blob/main/src/google/adk/tools/mcp_tool/mcp_session_manager.py",
      date: "2026-11-24",
    },
  },
  {
    name: "Java SDK MCP Client",
    title: "Java SDK",
    timeout: 20,
    progress: "shown",
    elicitation: true,
    evidence: {
      seen: { client: "java-sdk", version: "SDK 2.1.0" },
      documented:
        "https://github.com/modelcontextprotocol/java-sdk/blob/main/mcp-core/src/main/java/io/modelcontextprotocol/client/McpClient.java",
      date: "2026-11-24",
    },
  },
  {
    name: "mcp",
    version: "0.1.0",
    callsUnlisted: true,
    title: "LangChain `get_tools()`",
    timeout: "none",
    // It starts a process for each call and ends it after the result, and the run with it: to hear that a run goes on is of no use.
    window: 3600,
    progress: "not-asked-for",
    elicitation: false,
    modelReads: "text",
    evidence: {
      seen: { client: "python-langchain-get-tools", version: "langchain-mcp-adapters 0.3.2" },
      date: "2026-11-26",
    },
  },
  {
    name: "mcp",
    version: "0.1.0",
    asksProgress: false,
    // Whoever uses the Python SDK and gives no name cannot be told from the others, so the shortest time-out counts.
    title: "OpenAI Agents, AutoGen (5 s); LangChain, CrewAI, Strands, LlamaIndex",
    timeout: 5,
    progress: "not-asked-for",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: { client: "python-openai-agents-5s", version: "openai-agents 0.24.0" }, date: "2026-11-24" },
  },
  {
    name: "mcp",
    version: "0.1.0",
    asksProgress: true,
    title: "agno (fastmcp ≤ 4.2.1)",
    timeout: 10,
    progress: "shown",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: { client: "python-agno-10s", version: "agno 3.1.10" }, date: "2026-11-24" },
  },
  {
    name: "fastmcp",
    isModern: false,
    title: "agno",
    timeout: 10,
    progress: "shown",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: { client: "python-agno-10s", version: "agno 3.1.10, fastmcp 4.2.3" }, date: "2026-11-26" },
  },
  {
    name: "fastmcp",
    isModern: true,
    // Its own client waits without limit.
    title: "Pydantic AI",
    timeout: 300,
    progress: "shown",
    elicitation: false,
    modelReads: "object",
    evidence: { seen: { client: "python-pydantic-ai", version: "pydantic-ai 2.68.0" }, date: "2026-11-24" },
  },
  {
    name: "@langchain/mcp-adapters",
    title: "LangChain.js",
    timeout: 60,
    progress: "not-asked-for",
    elicitation: false,
    modelReads: "both",
    evidence: { seen: { client: "langchain-js", version: "@langchain/mcp-adapters 1.1.4" }, date: "2026-11-24" },
  },
  {
    name: "ai-sdk-mcp-client",
    title: "AI SDK",
    timeout: "none",
    progress: "not-asked-for",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: { client: "ai-sdk", version: "@ai-sdk/mcp 2.0.99" }, date: "2026-11-24" },
  },
];

/** Holds what tells hosts apart. */
export interface HostSigns extends Pick<Host, "name" | "version" | "asksProgress" | "isModern"> {
  /**
   * Is true for a call over stdio from a host that has not listed the tools in this connection. It knows them from an earlier
   * process, so it is likely to start one for each call.
   */
  callsUnlisted?: boolean;
}

/** Returns what is known of the host behind a request. */
export function findKnownHost({
  name,
  version,
  asksProgress,
  isModern,
  callsUnlisted = false,
}: HostSigns): KnownHost | undefined {
  return knownHosts.find(
    (known) =>
      known.name === name &&
      (known.version ?? version) === version &&
      (known.asksProgress ?? asksProgress) === asksProgress &&
      (known.isModern ?? isModern) === isModern &&
      (known.callsUnlisted ?? callsUnlisted) === callsUnlisted,
  );
}

/** The official SDKs and most hosts give up a call after 60 seconds. */
const usualTimeout = 60;

export interface WindowSettings {
  window?: number | undefined;
  windows: Readonly<Record<string, number>>;
}

/**
 * Returns how long a call from this host may last before it returns `running`, in milliseconds: what is configured for it, else
 * the shorter of what is configured for all hosts, or known of this one, and what fits the time after which it has given up a call
 * before. `observed` is that time in seconds.
 */
export function getWindowMs(host: HostSigns, { window, windows }: WindowSettings, observed?: number): number {
  const own = Object.hasOwn(windows, host.name) ? windows[host.name] : undefined;
  if (own !== undefined) return own * 1000;
  const { timeout = usualTimeout, window: known } = findKnownHost(host) ?? {};
  const usual = window ?? known ?? toWindowSeconds(timeout === "none" ? usualTimeout : timeout);
  return Math.min(usual, observed === undefined ? usual : toWindowSeconds(observed)) * 1000;
}
