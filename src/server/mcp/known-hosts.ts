import type { Host } from "../../runs/input/host.ts";

/** Describes what is known of a host: how long it waits for a call, and what it gives its model. */
export interface KnownHost {
  /** Is the name that the host reports, exactly. */
  name: string;
  /** Is the version that it reports, where the name alone may be anybody's. */
  version?: string;
  /** Says whether this one asks for progress, where hosts of one name differ in it. */
  asksProgress?: boolean;
  /** Lists the products behind the name, for people. */
  title: string;
  /** Is how long the host waits for a tool call by default, in seconds; `none` where it waits without a limit. */
  timeout: number | "none";
  /** Is `kept` where each notification starts the host's clock anew, `shown` where it only shows them. */
  progress: "no" | "shown" | "kept";
  elicitation: boolean;
  /** Is which part of a result the host gives its model; absent for libraries, which have none. */
  modelReads?: "text" | "object" | "both";
  evidence: Evidence;
}

/** Says how it is known: somebody ran the host, or its makers document it. */
export type Evidence =
  | { seen: string; version: string; date: string }
  /** `documented` is an address. */
  | { documented: string; date: string };

/**
 * Lists the hosts that are known. A row needs its evidence: `scripts/interop` drives most of these clients, and prints what they
 * sent and how long they waited.
 */
export const knownHosts: readonly KnownHost[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    // MCP_TOOL_TIMEOUT is about 28 hours, and each progress notification starts its idle clock anew.
    timeout: 100_800,
    progress: "kept",
    elicitation: true,
    modelReads: "object",
    evidence: { documented: "https://code.claude.com/docs/en/mcp", date: "2026-11-23" },
  },
  {
    name: "codex-mcp-client",
    title: "Codex",
    timeout: 60,
    progress: "shown",
    elicitation: true,
    modelReads: "object",
    evidence: { documented: "https://developers.openai.com/codex/config-reference", date: "2026-11-24" },
  },
  {
    name: "google-adk",
    title: "Google ADK",
    timeout: 5,
    progress: "no",
    elicitation: false,
    modelReads: "both",
    evidence: {
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
      documented:
        "https://github.com/modelcontextprotocol/java-sdk/blob/main/mcp-core/src/main/java/io/modelcontextprotocol/client/McpClient.java",
      date: "2026-11-24",
    },
  },
  {
    name: "mcp",
    version: "0.1.0",
    asksProgress: false,
    // Whoever uses the Python SDK and gives no name. OpenAI Agents and AutoGen wait for 5 seconds by default, others longer.
    title: "OpenAI Agents, AutoGen, LangChain, LlamaIndex, CrewAI, Strands",
    timeout: 5,
    progress: "no",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: "scripts/interop/clients/python-openai-agents-5s", version: "0.24.0", date: "2026-11-24" },
  },
  {
    name: "mcp",
    version: "0.1.0",
    asksProgress: true,
    title: "agno",
    timeout: 10,
    progress: "shown",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: "scripts/interop/clients/python-agno-10s", version: "3.1.10", date: "2026-11-24" },
  },
  {
    name: "fastmcp",
    // Its own client waits without limit.
    title: "Pydantic AI",
    timeout: 300,
    progress: "shown",
    elicitation: false,
    modelReads: "object",
    evidence: { seen: "scripts/interop/clients/python-pydantic-ai", version: "2.68.0", date: "2026-11-24" },
  },
  {
    name: "@langchain/mcp-adapters",
    title: "LangChain.js",
    timeout: 60,
    progress: "no",
    elicitation: false,
    modelReads: "both",
    evidence: { seen: "scripts/interop/clients/langchain-js", version: "1.1.4", date: "2026-11-24" },
  },
  {
    name: "ai-sdk-mcp-client",
    title: "AI SDK",
    timeout: "none",
    progress: "no",
    elicitation: false,
    modelReads: "text",
    evidence: { seen: "scripts/interop/clients/ai-sdk", version: "2.0.99", date: "2026-11-24" },
  },
];

/** Returns what is known of the host behind a request. */
export function findKnownHost({
  name,
  version,
  asksProgress,
}: Pick<Host, "name" | "version" | "asksProgress">): KnownHost | undefined {
  return knownHosts.find(
    (known) =>
      known.name === name &&
      (known.version ?? version) === version &&
      (known.asksProgress ?? asksProgress) === asksProgress,
  );
}

/** The official SDKs and most hosts give up a call after 60 seconds, so this stays below that. */
const usualWindow = 50;

/** Nobody is left without a word for longer than this, in seconds. */
const longestWindow = 3600;

export interface WindowSettings {
  window?: number | undefined;
  windows: Readonly<Record<string, number>>;
}

/**
 * Returns how long a call from this host may last before it returns `running`, in milliseconds: what is configured for it, else
 * the shorter of what is configured for all hosts, or known of this one, and what its own time-outs have taught. `learnt` is
 * after how many seconds it has given up a call before.
 */
export function getWindowMs(
  host: Pick<Host, "name" | "version" | "asksProgress">,
  { window, windows }: WindowSettings,
  learnt?: number,
): number {
  const own = Object.hasOwn(windows, host.name) ? windows[host.name] : undefined;
  if (own !== undefined) return own * 1000;
  const usual = window ?? toWindow(findKnownHost(host)?.timeout ?? "none");
  return Math.min(usual, learnt === undefined ? usual : toWindow(learnt)) * 1000;
}

/** Returns the window for a host that waits for `timeout` seconds. A tenth of it, at least a second, is left for the way back. */
function toWindow(timeout: number | "none"): number {
  if (timeout === "none") return usualWindow;
  const window = timeout === 60 ? usualWindow : Math.floor(timeout - Math.max(1, timeout / 10));
  return Math.min(longestWindow, Math.max(0.5, window));
}
