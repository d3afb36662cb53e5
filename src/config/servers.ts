import { dirname } from "node:path";
import type { Text } from "../kit/locale.ts";
import type { ServerSettings, ServerTransport } from "./config.ts";
import { configError } from "./config-errors.ts";
import type { ServerEntry, Settings } from "./schema/file-schema.ts";
import type { Environment } from "./sources/expand-variables.ts";
import { toAbsolutePath } from "./sources/find-file.ts";
import type { Source } from "./sources/source.ts";

/**
 * Returns the enabled servers in the file's order. Relative directories are resolved against the file. Throws when settings
 * contradict each other.
 */
export function readServers(
  settings: Settings,
  source: Source,
  file: string,
  environment: Environment,
): ServerSettings[] {
  const roots = ["mcpServers", "servers"] as const;
  const entries = roots.flatMap((root) =>
    Object.entries(settings[root]).map(([name, entry]) => ({ root, name, entry })),
  );
  return entries.flatMap(({ root, name, entry }) => {
    const describePlace = (...rest: string[]) => source.describePlace([root, name, ...rest]);
    if (root === "servers" && Object.hasOwn(settings.mcpServers, name)) throw configError(describePlace(), givenTwice);
    const server = readServer(name, entry, (path) => toAbsolutePath(path, dirname(file), environment), describePlace);
    return entry.disabled === true || entry.enabled === false ? [] : [server];
  });
}

type Absolute = (path: string) => string;
type Where = (...rest: string[]) => string;

function readServer(name: string, entry: ServerEntry, absolute: Absolute, where: Where): ServerSettings {
  const { includeTools, excludeTools, maxConcurrent, callsPerSecond } = entry;
  return {
    name,
    transport: readTransport(entry, absolute, where),
    includeTools,
    excludeTools,
    timeoutMs: Math.round(entry.timeout * 1000),
    startTimeoutMs: Math.round(entry.startTimeout * 1000),
    maxConcurrent,
    callsPerSecond,
    start: entry.start,
    sampling: entry.sampling,
    ...(entry.stateful && { stateful: true }),
    roots: entry.roots?.map(absolute),
    ...(entry.hostRoots && { hostRoots: true }),
    auth: entry.auth,
  };
}

function readTransport(entry: ServerEntry, absolute: Absolute, where: Where): ServerTransport {
  const { command, url, httpUrl, cwd } = entry;
  const given = Object.entries({ command, url, httpUrl }).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw configError(where(), nothingToReach);
  const second = given[1];
  if (second !== undefined) throw configError(where(second[0]), describeConflict(given[0]?.[0] ?? ""));
  if (command !== undefined) {
    refuse(entry, ["headers", "auth"], "command", where);
    if (entry.type !== undefined && entry.type !== "stdio")
      throw configError(where("type"), describeNeededUrl(entry.type));
    const { args = [], env = {}, inheritEnv = [] } = entry;
    return { type: "stdio", command, args, env, inheritEnv, cwd: cwd && absolute(cwd) };
  }
  refuse(entry, ["args", "env", "inheritEnv", "cwd"], "url", where);
  if (entry.type === "stdio") throw configError(where("type"), needsCommand);
  if (entry.type === "sse" && httpUrl !== undefined) throw configError(where("type"), describeNeededUrl(entry.type));
  return { type: entry.type === "sse" ? "sse" : "http", url: url ?? httpUrl ?? "", headers: entry.headers ?? {} };
}

function refuse(entry: ServerEntry, keys: readonly (keyof ServerEntry)[], beside: string, where: Where): void {
  const key = keys.find((each) => entry[each] !== undefined);
  if (key !== undefined) throw configError(where(key), describeConflict(beside));
}

const givenTwice: Text = {
  zh: "该名称在 mcpServers 和 servers 中都出现了",
  en: "is in both mcpServers and servers",
};
const nothingToReach: Text = { zh: "缺少 command、url 或 httpUrl", en: "needs command, url or httpUrl" };
const needsCommand: Text = { zh: "stdio 需要 command，而不是 url", en: "stdio needs command, not url" };
const describeNeededUrl = (type: string): Text => ({ zh: `${type} 需要 url`, en: `${type} needs url` });
const describeConflict = (key: string): Text => ({ zh: `不能与 ${key} 同时使用`, en: `is not allowed beside ${key}` });
