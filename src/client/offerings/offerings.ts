import { textOf } from "../../core/json.ts";
import type { CallerOptions } from "../calls/sender.ts";
import { createNames } from "../naming.ts";
import type { Pool } from "../pool.ts";
import type { ServerList } from "../session/announcements.ts";
import { createOfferingLists, type Kind, kinds, type Offering } from "./offering-lists.ts";
import { fits } from "./uri-template.ts";

/** What servers offer beside tools, all servers as one. Requests reject with a `DuetError`, or with the signal's reason. */
export interface Offerings {
  /** Named `server__prompt`, as tools are. */
  prompts(signal?: AbortSignal): Promise<Offering[]>;
  /**
   * Under their own URIs. Where two servers have the same one, the first in the configuration's order answers it and the
   * other's is not on offer: hosts keep URIs, and results name them, so that they cannot be changed.
   */
  resources(signal?: AbortSignal): Promise<Offering[]>;
  resourceTemplates(signal?: AbortSignal): Promise<Offering[]>;
  /** Undefined when there is no such prompt. */
  getPrompt(name: string, args: Record<string, string>, options: CallerOptions): Promise<Answer | undefined>;
  /** Undefined when no server has it: neither in its list, nor by a template, nor behind a link in a result. */
  readResource(uri: string, options: CallerOptions): Promise<Answer | undefined>;
  /** Undefined when nobody completes that. */
  complete(request: Completion, options: CallerOptions): Promise<Answer | undefined>;
  /** Remembers which server gave a link, so that what stands behind it can be read. */
  learn(server: string, uri: string): void;
  /** A list has changed: it is fetched anew when somebody next wants it. */
  changed(list: ServerList): void;
}

type Answer = Record<string, unknown>;

/** What `completion/complete` asks, of a prompt by our name or of a template. */
export interface Completion {
  ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
  argument: { name: string; value: string };
  context?: { arguments?: Record<string, string> | undefined } | undefined;
}

/** Links that are remembered; the oldest are forgotten first. */
const mostLinks = 1000;

/** `onLate` is told of a list that has become longer after somebody was given it without waiting any more. */
export function createOfferings(
  pool: Pick<Pool, "status" | "request">,
  onLate: (list: Kind["list"]) => void,
): Offerings {
  const names = createNames();
  const { all, serversWith, changed } = createOfferingLists(pool, onLate);
  const links = new Map<string, string>();
  async function listByUri(kind: Kind, signal?: AbortSignal): Promise<Offering[]> {
    const first = new Map<string, Offering>();
    for (const { entry } of await all(kind, signal)) {
      const uri = textOf(entry[kind.key]);
      if (!first.has(uri)) first.set(uri, entry);
    }
    return [...first.values()];
  }

  async function originOf(name: string, signal: AbortSignal) {
    return names.originOf(name) ?? ((await prompts(signal)) && names.originOf(name));
  }

  async function prompts(signal?: AbortSignal): Promise<Offering[]> {
    const entries = await all(kinds.prompts, signal);
    return entries.map(({ server, entry }) => ({ ...entry, name: names.nameOf(server, textOf(entry.name)) }));
  }

  async function serverOf(uri: string, signal: AbortSignal): Promise<string | undefined> {
    const listed = (await all(kinds.resources, signal)).find(({ entry }) => entry.uri === uri);
    if (listed) return listed.server;
    const fitting = (await all(kinds.templates, signal)).find(({ entry }) => fits(uri, textOf(entry.uriTemplate)));
    return fitting?.server ?? links.get(uri);
  }

  return {
    prompts,
    resources: (signal) => listByUri(kinds.resources, signal),
    resourceTemplates: (signal) => listByUri(kinds.templates, signal),
    async getPrompt(name, args, options) {
      const origin = await originOf(name, options.signal);
      if (origin === undefined) return undefined;
      return pool.request(origin.server, "prompts/get", { name: origin.tool, arguments: args }, options);
    },
    async readResource(uri, options) {
      const server = await serverOf(uri, options.signal);
      return server === undefined ? undefined : pool.request(server, "resources/read", { uri }, options);
    },
    async complete({ ref, argument, context }, options) {
      const able = serversWith("completions");
      const more = context?.arguments && { context: { arguments: context.arguments } };
      if (ref.type === "ref/prompt") {
        const origin = await originOf(ref.name, options.signal);
        if (origin === undefined || !able.includes(origin.server)) return undefined;
        const params = { ref: { ...ref, name: origin.tool }, argument, ...more };
        return pool.request(origin.server, "completion/complete", params, options);
      }
      const templates = await all(kinds.templates, options.signal);
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
    changed,
  };
}
