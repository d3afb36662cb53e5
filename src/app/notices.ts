import type { ServerStatus } from "../client/server-connection.ts";
import { listNamePrefixes } from "../client/tool-names.ts";
import { describeUnusable, getFailure, withHint } from "../client/unusable-server.ts";
import type { Config } from "../config/config.ts";
import { deepestChain } from "../core/chain.ts";
import { noticeKinds } from "../core/notices/notice-kinds.ts";
import type { Notice } from "../core/run/events.ts";
import type { MissingServer } from "../core/tools/missing-server.ts";
import { isToolMeant, parseToolPatterns, type ToolPattern } from "../core/tools/tool-pattern.ts";
import type { DuetError } from "../kit/errors.ts";
import { type Locale, removePrefix, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { truncate } from "../kit/text/truncate.ts";
import type { DroppedTool } from "../tools/collect-tools.ts";
import type { Inventory } from "./tools/tool-inventory.ts";
import { findMissingTools } from "./tools/user-tools.ts";

/** Tells that no server was started, because Duets start one another in a circle. */
export function noticeNested(
  { depth, servers }: Pick<Config, "depth" | "servers">,
  known: Set<string>,
  locale: Locale,
): Notice[] {
  if (servers.length === 0 || depth < deepestChain || known.has(nestedCode)) return [];
  known.add(nestedCode);
  return [noticeKinds.nestedTooDeep(depth, locale)];
}

const nestedCode = noticeKinds.nestedTooDeep.code;

/** Says what a question is told of its servers. */
interface ServerReader {
  /** Holds what was reported before. */
  known: Set<string>;
  /** Holds the patterns of the tools that the question names, if it names any. */
  named: readonly string[];
  /** Holds the servers and tools as they were when it was asked. */
  asked: Pick<Inventory, "tools" | "servers">;
  locale: Locale;
}

/** Reports what a run has to know of its servers. Of some missing ones `noticeUnmatched` tells in its place. */
export function noticeServers(states: readonly ServerStatus[], reader: ServerReader): Notice[] {
  const { known, locale } = reader;
  const wanted = selectWanted(states, reader);
  return [
    ...noticeUnavailable(wanted, known, locale),
    ...noticeUnapproved(states, known, locale),
    ...noticeSuspicious(states, known, locale),
  ];
}

/** Reports the servers that a run continues without. `known` holds what was reported before. */
export function noticeUnavailable(states: readonly ServerStatus[], known: Set<string>, locale: Locale): Notice[] {
  return states.flatMap((status): Notice[] => {
    const { name } = status;
    const error = getFailure(status);
    if (known.has(name) || !isMissing(status)) return [];
    known.add(name);
    const why = error ? explainMissing(name, error) : { zh: "还在启动", en: "it is still starting" };
    return [noticeKinds.serverUnavailable({ name, why }, locale)];
  });
}

/**
 * Returns why a server is missing, in one short line. A refused sign-in stays refused until a person acts, so it comes with what to do,
 * however long the reason is.
 */
function explainMissing(name: string, error: DuetError): Text {
  const { zh, en } = describeServerFailure(name, error);
  const text = { zh: truncate(sanitizeLine(zh), longestReason), en: truncate(sanitizeLine(en), longestReason) };
  return error.code === "auth" ? withHint({ text, hint: error.hint }) : text;
}

/** Limits the reason, in UTF-16 units: what a server or its process wrote may be long. */
const longestReason = 300;

/**
 * Selects the servers of which a question may want a tool, but for those of which `noticeUnmatched` tells. A question that names no tools
 * wants all.
 */
function selectWanted(states: readonly ServerStatus[], { named, asked }: ServerReader): readonly ServerStatus[] {
  if (named.length === 0) return states;
  const patterns = parseToolPatterns(named);
  const told = findUnmatched(named, asked.tools).map((pattern) => findNamedServer(pattern, asked.servers)?.name);
  return states.filter(({ name }) => !told.includes(name) && patterns.some((pattern) => canMeanServer(pattern, name)));
}

/** Returns true where a tool of this server may have a name that the pattern means. */
function canMeanServer({ name }: ToolPattern, server: string): boolean {
  const [start = "", ...rest] = name.split("*");
  return listNamePrefixes(server).some(
    (prefix) => start.startsWith(prefix) || (rest.length > 0 && prefix.startsWith(start)),
  );
}

/** Finds the server of which a pattern names a tool, or all of them. */
function findNamedServer({ name }: ToolPattern, servers: readonly ServerStatus[]): ServerStatus | undefined {
  return servers.find((server) => listNamePrefixes(server.name).some((prefix) => name.startsWith(prefix)));
}

/** Lists the patterns that match none of the tools, each once. */
function findUnmatched(written: readonly string[], tools: Inventory["tools"]): ToolPattern[] {
  const asked = parseToolPatterns([...new Set(written)]);
  return asked.filter((pattern) => !tools.some((tool) => isToolMeant(pattern, tool)));
}

/** Reports the patterns of a question that match none of the tools that it has, each once, with why a server is missing that they name. */
export function noticeUnmatched(
  written: readonly string[],
  { tools, servers }: Pick<Inventory, "tools" | "servers">,
  locale: Locale,
): Notice[] {
  const unmatched = findUnmatched(written, tools);
  if (unmatched.length === 0) return [];
  const explained = new Set<string>();
  const patterns = unmatched.map((pattern) => {
    const named = findNamedServer(pattern, servers);
    const isNew = named !== undefined && !explained.has(named.name);
    if (isNew) explained.add(named.name);
    return { written: pattern.written, why: isNew ? describeMissing(named) : undefined };
  });
  return [noticeKinds.toolsUnmatched(patterns, locale)];
}

/** Lists the servers without which a run goes on, for a model that calls a tool of one. */
export function listMissingServers(states: readonly ServerStatus[]): MissingServer[] {
  return states.flatMap((status) => {
    const why = isMissing(status) ? describeMissing(status) : undefined;
    return why === undefined ? [] : [{ prefixes: listNamePrefixes(status.name), why }];
  });
}

/** Is true for a server that offers nothing. One that is being started again still offers what it had. */
function isMissing({ state, toolCount, error }: ServerStatus): boolean {
  return error !== null || (state === "starting" && toolCount === 0);
}

function describeMissing(status: ServerStatus): Text | undefined {
  const { name, state, waiting } = status;
  const error = getFailure(status);
  if (error) {
    const { zh, en } = explainMissing(name, error);
    return { zh: `MCP 服务器 ${name} 不可用：${zh}`, en: `MCP server ${name} is unavailable: ${en}` };
  }
  if (state === "starting")
    return { zh: `MCP 服务器 ${name} 还在启动`, en: `the MCP server ${name} is still starting` };
  if (waiting > 0)
    return {
      zh: `MCP 服务器 ${name} 有工具等待批准：duet tools approve ${name}`,
      en: `tools of the MCP server ${name} wait for approval: duet tools approve ${name}`,
    };
  return undefined;
}

/** Reports the servers whose tool descriptions a person should review. `known` holds what was reported before. */
export function noticeSuspicious(states: readonly ServerStatus[], known: Set<string>, locale: Locale): Notice[] {
  return states.flatMap(({ name, warnings: [first, ...more] }): Notice[] => {
    const key = `${noticeKinds.serverSuspicious.code} ${name}`;
    if (first === undefined || known.has(key)) return [];
    known.add(key);
    return [noticeKinds.serverSuspicious({ name, first, rest: more.length }, locale)];
  });
}

/** Reports the tools that are not used until somebody approves them. `known` holds what was reported before. */
export function noticeUnapproved(states: readonly ServerStatus[], known: Set<string>, locale: Locale): Notice[] {
  return states.flatMap(({ name, waiting }): Notice[] => {
    const key = `${noticeKinds.toolsUnapproved.code} ${name} ${waiting}`;
    if (waiting === 0 || known.has(key)) return [];
    known.add(key);
    return [noticeKinds.toolsUnapproved({ name, waiting }, locale)];
  });
}

/** Reports the user's tools and skills that a run continues without. `known` holds what was reported before. */
export function noticeBrokenTools(dropped: readonly DroppedTool[], known: Set<string>, locale: Locale): Notice[] {
  return findMissingTools(dropped).flatMap(({ name, text }): Notice[] => {
    const key = `${noticeKinds.toolBroken.code} ${name}`;
    if (known.has(key)) return [];
    known.add(key);
    return [noticeKinds.toolBroken(text, locale)];
  });
}

/** Explains why a server cannot be used, for a line that has already named the server. */
export function describeServerFailure(name: string, { text }: DuetError): Text {
  return removePrefix(text, describeUnusable(name));
}
