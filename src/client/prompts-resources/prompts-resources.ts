import { toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { CallerOptions } from "../calls/request-sender.ts";
import type { ServerList } from "../lifecycle/announcements.ts";
import type { Pool } from "../pool.ts";
import { createToolNames, isPossibleName } from "../tool-names.ts";
import {
  createEntryLists,
  type EntryLists,
  type Kind,
  kinds,
  type ListedEntry,
  type Listeners,
} from "./entry-lists.ts";

/** Combines what all servers offer besides tools. Requests reject with a `DuetError`, or with the signal's reason. */
export interface PromptsAndResources {
  /** Lists prompts under the names `server__prompt`, as tools are. */
  prompts(signal?: AbortSignal): Promise<ListedEntry[]>;
  /**
   * Lists resources under their own URIs. When two servers have the same URI, the first in the configuration's order answers it
   * and the other's is left out, which is reported: URIs cannot be changed, because hosts store them and results name them.
   */
  resources(signal?: AbortSignal): Promise<ListedEntry[]>;
  resourceTemplates(signal?: AbortSignal): Promise<ListedEntry[]>;
  /** Returns undefined when there is no such prompt. */
  getPrompt(name: string, args: Record<string, string>, options: CallerOptions): Promise<ResultFields | undefined>;
  /**
   * Asks the server that lists it, else the one with the narrowest template, else the one that gave a link to it; a template
   * that fits everything comes last. Undefined when there is none.
   */
  readResource(uri: string, options: CallerOptions): Promise<ResultFields | undefined>;
  /**
   * Calls `listener` for each change of the resource, or of something below it, until the returned function is called. Undefined
   * when there is no such resource, or its server does not tell of changes.
   */
  subscribe(uri: string, listener: (uri: string) => void, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Returns undefined when no server completes the request. */
  complete(request: Completion, options: CallerOptions): Promise<ResultFields | undefined>;
  /** Remembers which server gave a link, so that what stands behind it can be read. */
  learn(server: string, uri: string): void;
  /** Marks a list as changed, so that it is fetched again when next requested. */
  changed(list: ServerList): void;
  /** Returns a view without the servers that are not permitted. */
  only(permits: (server: string) => boolean): PromptsAndResources;
}

type ResultFields = Record<string, unknown>;

/** Holds a `completion/complete` request, for a prompt by our name or for a template. */
export interface Completion {
  ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
  argument: { name: string; value: string };
  context?: { arguments?: Record<string, string> | undefined } | undefined;
}

/** Limits how many links are remembered. The oldest are forgotten first. */
const mostLinks = 1000;

export function createPromptsAndResources(pool: OfferingPool, listeners: Listeners): PromptsAndResources {
  const shared: SharedState = {
    pool,
    names: createToolNames(),
    lists: createEntryLists(pool, listeners),
    firstOfEach: createCollisions(listeners.onLine),
    links: new Map(),
    followers: createResourceFollowers(pool),
  };
  return createView(shared, () => true);
}

/** Holds what is known of the servers, shared by all views. */
interface SharedState {
  pool: OfferingPool;
  names: ReturnType<typeof createToolNames>;
  lists: EntryLists;
  firstOfEach: ReturnType<typeof createCollisions>;
  /** Maps links to the servers that returned them. */
  links: Map<string, string>;
  followers: ReturnType<typeof createResourceFollowers>;
}

/** Says where something may be listed: in lists of these kinds, of the servers that may have it. */
interface Place {
  listed: readonly Kind[];
  canHave(server: string): boolean;
}

type OfferingPool = Pick<Pool, "status" | "request" | "checkTexts" | "subscribe" | "unsubscribe" | "onUpdated">;

function createView(shared: SharedState, permits: (server: string) => boolean): PromptsAndResources {
  const { pool, names, lists, firstOfEach, links, followers } = shared;

  async function listAll(kind: Kind, signal?: AbortSignal) {
    return (await lists.all(kind, signal)).filter(({ server }) => permits(server));
  }

  async function listByUri(kind: Kind, signal?: AbortSignal): Promise<ListedEntry[]> {
    return [...firstOfEach(kind, await listAll(kind, signal)).values()].map(({ entry }) => entry);
  }

  async function findOrigin(name: string, signal: AbortSignal) {
    const origin = names.originOf(name) ?? ((await listPrompts(signal)) && names.originOf(name));
    return origin && permits(origin.server) ? origin : undefined;
  }

  async function listPrompts(signal?: AbortSignal): Promise<ListedEntry[]> {
    const entries = await listAll(kinds.prompts, signal);
    return entries.map(({ server, entry }) => ({ ...entry, name: names.nameOf(server, toText(entry.name)) }));
  }

  /**
   * Looks something up in the lists of these kinds, and once more with each list that comes late. Throws where a list cannot be had:
   * what is not found may stand in it.
   */
  async function lookUp<T>(find: () => Promise<T | undefined>, place: Place, signal: AbortSignal) {
    const { listed, canHave } = place;
    let found = await find();
    while (found === undefined && (await lists.waitForLate(listed, canHave, signal))) found = await find();
    const [failure] = listed.flatMap((kind) => lists.findFailures(kind, canHave));
    if (found !== undefined || failure === undefined) return found;
    throw failure;
  }

  async function findServer(uri: string, signal: AbortSignal): Promise<string | undefined> {
    const place = { listed: [kinds.resources, kinds.templates], canHave: permits };
    return lookUp(() => findListedServer(uri, signal), place, signal);
  }

  async function findListedServer(uri: string, signal: AbortSignal): Promise<string | undefined> {
    const listed = firstOfEach(kinds.resources, await listAll(kinds.resources, signal)).get(uri);
    if (listed) return listed.server;
    const templates = (await listAll(kinds.templates, signal))
      .map(({ server, entry }) => ({ server, template: toText(entry.uriTemplate) }))
      .filter(({ template }) => isTemplateMatch(uri, template))
      .sort((one, other) => countFixedCharacters(other.template) - countFixedCharacters(one.template));
    const [best] = templates;
    if (best && countFixedCharacters(best.template) > 0) return best.server;
    const linked = links.get(uri);
    return linked !== undefined && permits(linked) ? linked : best?.server;
  }

  return {
    prompts: listPrompts,
    resources: (signal) => listByUri(kinds.resources, signal),
    resourceTemplates: (signal) => listByUri(kinds.templates, signal),
    async getPrompt(name, args, options) {
      const canHave = (server: string): boolean => permits(server) && isPossibleName(name, server);
      const place = { listed: [kinds.prompts], canHave };
      const origin = await lookUp(() => findOrigin(name, options.signal), place, options.signal);
      if (origin === undefined) return undefined;
      return pool.request(origin.server, "prompts/get", { name: origin.tool, arguments: args }, options);
    },
    async readResource(uri, options) {
      const server = await findServer(uri, options.signal);
      return server === undefined ? undefined : pool.request(server, "resources/read", { uri }, options);
    },
    async subscribe(uri, listener, signal) {
      const server = await findServer(uri, signal);
      if (server === undefined || !lists.serversWith("subscriptions").includes(server)) return undefined;
      return followers.follow(server, uri, { listener, signal });
    },
    async complete({ ref, argument, context }, options) {
      const able = lists.serversWith("completions");
      const more = context?.arguments && { context: { arguments: context.arguments } };
      if (ref.type === "ref/prompt") {
        const origin = await findOrigin(ref.name, options.signal);
        if (origin === undefined || !able.includes(origin.server)) return undefined;
        const params = { ref: { ...ref, name: origin.tool }, argument, ...more };
        return pool.request(origin.server, "completion/complete", params, options);
      }
      const templates = await listAll(kinds.templates, options.signal);
      const server = templates.find(({ entry }) => entry.uriTemplate === ref.uri)?.server;
      if (server === undefined || !able.includes(server)) return undefined;
      return pool.request(server, "completion/complete", { ref: { ...ref }, argument, ...more }, options);
    },
    learn(server, uri) {
      links.delete(uri);
      links.set(uri, server);
      const [oldest] = links.keys();
      if (links.size > mostLinks && oldest !== undefined) links.delete(oldest);
    },
    changed: lists.changed,
    only: (also) => createView(shared, (server) => permits(server) && also(server)),
  };
}

/** Lets any number of hosts follow a resource with one subscription at its server. */
function createResourceFollowers(pool: OfferingPool) {
  const followed = new Map<string, { uri: string; server: string; listeners: Set<(uri: string) => void> }>();
  pool.onUpdated((server, updated) => {
    for (const each of followed.values())
      if (each.server === server && isAtOrBelow(updated, each.uri)) for (const tell of each.listeners) tell(updated);
  });

  return {
    async follow(
      server: string,
      uri: string,
      { listener, signal }: { listener(uri: string): void; signal: AbortSignal },
    ): Promise<() => void> {
      const key = JSON.stringify([server, uri]);
      const entry = followed.get(key) ?? { uri, server, listeners: new Set() };
      followed.set(key, entry);
      // Each follower has a listener of its own, also where two give the same function.
      const notify = (changed: string): void => listener(changed);
      entry.listeners.add(notify);
      const leave = (): void => {
        if (!entry.listeners.delete(notify) || entry.listeners.size > 0) return;
        followed.delete(key);
        void pool.unsubscribe(server, uri);
      };
      try {
        // A second time where somebody follows it already, so that this one hears whether the server agrees.
        await pool.subscribe(server, uri, signal);
      } catch (thrown) {
        leave();
        throw thrown;
      }
      return leave;
    },
  };
}

/** A server may tell of a part of what was subscribed to. */
function isAtOrBelow(updated: string, uri: string): boolean {
  return updated === uri || updated.startsWith(uri.endsWith("/") ? uri : `${uri}/`);
}

interface ServerEntry {
  server: string;
  entry: ListedEntry;
}

/** Keeps the first entry under each URI, by that URI. Tells of two servers that have the same one, once for these two. */
function createCollisions(onLine: (line: Text) => void) {
  const reported = new Set<string>();
  return (kind: Kind, all: readonly ServerEntry[]): ReadonlyMap<string, ServerEntry> => {
    const first = new Map<string, ServerEntry>();
    for (const found of all) {
      const uri = toText(found.entry[kind.key]);
      const before = first.get(uri);
      if (before === undefined) {
        first.set(uri, found);
        continue;
      }
      const pair = JSON.stringify([before.server, found.server]);
      if (reported.has(pair)) continue;
      reported.add(pair);
      onLine(describeCollision(truncate(uri, 200), before.server, found.server));
    }
    return first;
  };
}

function describeCollision(uri: string, first: string, second: string): Text {
  const shown = JSON.stringify(uri);
  return {
    zh: `MCP 服务器 ${first} 和 ${second} 都提供 ${shown}：使用配置中靠前的 ${first}。这两个服务器之间的其他冲突不再提示。`,
    en: `The MCP servers ${first} and ${second} both offer ${shown}: ${first} is used, because it comes first in the configuration. Other collisions of these two are not reported.`,
  };
}

/**
 * Returns true when a URI may come from an RFC 6570 template, by comparing its fixed parts in order. That is enough to find the
 * server, which decides for itself, and it takes no longer for a template that was made to be slow.
 */
export function isTemplateMatch(uri: string, template: string): boolean {
  const [first = "", ...rest] = template.split(/\{[^{}]*\}/);
  const last = rest.pop();
  if (last === undefined) return uri === template;
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = uri.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
}

/** Counts the fixed characters of a template; more of them make it more specific. */
function countFixedCharacters(template: string): number {
  return template.replace(/\{[^{}]*\}/g, "").length;
}
