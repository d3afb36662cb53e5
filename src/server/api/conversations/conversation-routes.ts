import { LRUCache } from "lru-cache";
import { readLastChoices } from "../../../app/conversations/last-choices.ts";
import type { Caller } from "../../../core/caller.ts";
import {
  type ConversationListJson,
  conversationChangesSchema,
  type DiscardedConversationJson,
} from "../../../core/schemas/conversation-schema.ts";
import { listBranchTurns, type TurnTree } from "../../../core/store/conversations/branches.ts";
import {
  type ConversationJson,
  type StoredRun,
  toConversationJson,
  toLastRunJson,
} from "../../../core/store/conversations/conversation-json.ts";
import { longestTitle } from "../../../core/store/conversations/conversation-title.ts";
import type { ConversationStore } from "../../../core/store/store.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { weighEnd } from "../../../runs/finished-runs.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { clientLeft, createLeaveSignal } from "../../http/connection.ts";
import { readJsonBody } from "../../http/request/read-body.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { Handle, Route, RouteCall } from "../../http/routes.ts";
import type { ApiContext } from "../api-context.ts";
import { toJsonResponse } from "../json-response.ts";
import { pageLimits, readFlag, readNumber, readPage, readSearch } from "../page-query.ts";
import { readFields } from "../read-fields.ts";
import {
  cancelElsewhere,
  findEntry,
  findStoredEntry,
  listActiveRuns,
  listRunsEverywhere,
  openConversationStore,
  toRunningEntry,
  unknownConversationError,
  unsupportedByStoreError,
} from "./find-conversation.ts";
import type { WaitingQuestion } from "./waiting-question.ts";

/** Limits how long the runs of a deleted conversation may take to end, in milliseconds. */
const graceMs = 2000;

/** Is how long a deletion can be taken back, in milliseconds. */
export const undoMs = 30_000;

/** Holds what a restored conversation gets back besides what is stored. */
interface DiscardedConversation {
  readonly runs: readonly RunHandle[];
  readonly waiting: readonly WaitingQuestion[];
}

type DiscardedConversations = LRUCache<string, DiscardedConversation>;

/** Limits the deleted conversations of which more is held than what is stored. */
const mostDiscarded = 1_000;

/** Limits what their runs take, in UTF-16 units. Their questions count among those that wait. */
const heaviestDiscarded = 40_000_000;

function openDiscarded({ queue }: ApiContext): DiscardedConversations {
  return new LRUCache({
    max: mostDiscarded,
    maxSize: heaviestDiscarded,
    sizeCalculation: ({ runs }) => runs.reduce((sum, run) => sum + weighEnd(run), 1),
    ttl: undoMs,
    ttlAutopurge: true,
    dispose: ({ waiting }) => queue.release(waiting),
  });
}

function toDiscardedKey({ owner, tools }: Caller, id: string): string {
  return JSON.stringify([owner, tools, id]);
}

/** Serves the caller's conversations. Conversations of other callers are reported as not found. */
export function createConversationRoutes(api: ApiContext): Readonly<Record<string, Route>> {
  const discarded = openDiscarded(api);
  return {
    "/agent/conversations": { GET: (call) => listPage(api, call) },
    "/agent/conversations/:id": {
      GET: (call) => read(api, call),
      PATCH: (call) => change(api, call),
      DELETE: (call) => remove(api, call, discarded),
    },
    "/agent/conversations/:id/restore": { POST: createRestoreRoute(api, discarded) },
  };
}

async function listPage(api: ApiContext, { request, caller, connection }: RouteCall): Promise<Response> {
  const { limit, offset } = readPage(request);
  const wanted = { offset, search: readSearch(request), isPinned: readFlag(request, "pinned") };
  const store = await api.duet.store(caller);
  const signal = createLeaveSignal(connection);
  const list = () => store.list({ ...wanted, limit: limit + 1, signal });
  const found = await (wanted.search === undefined ? list() : searchInTurn(api, caller, list, signal)).catch(
    (thrown: unknown) => {
      if (signal.aborted) return undefined;
      throw thrown;
    },
  );
  if (found === undefined) return new Response(null, { status: clientLeft });
  const elsewhere = await api.followed.list(caller);
  return toJsonResponse({
    conversations: found.slice(0, limit).map((entry) => toRunningEntry(api, caller, entry, elsewhere)),
    next_offset: found.length > limit ? offset + limit : null,
  } satisfies ConversationListJson);
}

/** Searches for one page of a caller at a time: who types fast asks more often than a long search takes. */
async function searchInTurn<T>(
  api: ApiContext,
  caller: Caller,
  search: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const release = await api.searches(JSON.stringify([caller.owner, caller.tools]), signal);
  try {
    return await search();
  } finally {
    release();
  }
}

async function read(api: ApiContext, { request, params: { id = "" }, caller }: RouteCall): Promise<Response> {
  const branch = readNumber(request, "branch", { from: 1, to: pageLimits.offset.to, otherwise: 0 }) || undefined;
  const found = await readConversation(api, { caller, id, branch });
  if (found === undefined) throw unknownConversationError(id);
  return toJsonResponse(found);
}

interface ConversationReading {
  caller: Caller;
  id: string;
  branch: number | undefined;
}

/** Active runs come last, as `running`. A conversation that has just begun has nothing else. */
async function readConversation(
  api: ApiContext,
  { caller, id, branch }: ConversationReading,
): Promise<ConversationJson | undefined> {
  const begun = (await listRunsEverywhere(api, caller, id)).map(toStoredRun).reverse();
  const store = await api.duet.store(caller);
  const [conversation, tree, ended, entry] = await Promise.all([
    store.load(id, branch),
    store.branches?.read(id),
    store.runs({ conversationId: id }),
    findStoredEntry(store, id),
  ]);
  // One may have ended in between.
  const going = begun.filter((run) => !ended.some((each) => each.id === run.id));
  if (conversation === undefined && going.length === 0) return undefined;
  if (branch !== undefined && !tree?.branches.some((each) => each.branch === branch))
    throw unknownBranchError(branch, tree);
  const empty = { id, turns: [], summary: undefined, sources: { all: () => [] } };
  const known = toConversationJson(conversation ?? empty, [...ended, ...going]);
  const last = entry?.lastRun ?? (await findLastRun(store, id, ended));
  return {
    ...known,
    ...(entry && { named_by_person: entry.isNamed ?? false, pinned: entry.isPinned ?? false }),
    ...(last && toLastRunJson(last)),
    ...(tree && toTreeJson(tree, conversation?.branch, known.turns)),
  };
}

/** Stores of earlier versions do not know it of a conversation itself. */
async function findLastRun(store: ConversationStore, id: string, ended: readonly StoredRun[]) {
  const last = ended.length > 0 ? await readLastChoices(store, id) : undefined;
  return last && { mode: last.mode, ...last.models };
}

function toTreeJson(
  { turns, branches, current }: TurnTree,
  branch = current,
  shown: ConversationJson["turns"],
): Pick<ConversationJson, "branch" | "branches" | "tree" | "turns"> {
  const path = listBranchTurns({ turns, branches, current }, branch);
  return {
    branch,
    branches: branches.map((each) => ({ branch: each.branch, tip: each.tip })),
    tree: turns.map(({ n, parent, runId: run_id }) => ({ n, parent, run_id })),
    turns: shown.map((turn, index) => {
      const node = path[index];
      if (node === undefined) return turn;
      const { n, parent, runId: run_id, feedback } = node;
      return { ...{ n, parent, run_id }, ...(feedback && { feedback }), ...turn };
    }),
  };
}

function toStoredRun({ id, question, startedAt }: Pick<RunHandle, "id" | "question" | "startedAt">): StoredRun {
  return { id, question, status: "running", startedAt: new Date(startedAt).toISOString() };
}

async function change(api: ApiContext, call: RouteCall): Promise<Response> {
  const { caller, params } = call;
  const { id = "" } = params;
  const body = await readJsonBody(call, api.settings.http.maxBody);
  const { title, pinned, branch } = readFields(conversationChangesSchema, body);
  const store = await openConversationStore(api, caller, id);
  if (branch !== undefined && !(await store.branches?.select(id, branch)))
    throw unknownBranchError(branch, await store.branches?.read(id));
  if (title !== undefined || pinned !== undefined) {
    if (store.change === undefined) throw unsupportedByStoreError();
    const name = title === undefined ? undefined : toShortLine(title, longestTitle);
    await store.change(id, { name, isPinned: pinned });
  }
  return answerWithEntry(api, caller, id);
}

async function answerWithEntry(api: ApiContext, caller: Caller, id: string): Promise<Response> {
  const entry = await findEntry(api, caller, id);
  if (entry === undefined) throw unknownConversationError(id);
  api.changes.tell(caller, { type: "conversation", id });
  return toJsonResponse(entry);
}

function unknownBranchError(branch: number, tree: TurnTree | undefined): HttpRefusalError {
  const allowed = tree?.branches.map((each) => each.branch).join(", ") ?? "1";
  const shown = showValue(branch);
  return new HttpRefusalError({
    status: 400,
    text: {
      zh: `branch: 此对话没有分支 ${shown}（允许：${allowed}）`,
      en: `branch: this conversation has no branch ${shown} (allowed: ${allowed})`,
    },
  });
}

async function remove(
  api: ApiContext,
  { request, params: { id = "" }, caller }: RouteCall,
  discarded: DiscardedConversations,
): Promise<Response> {
  const canUndo = readFlag(request, "undo") ?? false;
  const waiting = await api.queue.clear(caller, id);
  const going = listActiveRuns(api, caller, id);
  // A run that ended later would keep itself, and the conversation with it.
  await Promise.all(going.map((run) => api.runs.cancel(run, graceMs)));
  await cancelElsewhere(api, caller, { id, graceMs });
  const { until, wasThere } = await removeStored(await api.duet.store(caller), id, canUndo).catch((thrown: unknown) => {
    api.queue.restore(waiting);
    throw thrown;
  });
  // What was asked or has begun meanwhile goes with it.
  waiting.push(...(await api.queue.clear(caller, id)));
  await Promise.all(listActiveRuns(api, caller, id).map((run) => api.runs.cancel(run, graceMs)));
  if (!wasThere && going.length === 0) throw unknownConversationError(id);
  api.duet.forget(id, caller);
  const runs = api.runs.forgetConversation(id, caller);
  api.changes.tell(caller, { type: "removed", id, until });
  if (until === undefined) return new Response(null, { status: 204 });
  const key = toDiscardedKey(caller, id);
  discarded.set(key, { runs, waiting });
  if (discarded.has(key)) api.queue.hold(waiting);
  const said = { conversation_id: id, restorable_until: new Date(until).toISOString() };
  return toJsonResponse(said satisfies DiscardedConversationJson, 202);
}

async function removeStored(
  store: ConversationStore,
  id: string,
  canUndo: boolean,
): Promise<{ until: number | undefined; wasThere: boolean }> {
  const until = canUndo ? await store.discard?.(id, undoMs) : undefined;
  return { until, wasThere: until !== undefined || (await store.remove(id)) };
}

function createRestoreRoute(api: ApiContext, discarded: DiscardedConversations): Handle {
  const restore: Handle = async ({ params: { id = "" }, caller }) => {
    const store = await api.duet.store(caller);
    if (!(await store.restore?.(id))) throw unknownConversationError(id);
    const { runs = [], waiting = [] } = discarded.get(toDiscardedKey(caller, id)) ?? {};
    discarded.delete(toDiscardedKey(caller, id));
    api.runs.restoreRuns(runs);
    api.queue.restore(waiting);
    return answerWithEntry(api, caller, id);
  };
  return Object.assign(restore, { readsNoBody: true as const });
}
