import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import type { Duet } from "../../../app/duet.ts";
import type { ServerStatus } from "../../../client/server-connection.ts";
import { getFailure } from "../../../client/unusable-server.ts";
import type { Caller } from "../../../core/caller.ts";
import type { Tool, ToolAnnotations } from "../../../core/tools/tool.ts";
import { findFittingCalls, parsePermitPatterns, parseToolPatterns } from "../../../core/tools/tool-pattern.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";

export interface AgentDescription {
  description: string;
  annotations: Hints;
}

export interface DescribeOptions {
  /** Holds the rules of `tools.ask`, which say which calls need approval. */
  ask: readonly string[];
  locale: Locale;
}

/** Limits the whole description, in bytes, because it is part of each request of the host's model. */
const longest = 850;

/**
 * Describes to a host's model what `agent_ask` can do with its current tools. The text is the same for the same tools in any
 * order, and its length is bounded. It contains only the tools' names, because servers' descriptions are untrusted.
 */
export function describeAgent(
  tools: readonly Tool[],
  servers: readonly KnownServer[],
  { ask, locale }: DescribeOptions,
): AgentDescription {
  const rules = parseToolPatterns(ask);
  const asking = tools.filter((tool) => rules.some((rule) => findFittingCalls(rule, tool) !== "none"));
  const [does, gives] = [say(locale, whatItDoes), say(locale, whatItGives)];
  const available = longest - Buffer.byteLength(does) - Buffer.byteLength(gives) - 2;
  const words = describeTools({ tools, asking, servers, locale }, available);
  return { description: [does, words, gives].join("\n"), annotations: toAgentHints(tools, servers) };
}

const whatItDoes: Text = {
  zh: "向智能体提问：它自己选择并调用工具，可分多步查找、核实和计算，给出带编号来源的回答；请交给它一个完整的问题，包含理解它所需的一切。",
  en: "Asks an agent that chooses and calls tools by itself, over several steps, and answers with numbered sources; give it one complete question with everything needed to understand it.",
};

const whatItGives: Text = {
  zh: "status 为 running 表示还没有完成：用结果中的 run_id 调用 agent_result。为 needs_confirmation 时，先给用户看要确认的内容，再以用户的答复为 question、连同 confirmation 再次调用。",
  en: "Status running means that it is not done yet: call agent_result with the run_id of the result. Status needs_confirmation means: show the user what is to be confirmed, then call again with the user's reply as question and with confirmation.",
};

/**
 * Describes `agent_ask` for an upstream Duet, which may be this one. A Duet blocks a tool whose description changes until a
 * person has approved it, so this text waits for no server. It does not mention destructive actions: each dangerous call asks
 * for its own approval, through the upstream Duet.
 */
export function describeForAgents(locale: Locale): AgentDescription {
  return {
    description: [say(locale, whatItDoes), say(locale, whatItGives)].join("\n"),
    annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
  };
}

type Hints = NonNullable<ListedTool["annotations"]>;

/** Holds what matters about a server for judging what its tools could do. Its state is `ready` once its list has arrived. */
type KnownServer = Pick<ServerStatus, "name" | "state" | "toolCount" | "error" | "lastError">;

/**
 * Returns the annotations of `agent_ask` with these tools. A server's claims about its own tools are ignored, and so is what
 * they leave unsaid: a host may let a harmless tool run without asking. It makes no difference that calls may need approval:
 * where nobody can be asked, it is the host's model that passes the approval on.
 */
export function toAgentHints(tools: readonly Tool[], servers: readonly KnownServer[]): Hints {
  const downstream = new Set(servers.map(({ name }) => name));
  const said = tools.map((tool) => keepTrustedAnnotations(tool, downstream));
  // What a server that has not been there yet will bring is not known.
  if (servers.some(({ state, toolCount }) => state !== "ready" && toolCount === 0)) said.push({});
  return {
    readOnlyHint: said.every(isReadOnly),
    destructiveHint: !said.every((each) => isReadOnly(each) || each.destructive === false),
    idempotentHint: false,
    openWorldHint: said.some(({ openWorld }) => openWorld !== false),
  };
}

/** Returns the annotations of a built-in tool or one of the user's own. Returns none for a server's tool. */
function keepTrustedAnnotations({ source, annotations }: Tool, downstream: ReadonlySet<string>): ToolAnnotations {
  // A server may have been given one of these names.
  if (downstream.has(source)) return {};
  // The built-in ones say where they reach out.
  if (source === "builtin") return { openWorld: false, ...annotations };
  return source === "user" || source === "skills" ? annotations : {};
}

function isReadOnly({ readOnly, destructive }: ToolAnnotations): boolean {
  return readOnly === true && destructive !== true;
}

export interface DescribeToolsOptions {
  tools: readonly Tool[];
  /** Lists the tools whose calls may need approval. */
  asking: readonly Tool[];
  servers: readonly KnownServer[];
  locale: Locale;
}

/** Groups the tools of one origin, by their names there. */
interface Group {
  title: Text;
  names: readonly string[];
}

/** Lists how many names of a group to show. The numbers are tried in order until the text fits. */
const nameCounts = [10, 6, 4, 2, 1, 0];

/**
 * Lists the tools by origin, one line each, in at most `available` bytes. When there are many tools, names are left out first,
 * then lines.
 */
export function describeTools({ tools, asking, servers, locale }: DescribeToolsOptions, available: number): string {
  if (tools.length === 0) return say(locale, noTools);
  const count = say(locale, { zh: `现有工具 ${tools.length} 个：`, en: `Tools now: ${tools.length}.` });
  const ofServers = new Set(servers.map(({ name }) => name));
  const consent = asking.length > 0 ? [{ title: needConsent, names: sortNames(asking.map(({ name }) => name)) }] : [];
  const groups = [...consent, ...groupTools(tools, ofServers), ...groupMissing(servers)];
  for (const names of nameCounts) {
    const text = [count, ...groups.map((group) => renderGroup(group, names, locale))].join("\n");
    if (Buffer.byteLength(text) <= available) return text;
  }
  const lines = groups.map((group) => renderGroup(group, 0, locale));
  for (let kept = lines.length - 1; kept > 0; kept--) {
    const text = [count, ...lines.slice(0, kept), say(locale, describeMore(lines.length - kept))].join("\n");
    if (Buffer.byteLength(text) <= available) return text;
  }
  return count;
}

/** Orders the groups: built-in tools, the user's own, then servers by name. */
function groupTools(tools: readonly Tool[], ofServers: ReadonlySet<string>): Group[] {
  const builtin: string[] = [];
  const own: string[] = [];
  const byServer = new Map<string, string[]>();
  for (const { name, source } of tools) {
    const isOfServer = ofServers.has(source);
    if (!isOfServer && source === "builtin") builtin.push(name);
    else if (!isOfServer && (source === "user" || source === "skills")) own.push(name);
    else byServer.set(source, [...(byServer.get(source) ?? []), removeServerPrefix(name, source)]);
  }
  const remote = sortNames([...byServer.keys()]).map((server) => ({
    title: toText(toShortLine(server, 40)),
    names: sortNames(byServer.get(server) ?? []),
  }));
  return [
    { title: { zh: "内置", en: "built in" }, names: sortNames(builtin) },
    { title: { zh: "用户自己的", en: "the user's own" }, names: sortNames(own) },
    ...remote,
  ].filter(({ names }) => names.length > 0);
}

/** Names the servers that could not be started, also while they are tried once more, so that a host does not take their tools for unknown. */
function groupMissing(servers: readonly KnownServer[]): Group[] {
  const names = servers.filter((server) => getFailure(server) && server.toolCount === 0).map(({ name }) => name);
  return names.length === 0
    ? []
    : [{ title: unavailable, names: sortNames(names.map((name) => toShortLine(name, 40))) }];
}

function renderGroup({ title, names }: Group, most: number, locale: Locale): string {
  const shown = names.slice(0, most);
  const rest = names.length > shown.length && most > 0 ? [...shown, "…"] : shown;
  const head = `- ${say(locale, title)} (${names.length})`;
  return rest.length === 0 ? head : `${head}: ${rest.join(", ")}`;
}

function removeServerPrefix(name: string, server: string): string {
  return name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
}

/** Sorts by code units, which gives the same order everywhere. */
function sortNames(names: readonly string[]): string[] {
  return [...names].sort();
}

function toText(text: string): Text {
  return { zh: text, en: text };
}

function describeMore(count: number): Text {
  return { zh: `- 以及另外 ${count} 组`, en: `- and ${count} more` };
}

const needConsent: Text = { zh: "调用时可能需要用户同意", en: "calls that may need the user's consent" };

const unavailable: Text = { zh: "暂时不可用的服务器", en: "servers that are unavailable now" };

const noTools: Text = {
  zh: "现在没有工具：只凭模型所知回答。",
  en: "It has no tools now: it answers from what the models know.",
};

/** Limits how long servers that are starting are waited for, in milliseconds. A user who is typing does not wait longer. */
const inventoryTimeoutMs = 1000;

export interface UsableServersOptions {
  duet: Pick<Duet, "inventory">;
  caller: Caller;
}

/**
 * Lists the names of the servers of which the caller can use a tool now, sorted. Rejects as `inventory` does, and with the
 * signal's reason.
 */
export async function listUsableServers(
  { duet, caller }: UsableServersOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const { tools, servers } = await duet.inventory(signal, inventoryTimeoutMs);
  const sources = new Set(filterUsableTools(tools, caller).map(({ source }) => source));
  return servers
    .map(({ name }) => name)
    .filter((name) => sources.has(name))
    .sort();
}

export function filterUsableTools(tools: readonly Tool[], caller: Caller): Tool[] {
  const allowed = caller.tools && parsePermitPatterns(caller.tools);
  return tools.filter((tool) => allowed?.some((each) => findFittingCalls(each, tool) !== "none") ?? true);
}
