import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Duet } from "../../../app/duet.ts";
import type { Caller } from "../../../core/caller.ts";
import { getIdempotencyRecords } from "../../../core/store/idempotency-records.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { sleep } from "../../../kit/async/timeout.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { waitForEnd } from "../../../runs/live/wait-until.ts";
import type { CallerScope } from "../../../runs/run-service.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";

/** Represents a request that its caller may repeat without beginning a second run. */
export interface KeyedRequest {
  /** Is a hash of the caller and the key. */
  name: string;
  /** Is a hash of what is asked for. */
  print: string;
  /**
   * Is the id of the run that is begun for this request. It is derived from the key and the request, so it can be found again
   * after a restart.
   */
  runId: string;
  /** Is the conversation that the request continues; absent for a new one. */
  conversationId?: string | undefined;
  /** Is the common prefix of the ids of all runs of this key. */
  beginning: string;
}

/**
 * Reads the header `Idempotency-Key` and combines it with what is asked for. Returns undefined when the header is absent. Throws
 * `HttpRefusalError` for an invalid key.
 */
export function readKey(headers: Headers, caller: Caller, asked: unknown): KeyedRequest | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  const { name, beginning } = toKeyNames(key, caller);
  const print = createHashText(asked);
  const conversationId = (isRecord(asked) && toText(asked.conversation_id)) || undefined;
  return { name, print, beginning, runId: beginning + print.slice(0, 16), conversationId };
}

/** Names a key of a caller, and gives how the IDs of its runs begin. Throws `HttpRefusalError` for an invalid key. */
export function toKeyNames(key: string, { owner, tools }: Caller): Pick<KeyedRequest, "name" | "beginning"> {
  if (!/^[!-~]{1,200}$/.test(key)) throw new HttpRefusalError({ status: 400, text: describeInvalidKey(key) });
  const name = createHashText([owner ?? null, tools ?? null, key]);
  return { name, beginning: `run-${name.slice(0, 16)}` };
}

/** Tracks the runs that were begun for keys, so that no key ever begins two. */
export interface KeyedRuns {
  /**
   * Returns the id of the key's run, and begins the run when there is none or it is gone. Concurrent requests share one run.
   * Throws `HttpRefusalError` (422) when the key was used for a different request.
   */
  join(request: KeyedRequest, run: KeyedRun): Promise<string>;
}

export interface KeyedRun {
  /** Returns true when the run still exists; a conversation is deleted together with its runs. */
  isThere(runId: string): Promise<boolean>;
  begin(): Promise<string>;
}

/** Limits the keys that are remembered. Older keys are recognised by the ids of their runs. */
const mostKeys = 20_000;

export function createKeyedRuns(): KeyedRuns {
  // With `max` the cache would allocate all places at the start.
  const known = new LRUCache<string, { print: string; runId: Promise<string> }>({
    maxSize: mostKeys,
    sizeCalculation: () => 1,
  });
  return {
    join({ name, print }, run) {
      const before = known.get(name);
      if (before !== undefined && before.print !== print) throw new HttpRefusalError(otherBody);
      // Each waits for the one before it, so that of many who find the run gone one begins it.
      const entry = { print, runId: findOrBegin(before?.runId, run) };
      known.set(name, entry);
      // What could not be begun may be tried again.
      entry.runId.catch(() => known.get(name) === entry && known.delete(name));
      return entry.runId;
    },
  };
}

async function findOrBegin(before: Promise<string> | undefined, { isThere, begin }: KeyedRun): Promise<string> {
  const known = await ignoreRejection(
    before,
    "the request that began it reports the failure, and this one begins again",
  );
  return known !== undefined && (await isThere(known)) ? known : begin();
}

function createHashText(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

const otherBody = {
  status: 422,
  text: {
    zh: "这个 Idempotency-Key 已用于另一个请求（允许：内容相同的请求，或新的键）",
    en: "this Idempotency-Key was used for another request (allowed: the same request again, or a new key)",
  },
};

function describeInvalidKey(key: string) {
  return {
    zh: `Idempotency-Key ${showValue(key)} 不可用（允许：1 到 200 个可见的 ASCII 字符，不含空格）`,
    en: `Idempotency-Key ${showValue(key)} is not allowed (allowed: 1 to 200 visible ASCII characters, no spaces)`,
  };
}

export interface KeyedStart {
  open(): Promise<RunHandle>;
  /**
   * Is true when the run is to begin even where it cannot be recorded, so that the key is known to this process alone: a person
   * waits for it, and reads that nothing is saved.
   */
  isRecordOptional: boolean;
}

/**
 * Returns the id of a key's run: the one that is active or kept, or the one that `open` begins. The run is recorded in the
 * store before it begins, so that it never begins again after a crash; one that a crash has interrupted goes on. Throws
 * `HttpRefusalError`: 409 when another process carries out the run, or when it has begun and nobody knows its end; 422 when the key
 * was used for a different request; 503 when the run cannot be recorded.
 */
export async function startOnce(
  scope: CallerScope,
  key: KeyedRequest,
  { open, isRecordOptional }: KeyedStart,
): Promise<string> {
  const { duet, runs, resumer, caller } = scope;
  const { runId } = key;
  if (isKnown(runs.find(runId, caller))) return runId;
  const store = await duet.store(caller);
  const adding = addRecord(store, key);
  const before = await (isRecordOptional ? ignoreRejection(adding, "the run says that it is not saved") : adding);
  let keepsRecord = before !== undefined;
  try {
    // Only now: a run that ends meanwhile, in another process, is kept before its record is gone.
    const kept = await findStoredRun(store, key);
    if (kept !== undefined) return kept;
    if (before !== undefined && before.runId !== runId) throw new HttpRefusalError(otherBody);
    if (before !== undefined) {
      const resumed = (await resumer.resume(runId, caller)) ?? (await findStartedElsewhere(scope, runId));
      if (resumed !== undefined) return runId;
      // The process that kept the key may have ended before it began the run. One that lives may begin it, and end it, at any moment.
      if (!(await duet.storedRuns.mayBegin(runId))) {
        // Another process that has waited as long may have begun it just now.
        if ((await scope.followed.find(runId, caller)) !== undefined) return runId;
        if (await duet.storedRuns.isGoing(runId)) throw new HttpRefusalError(runsElsewhere);
        const ended = await findStoredRun(store, key);
        if (ended !== undefined) return ended;
        throw new HttpRefusalError(describeUnknownEnd(before.begunAt));
      }
    }
    const run = await open();
    keepsRecord = run.id === runId;
    if (keepsRecord) void removeRecordIfUnstarted(run, store);
    return run.id;
  } finally {
    if (!keepsRecord) await removeRecord(store, runId);
  }
}

/** Is how long a run may take in another process between its record and its beginning, in milliseconds, and how often that is looked at. */
const longestStartMs = 2_000;
const lookEveryMs = 100;

/** Finds a run that another process of a shared store has recorded, and begins. */
async function findStartedElsewhere(
  { duet, followed, caller }: CallerScope,
  runId: string,
): Promise<RunHandle | undefined> {
  if (!(await duet.storedRuns.openShared()).isShared) return undefined;
  for (let leftMs = longestStartMs; ; leftMs -= lookEveryMs) {
    const run = await followed.find(runId, caller);
    if (run !== undefined || leftMs <= 0) return run;
    await sleep(lookEveryMs);
  }
}

/** Returns the ID of the run that has begun for a key, and undefined where none has. Throws as `checkSameRequest` does. */
export async function findKeyedRun(
  { duet, runs, caller }: Pick<CallerScope, "duet" | "runs" | "caller">,
  key: KeyedRequest,
): Promise<string | undefined> {
  if (runs.find(key.runId, caller) !== undefined) return key.runId;
  return findStoredRun(await duet.store(caller), key);
}

/** Throws `HttpRefusalError` (422) where the key was used for a different request. */
export function checkSameRequest(before: KeyedRequest, now: KeyedRequest | undefined): void {
  if (before.print !== now?.print) throw new HttpRefusalError(otherBody);
}

type Store = Awaited<ReturnType<Duet["store"]>>;

async function addRecord(store: Store, { runId, beginning, conversationId }: KeyedRequest) {
  return getIdempotencyRecords(store)
    ?.add({ runId, beginning, conversationId })
    .catch((): never => {
      throw new HttpRefusalError(notRecorded);
    });
}

/** A record that is left behind only forces the caller to use a new key; nothing runs twice. */
async function removeRecord(store: Store, runId: string): Promise<void> {
  const removal = getIdempotencyRecords(store)?.remove(runId);
  await ignoreRejection(removal, "a record that is left behind only forces the caller to use a new key");
}

/** A run that failed before its first step has done nothing, so its record is not kept. */
async function removeRecordIfUnstarted(run: RunHandle, store: Store): Promise<void> {
  await waitForEnd(run, new AbortController().signal);
  if (!isKnown(run)) await removeRecord(store, run.id);
}

/** Returns false for a run that failed before its first step, too: its key begins it anew. */
export function isKnown(run: RunHandle | undefined): boolean {
  return run !== undefined && run.outcome?.trace_id !== "";
}

/** Finds a stored run from before this process, or one that its memory has dropped. */
async function findStoredRun(store: Store, { runId, beginning }: KeyedRequest): Promise<string | undefined> {
  const [earlier] = await store.runs({ beginning });
  if (earlier !== undefined && earlier.id !== runId) throw new HttpRefusalError(otherBody);
  return earlier?.id;
}

function describeUnknownEnd(begunAt: string) {
  return {
    status: 409,
    text: {
      zh: `这个 Idempotency-Key 的运行始于 ${begunAt}，结果未知，做过什么也未知；没有再次执行。`,
      en: `The run of this Idempotency-Key started at ${begunAt}; its outcome and its effects are unknown. It was not run again.`,
    },
    hint: {
      zh: "请先确认它可能做过什么，再用新的键重新提问。",
      en: "Check what it may have done; use a new key to ask again.",
    },
  };
}

const runsElsewhere = {
  status: 409,
  text: {
    zh: "这个 Idempotency-Key 的运行正由另一个进程执行，尚未结束；没有再次执行。",
    en: "The run of this Idempotency-Key is still going on in another process. It was not run again.",
  },
  hint: {
    zh: "请稍后用同一个键再问，即可得到它的结果。",
    en: "Ask again later with the same key: it then gives the result.",
  },
  headers: { "retry-after": "5" },
};

const notRecorded = {
  status: 503,
  error: "overloaded",
  text: {
    zh: "对话存储暂时无法写入，无法保存这个 Idempotency-Key。什么也没有执行。",
    en: "The conversation store cannot be written right now, so this Idempotency-Key cannot be saved. Nothing was run.",
  },
  hint: { zh: "请稍后再试，或不带 Idempotency-Key 提问。", en: "Try again later, or ask without a key." },
  headers: { "retry-after": "5" },
} as const;
