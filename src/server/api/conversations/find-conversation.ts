import type { Caller } from "../../../core/caller.ts";
import type { ConversationEntryJson } from "../../../core/schemas/conversation-schema.ts";
import { toEntryJson } from "../../../core/store/conversations/conversation-json.ts";
import type { ConversationEntry } from "../../../core/store/conversations/entries.ts";
import type { ConversationStore } from "../../../core/store/store.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { ListedRun } from "../../../runs/followed-runs.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import type { RunService } from "../../../runs/run-service.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";

/** Lists the caller's runs of a conversation that go on, the newest first. */
export function listActiveRuns({ runs }: Pick<RunService, "runs">, caller: Caller, id: string): RunHandle[] {
  return [...runs.listRuns(caller)].filter(
    ({ conversationId, outcome }) => conversationId === id && outcome === undefined,
  );
}

/** Lists the caller's runs of a conversation that go on in this process and in others, the newest first. */
export async function listRunsEverywhere(
  service: Pick<RunService, "runs" | "followed">,
  caller: Caller,
  id: string,
): Promise<Omit<ListedRun, "waits">[]> {
  const elsewhere = await service.followed.list(caller);
  const all = [...listActiveRuns(service, caller, id), ...elsewhere.filter((run) => run.conversationId === id)];
  return all.sort((one, other) => other.startedAt - one.startedAt);
}

/** Finds a run of the caller's conversation that goes on in another process. Never rejects: what cannot be read is none. */
export async function findRunElsewhere(
  { followed }: Pick<RunService, "followed">,
  caller: Caller,
  id: string,
): Promise<RunHandle | undefined> {
  async function find(): Promise<RunHandle | undefined> {
    const going = (await followed.list(caller)).find((run) => run.conversationId === id);
    return going && followed.find(going.id, caller);
  }

  return ignoreRejection(find(), "the monitor of the store reports it");
}

/** Cancels the caller's runs of a conversation that go on in other processes. */
export async function cancelElsewhere(
  { runs, followed }: Pick<RunService, "runs" | "followed">,
  caller: Caller,
  { id, graceMs }: { id: string; graceMs: number },
): Promise<void> {
  const going = (await followed.list(caller)).filter((run) => run.conversationId === id);
  const found = await Promise.all(going.map((run) => followed.find(run.id, caller)));
  await Promise.all(found.map((run) => run && runs.cancel(run, graceMs)));
}

/** Returns a conversation as a list shows it, and undefined when the caller has none with that ID. */
export async function findEntry(
  service: RunService,
  caller: Caller,
  id: string,
): Promise<ConversationEntryJson | undefined> {
  const entry = await findStoredEntry(await service.duet.store(caller), id);
  return entry && toRunningEntry(service, caller, entry, await service.followed.list(caller));
}

/** Limits how many conversations a store lists that cannot list one alone. */
const mostListed = 1000;

/** Finds one conversation in the list. The store of an embedding program may list others, too. */
export async function findStoredEntry(store: ConversationStore, id: string): Promise<ConversationEntry | undefined> {
  const [entry] = await store.list({ limit: 1, offset: 0, id });
  if (entry === undefined || entry.id === id) return entry;
  return (await store.list({ limit: mostListed, offset: 0 })).find((each) => each.id === id);
}

/** Returns an entry of the list, which says whether a run goes on. */
export function toRunningEntry(
  service: Pick<RunService, "runs">,
  caller: Caller,
  entry: ConversationEntry,
  elsewhere: readonly ListedRun[],
): ConversationEntryJson {
  const isGoingElsewhere = elsewhere.some(({ conversationId }) => conversationId === entry.id);
  return { ...toEntryJson(entry), running: isGoingElsewhere || listActiveRuns(service, caller, entry.id).length > 0 };
}

/** Returns the caller's store where it has a conversation with that ID. Throws `HttpRefusalError` (404) else. */
export async function openConversationStore(
  { duet }: RunService,
  caller: Caller,
  id: string,
): Promise<ConversationStore> {
  const store = await duet.store(caller);
  if ((await findStoredEntry(store, id)) === undefined) throw unknownConversationError(id);
  return store;
}

export function unknownConversationError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的对话（允许：结果中的 conversation_id，或 GET /agent/conversations 列出的）。`,
      en: `There is no conversation ${shown} (allowed: the conversation_id of a result, or one that GET /agent/conversations lists).`,
    },
  });
}

/** Reports that the store of an embedding program cannot do what is asked for. */
export function unsupportedByStoreError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 409,
    text: {
      zh: "当前的对话存储不支持此操作。",
      en: "The conversation store in use cannot do this.",
    },
  });
}
