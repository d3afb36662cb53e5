import type { ReadResourceResult } from "@modelcontextprotocol/server";
import type { Duet, List, RunEntry } from "../../../app/open-duet.ts";
import type { Caller } from "../../../core/caller.ts";
import { toConversationJson } from "../../../core/store/conversation-json.ts";
import type { Locale } from "../../../kit/locale.ts";
import { toBoundedJson } from "../../../runs/bounded-json.ts";
import { hideCauseInTrace } from "../../../runs/hide-cause.ts";
import type { LiveRun, LiveRuns } from "../../../runs/live-run.ts";
import type { ResourceCapability } from "../capabilities.ts";
import { jsonType, listResourceTemplates, toConversationResource, toRunResource } from "./resource-entries.ts";
import { readUri } from "./resource-uri.ts";

export interface AgentResourcesOptions {
  duet: Pick<Duet, "store">;
  runs: LiveRuns;
  caller: Caller;
  locale: Locale;
}

export interface AgentResources extends ResourceCapability {
  read(uri: string): Promise<ReadResourceResult | undefined>;
  /** `listener` is told when a run of the caller's begins or ends; until the function that it gives is called. */
  onChange(listener: (list: List) => void): () => void;
}

/** Conversations and runs that are listed, each; the others are read by their ids. */
const mostListed = 50;

/** A caller's conversations and traces. Methods reject as the store does. */
export function createAgentResources({ duet, runs, caller, locale }: AgentResourcesOptions): AgentResources {
  /** The trace; of a run that goes on, or was not kept, what is known of it. */
  async function readRun(id: string): Promise<object | undefined> {
    const live = runs.find(id, caller);
    if (live && live.outcome === undefined) return live.snapshot();
    const store = await duet.store(caller);
    const trace = await store.trace(id);
    return trace ? hideCauseInTrace(trace, locale) : live?.outcome;
  }

  async function readConversation(id: string): Promise<object | undefined> {
    const store = await duet.store(caller);
    const conversation = await store.load(id);
    return conversation && toConversationJson(conversation, await store.runs({ conversationId: id }));
  }

  return {
    async list() {
      const store = await duet.store(caller);
      const [conversations, newest] = await Promise.all([
        store.list({ limit: mostListed, offset: 0 }),
        store.runs({ newest: mostListed }),
      ]);
      const going = [...runs.of(caller)].filter(({ outcome }) => outcome === undefined);
      return [
        ...going.map((run) => toRunResource(entryOf(run), locale)),
        ...conversations.map((entry) => toConversationResource(entry, locale)),
        ...newest.map((run) => toRunResource(run, locale)),
      ];
    },
    templates: async () => listResourceTemplates(locale),
    async read(uri) {
      const named = readUri(uri);
      if (named === undefined) return undefined;
      const found = await (named.kind === "run" ? readRun(named.id) : readConversation(named.id));
      return found && { contents: [{ uri, mimeType: jsonType, text: toBoundedJson(found) }] };
    },
    onChange: (listener) => runs.onChange(caller, () => listener("resources")),
  };
}

function entryOf({ id, question, startedAt }: LiveRun): RunEntry {
  return { id, question, status: "running", startedAt: new Date(startedAt).toISOString() };
}
