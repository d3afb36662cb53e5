import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { Duet } from "../../../app/duet.ts";
import type { List } from "../../../app/tools/gateway.ts";
import type { Caller } from "../../../core/caller.ts";
import { toConversationJson } from "../../../core/store/conversations/conversation-json.ts";
import type { RunEntry } from "../../../core/store/conversations/entries.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toSafeJson, toShortLine } from "../../../kit/text/sanitize.ts";
import { takeStart } from "../../../kit/text/truncate.ts";
import { longestJson, toBoundedJson } from "../../../runs/bounded-json.ts";
import type { FollowedRuns } from "../../../runs/followed-runs.ts";
import type { LiveRun, LiveRuns } from "../../../runs/live/live-run.ts";
import { hideCauseInTrace } from "../../../runs/outcomes/finished-outcome.ts";
import type { ResourceCapability } from "../capabilities.ts";

export interface AgentResourcesOptions {
  duet: Pick<Duet, "store" | "trace">;
  runs: LiveRuns;
  /** Finds runs of other processes; absent where each process knows its own alone. */
  followed?: Pick<FollowedRuns, "find" | "list"> | undefined;
  caller: Caller;
  /** Holds the ids of the runs that this connection was told of. Only these are listed. */
  knownRuns: ReadonlySet<string>;
  locale: Locale;
}

export interface AgentResources extends ResourceCapability {
  read(uri: string): Promise<ReadResourceResult | undefined>;
  /** Calls `listener` when a run of the caller begins or ends. The returned function stops this. */
  onChange(listener: (list: List) => void): () => void;
}

/** Limits how many finished runs are listed. The others can be read by their ids. */
const mostListed = 50;

/**
 * Serves a caller's conversations and traces. Its methods reject as the store does. It lists only the runs of its connection,
 * because some hosts show all that is listed to their model, and the questions of others are none of its business; templates and
 * completion find the rest.
 */
export function createAgentResources(options: AgentResourcesOptions): AgentResources {
  const { duet, runs, followed, caller, knownRuns, locale } = options;

  /** Returns the trace, or what is known of a run that is active or was not kept. */
  async function readRun(id: string): Promise<object | undefined> {
    const live = runs.find(id, caller) ?? (await followed?.find(id, caller));
    if (live && live.outcome === undefined) return live.snapshot();
    const trace = await duet.trace(id, caller);
    return trace ? hideCauseInTrace(trace, locale) : live?.outcome;
  }

  async function readConversation(id: string): Promise<object | undefined> {
    const store = await duet.store(caller);
    const conversation = await store.load(id);
    return conversation && toConversationJson(conversation, await store.runs({ conversationId: id }));
  }

  return {
    async list() {
      if (knownRuns.size === 0) return [];
      const store = await duet.store(caller);
      const finished = await store.runs({ newest: mostListed });
      const elsewhere = (await followed?.list(caller)) ?? [];
      const active = [...runs.listRuns(caller), ...elsewhere].filter(({ outcome }) => outcome === undefined);
      return [...active.map(toActiveEntry), ...finished]
        .filter(({ id }) => knownRuns.has(id))
        .map((run) => toRunResource(run, locale));
    },
    templates: async () => listResourceTemplates(locale),
    async read(uri) {
      const named = readUri(uri);
      if (named === undefined) return undefined;
      const found = await (named.kind === "run" ? readRun(named.id) : readConversation(named.id));
      return found && { contents: [{ uri, mimeType: jsonType, text: renderPart(found, named) }] };
    },
    onChange: (listener) => runs.onChange(caller, () => listener("resources")),
  };
}

function toActiveEntry({ id, question, startedAt }: Pick<LiveRun, "id" | "question" | "startedAt">): RunEntry {
  return { id, question, status: "running", startedAt: new Date(startedAt).toISOString() };
}

const jsonType = "application/json";

/** Renders all in one text, shortened where it is too long for one, or the part from `offset` of the JSON of the whole. */
function renderPart(found: object, { kind, id, offset }: NamedResource): string {
  if (offset === undefined) return toBoundedJson(found, longestJson, kind === "run" ? toRunUri(id, 0) : undefined);
  const whole = toSafeJson(found);
  const text = takeStart(whole.slice(offset), partLength);
  const end = offset + text.length;
  return JSON.stringify({
    offset,
    total: whole.length,
    next: end < whole.length ? toRunUri(id, end) : undefined,
    text,
  });
}

function toRunResource({ id, question, status, startedAt }: RunEntry, locale: Locale): Resource {
  const name = toShownName(question || id);
  const time = toTime(startedAt);
  return {
    uri: toRunUri(id),
    name,
    title: say(locale, { zh: `运行：${name}`, en: `Run: ${name}` }),
    description: time ? say(locale, { zh: `${status}，开始于 ${time}`, en: `${status}, started ${time}` }) : status,
    mimeType: jsonType,
    annotations: { ...forBoth, lastModified: time },
  };
}

export function listResourceTemplates(locale: Locale): ResourceTemplateType[] {
  return [
    {
      uriTemplate: runTemplate,
      name: "run",
      title: say(locale, { zh: "一次运行的追踪", en: "The trace of a run" }),
      description: say(locale, {
        zh: "一次运行的每一步：想法、工具调用、结果、用量和费用；仍在进行的运行给出目前的情况。",
        en: "Each step of a run: thoughts, tool calls, results, tokens and cost; for a run in progress, what is known so far.",
      }),
      mimeType: jsonType,
      annotations: forBoth,
    },
    {
      uriTemplate: runPartTemplate,
      name: "run-part",
      title: say(locale, { zh: "一次运行的追踪，分段读取", en: "The trace of a run, in parts" }),
      description: say(locale, {
        zh: "完整记录的 JSON 从 offset 起的一段，以及下一段的地址（next）。",
        en: "A part of the JSON of the whole trace from offset on, and the address of the next one (next).",
      }),
      mimeType: jsonType,
      annotations: forBoth,
    },
    {
      uriTemplate: conversationTemplate,
      name: "conversation",
      title: say(locale, { zh: "一个对话", en: "A conversation" }),
      description: say(locale, {
        zh: "一个对话的问题与回答、引用的来源和各次运行。",
        en: "What was asked and answered in a conversation, its sources and its runs.",
      }),
      mimeType: jsonType,
      annotations: forBoth,
    },
  ];
}

const forBoth: NonNullable<Resource["annotations"]> = { audience: ["user", "assistant"] };

/** A question may contain anything and may be long. */
function toShownName(question: string): string {
  return toShortLine(question, 80);
}

/** Converts a time to the format that MCP wants, or returns undefined when it is invalid. */
function toTime(time: string): string | undefined {
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

/** Says what one of our URIs refers to. */
export interface NamedResource {
  kind: "run" | "conversation";
  id: string;
  /** Is where a part of the JSON of a run begins, in UTF-16 units. */
  offset?: number | undefined;
}

/** Limits a part of a run, in UTF-16 units. In the JSON that holds it, it takes at most twice as much. */
const partLength = 200_000;

/** Limits an id, in characters, as `agent_ask` does. */
const longestId = 200;

export const runTemplate = "duet://runs/{run_id}";
export const runPartTemplate = "duet://runs/{run_id}?offset={offset}";
export const conversationTemplate = "duet://conversations/{conversation_id}";

export function toRunUri(id: string, offset?: number): string {
  const uri = `duet://runs/${encodeURIComponent(id.toWellFormed())}`;
  return offset === undefined ? uri : `${uri}?offset=${offset}`;
}

/** Returns what a URI from outside refers to, or undefined when it is not ours. It is decoded exactly once. */
export function readUri(uri: string): NamedResource | undefined {
  const [, place, encoded = "", from] =
    /^duet:\/\/(runs|conversations)\/([^/?#]+)(?:(?<=\/runs\/[^/]*)\?offset=(\d{1,12}))?$/.exec(uri) ?? [];
  const id = decode(encoded);
  if (id === undefined || id.length === 0 || id.length > longestId || !id.isWellFormed()) return undefined;
  return { kind: place === "runs" ? "run" : "conversation", id, offset: from === undefined ? undefined : Number(from) };
}

/** Returns undefined when a `%` begins no valid escape. */
function decode(encoded: string): string | undefined {
  // Decoding makes text shorter, at most ninefold: a character of three bytes, each written as `%XX`.
  if (encoded.length > 9 * longestId) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
