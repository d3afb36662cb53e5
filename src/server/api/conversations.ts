import { readLastChoices } from "../../app/conversations/last-choices.ts";
import type { Caller } from "../../core/caller.ts";
import type { ConversationListJson } from "../../core/schemas/conversation-schema.ts";
import {
  type ConversationJson,
  type StoredRun,
  toConversationJson,
  toEntryJson,
} from "../../core/store/conversation-json.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { RunService } from "../../runs/run-service.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle, Route } from "../http/routes.ts";
import { toJsonResponse } from "./json-response.ts";
import { readPage } from "./page-query.ts";

/** Limits how long the runs of a deleted conversation may take to end, in milliseconds. */
const graceMs = 2000;

/** Serves the caller's conversations. Conversations of other callers are reported as not found. */
export function createConversationRoutes(service: RunService): Readonly<Record<string, Route>> {
  return {
    "/agent/conversations": {
      async GET({ request, caller }) {
        const page = readPage(request);
        return toJsonResponse(await listPage(await service.duet.store(caller), page));
      },
    },
    "/agent/conversations/:id": { GET: read(service), DELETE: remove(service) },
  };
}

async function listPage(
  store: ConversationStore,
  { limit, offset }: { limit: number; offset: number },
): Promise<ConversationListJson> {
  const found = await store.list({ limit: limit + 1, offset });
  const conversations = found.slice(0, limit).map(toEntryJson);
  return { conversations, next_offset: found.length > limit ? offset + limit : null };
}

function read(service: RunService): Handle {
  return async ({ params: { id = "" }, caller }) => {
    const found = await readConversation(service, caller, id);
    if (found === undefined) throw unknownConversationError(id);
    return toJsonResponse(found);
  };
}

/** Active runs come last, as `running`. A conversation that has just begun has nothing else. */
async function readConversation(
  service: RunService,
  caller: Caller,
  id: string,
): Promise<ConversationJson | undefined> {
  const begun = listActiveRuns(service, caller, id).map(toStoredRun).reverse();
  const store = await service.duet.store(caller);
  const [conversation, ended] = await Promise.all([store.load(id), store.runs({ conversationId: id })]);
  // One may have ended in between.
  const going = begun.filter((run) => !ended.some((each) => each.id === run.id));
  if (conversation === undefined && going.length === 0) return undefined;
  const empty = { id, turns: [], summary: undefined, sources: { all: () => [] } };
  const last = ended.length > 0 ? await readLastChoices(store, id) : undefined;
  const choices = last && {
    mode: last.mode,
    models: { function_call: last.models.functionCall, answer: last.models.answer },
  };
  return { ...toConversationJson(conversation ?? empty, [...ended, ...going]), ...choices };
}

function listActiveRuns({ runs }: RunService, caller: Caller, id: string): RunHandle[] {
  return [...runs.listRuns(caller)].filter(
    ({ conversationId, outcome }) => conversationId === id && outcome === undefined,
  );
}

function toStoredRun({ id, question, startedAt }: RunHandle): StoredRun {
  return { id, question, status: "running", startedAt: new Date(startedAt).toISOString() };
}

function remove(service: RunService): Handle {
  return async ({ params: { id = "" }, caller }) => {
    const going = listActiveRuns(service, caller, id);
    // A run that ended later would keep itself, and the conversation with it.
    await Promise.all(going.map((run) => service.runs.cancel(run, graceMs)));
    const store = await service.duet.store(caller);
    const wasThere = await store.remove(id);
    if (!wasThere && going.length === 0) throw unknownConversationError(id);
    service.duet.forget(id, caller);
    service.runs.forgetConversation(id, caller);
    return new Response(null, { status: 204 });
  };
}

function unknownConversationError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的对话（允许：结果中的 conversation_id，或 GET /agent/conversations 列出的）。`,
      en: `There is no conversation ${shown} (allowed: the conversation_id of a result, or one that GET /agent/conversations lists).`,
    },
  });
}
