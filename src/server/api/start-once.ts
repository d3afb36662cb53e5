import type { Duet } from "../../app/open-duet.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { CallerScope } from "../../runs/run-service.ts";
import { RefusedError } from "../http/response/refusal.ts";
import { type KeyedRequest, otherBody } from "./keyed-runs.ts";

/**
 * Returns the id of a key's run: the one that is active or kept, or the one that `open` begins. The run is marked in the store
 * before it begins, so that it never begins again after a crash. Throws `RefusedError`: 409 when the run has begun and nobody
 * knows its end, 422 when the key was used for a different request, 503 when the run cannot be marked.
 */
export async function startOnce(
  scope: CallerScope,
  key: KeyedRequest,
  open: () => Promise<RunHandle>,
): Promise<string> {
  const { duet, runs, caller } = scope;
  const { runId } = key;
  if (runs.find(runId, caller) !== undefined) return runId;
  const store = await duet.store(caller);
  const before = await markRun(store, key);
  let standsMarked = before !== undefined;
  try {
    // Only now: a run that ends meanwhile, in another process, is kept before its mark is gone.
    const kept = await findStoredRun(store, key);
    if (kept !== undefined) return kept;
    if (before !== undefined)
      throw new RefusedError(before.runId === runId ? describeUnknownEnd(before.begunAt) : otherBody);
    const run = await open();
    standsMarked = run.id === runId;
    if (standsMarked) void removeMarkIfUnstarted(scope, run, store);
    return run.id;
  } finally {
    if (!standsMarked) await removeMark(store, runId);
  }
}

type Store = Awaited<ReturnType<Duet["store"]>>;

async function markRun({ begun }: Store, { runId, beginning }: KeyedRequest) {
  return begun?.mark({ runId, beginning }).catch((): never => {
    throw new RefusedError(notMarked);
  });
}

/** A mark that is left behind only forces the caller to use a new key; nothing runs twice. */
async function removeMark({ begun }: Store, runId: string): Promise<void> {
  await ignoreRejection(begun?.unmark(runId), "a mark that is left behind only forces the caller to use a new key");
}

/** A run that failed before its first step has done nothing, so it is not kept. */
async function removeMarkIfUnstarted({ runs }: CallerScope, run: RunHandle, store: Store): Promise<void> {
  const outcome = await runs.waitForEnd(run, new AbortController().signal);
  if (outcome?.trace_id === "") await removeMark(store, run.id);
}

/** Finds a stored run from before this process, or one that its memory has dropped. */
async function findStoredRun(store: Store, { runId, beginning }: KeyedRequest): Promise<string | undefined> {
  const [earlier] = await store.runs({ beginning });
  if (earlier !== undefined && earlier.id !== runId) throw new RefusedError(otherBody);
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

const notMarked = {
  status: 503,
  error: "overloaded",
  text: {
    zh: "对话存储暂时无法写入，无法保存这个 Idempotency-Key。什么也没有执行。",
    en: "The conversation store cannot be written right now, so this Idempotency-Key cannot be saved. Nothing was run.",
  },
  hint: { zh: "请稍后再试，或不带 Idempotency-Key 提问。", en: "Try again later, or ask without a key." },
  headers: { "retry-after": "5" },
} as const;
