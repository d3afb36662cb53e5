import { isRecord } from "../../kit/json.ts";
import { direct, inherited } from "../../kit/net/proxy-rules.ts";
import { findKnownAgent } from "../agents/known-agents.ts";
import { listVariables } from "../sources/expand-variables.ts";
import { getValue, type Path, renderPath } from "../sources/setting-path.ts";
import { listInnerLeaves, listLeaves } from "../sources/source.ts";
import { listVariablesAt } from "../sources/used-variables.ts";
import { isDangerousVariable } from "./dangerous-variables.ts";
import { renderAt, renderCommand, toWritten } from "./trust-preview.ts";

/** Describes one thing that happens once a configuration is trusted. */
export interface TrustEffect {
  /**
   * A server or an agent is started, an address is called, code is loaded, a command is run for a key or as a hook, connections go by a proxy,
   * or certificates are trusted.
   */
  kind: "start" | "agent" | "call" | "load" | "run" | "hook" | "proxy" | "certificates";
  /** Names what it is for: a server, a provider, an event or a setting. */
  name: string;
  /** Is the command, the address, the directory or the file, with secrets masked. */
  what: string;
  /** Lists what the file itself gives it: variables of a program, headers of a request. */
  given: readonly { name: string; isDangerous: boolean }[];
  /** Lists the variables of the user's environment whose values it gets. A command for a key gets all of them. */
  yours: readonly string[] | "all";
}

/** Lists what a configuration file of any shape would do, before anything in it is trusted. */
export function listEffects(tree: unknown): TrustEffect[] {
  const servers = ["mcpServers", "servers"].flatMap((root) => listEntries(tree, [root]).flatMap(listServerEffects));
  const agents = listEntries(tree, ["agents"]).flatMap(listAgentEffects);
  const commands = listEntries(tree, ["providers"]).flatMap(({ name, entry }): TrustEffect[] => {
    const command = entry.apiKeyCommand;
    if (command === undefined) return [];
    const words = Array.isArray(command) ? command : [command];
    return [{ kind: "run", name: toWritten(name), what: renderCommand(words), given: [], yours: "all" }];
  });
  const leaves = listInnerLeaves(tree).filter(([first]) => first !== "mcpServers" && first !== "servers");
  const calls = leaves.filter(isAddress).map((path) => toCall(tree, path));
  const loads = leaves
    .filter((path) => loaded.has(renderPath(path)))
    .map((path): TrustEffect => ({ ...nothing, kind: "load", name: renderPath(path), what: renderAt(tree, path) }));
  const hooks = listLeaves(getValue(tree, ["hooks"]), ["hooks"]).flatMap((path) => listHookEffects(tree, path));
  const routes = listInnerLeaves(tree).flatMap((path) => listRouteEffects(tree, path));
  return [...servers, ...agents, ...commands, ...hooks, ...calls, ...loads, ...routes];
}

const nothing = { given: [], yours: [] };
const loaded: ReadonlySet<string> = new Set(["tools.directory", "agent.evaluation.module"]);

/** Lists what runs at an event. Groups of any shape are searched, because this is shown before the schema has seen them. */
function listHookEffects(tree: unknown, path: Path): TrustEffect[] {
  const groups = getValue(tree, path);
  const hooks = (Array.isArray(groups) ? groups : [groups]).flatMap((group: unknown) =>
    isRecord(group) && Array.isArray(group.hooks) ? group.hooks.filter(isRecord) : [],
  );
  return hooks.flatMap(({ command, args = [], module, inheritEnv }): TrustEffect[] => {
    const name = renderPath(path);
    const words = [command, ...(Array.isArray(args) ? args : [args])].filter((word) => word !== undefined);
    const yours = listNames(inheritEnv);
    return [
      ...(words.length > 0 ? [{ kind: "hook" as const, name, what: renderCommand(words), given: [], yours }] : []),
      ...(module === undefined ? [] : [{ ...nothing, kind: "load" as const, name, what: toWritten(module) }]),
    ];
  });
}

/** A proxy sees where everything goes, and with a certificate of its own also what it is. */
function listRouteEffects(tree: unknown, path: Path): TrustEffect[] {
  const value = getValue(tree, path);
  const shown = { ...nothing, name: renderPath(path), what: renderAt(tree, path) };
  if (renderPath(path) === "network.ca") return [{ ...shown, kind: "certificates" }];
  const isProxy = path.at(-1) === "proxy" && value !== direct && value !== inherited;
  return isProxy ? [{ ...shown, kind: "proxy" }] : [];
}

function listNames(names: unknown): string[] {
  return Array.isArray(names) ? names.filter((each) => typeof each === "string") : [];
}

interface Entry {
  name: string;
  path: Path;
  entry: Record<string, unknown>;
}

function listEntries(tree: unknown, root: Path): Entry[] {
  const entries = getValue(tree, root);
  return Object.entries(isRecord(entries) ? entries : {}).flatMap(([name, entry]) =>
    isRecord(entry) ? [{ name, path: [...root, name], entry }] : [],
  );
}

function listServerEffects({ name, entry }: Entry): TrustEffect[] {
  const { command, args = [], env, headers, inheritEnv, disabled, enabled } = entry;
  if (disabled === true || enabled === false) return [];
  const words = [command, ...(Array.isArray(args) ? args : [args])].filter((word) => word !== undefined);
  const yours = [...new Set([...listVariables(entry), ...listNames(inheritEnv)])];
  const shown = { name: toWritten(name), yours };
  const started: TrustEffect[] =
    words.length === 0 ? [] : [{ ...shown, kind: "start", what: renderCommand(words), given: listGiven(env) }];
  const called = ["url", "httpUrl"].flatMap((key): TrustEffect[] =>
    entry[key] === undefined
      ? []
      : [{ ...shown, kind: "call", what: renderAt(entry, [key]), given: listGiven(headers) }],
  );
  return [...started, ...called];
}

/** Another agent is started like a server. A known one has its command from its name. */
function listAgentEffects({ name, path, entry: { acp } }: Entry): TrustEffect[] {
  if (!isRecord(acp)) return [];
  const known = acp.command === undefined ? findKnownAgent(name) : undefined;
  const effects = listServerEffects({ name, path: [...path, "acp"], entry: { ...known, ...acp } });
  return effects.map((effect) => ({ ...effect, kind: "agent" }));
}

function listGiven(values: unknown): TrustEffect["given"] {
  return Object.keys(isRecord(values) ? values : {}).map((name) => ({ name, isDangerous: isDangerousVariable(name) }));
}

function isAddress(path: Path): boolean {
  return /^(?:baseUrl|url|mcpUrl)$/.test(String(path.at(-1))) || renderPath(path) === "email.host";
}

/** A key goes to the address beside which it, or its vendor, is named, and so do headers and a query. */
function toCall(tree: unknown, path: Path): TrustEffect {
  const owner = path.slice(0, -1);
  const own = getValue(tree, [...owner, "apiKeyEnv"]);
  const keys = typeof own === "string" ? [own] : listVariablesAt(tree, path);
  const yours = [...new Set([...keys, ...listVariables(getValue(tree, owner))])];
  return { kind: "call", name: renderPath(owner), what: renderAt(tree, path), given: [], yours };
}
