import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../core/caller.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { RefusedError } from "../http/response/refusal.ts";

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
  /** Is the common prefix of the ids of all runs of this key. */
  beginning: string;
}

/**
 * Reads the header `Idempotency-Key` and combines it with what is asked for. Returns undefined when the header is absent. Throws
 * `RefusedError` for an invalid key.
 */
export function readKey(headers: Headers, { owner, tools }: Caller, asked: unknown): KeyedRequest | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[!-~]{1,200}$/.test(key)) throw new RefusedError({ status: 400, text: describeInvalidKey(key) });
  const name = createHashText([owner ?? null, tools ?? null, key]);
  const print = createHashText(asked);
  const beginning = `run-${name.slice(0, 16)}`;
  return { name, print, beginning, runId: beginning + print.slice(0, 16) };
}

/** Tracks the runs that were begun for keys, so that no key ever begins two. */
export interface KeyedRuns {
  /**
   * Returns the id of the key's run, and begins the run when there is none or it is gone. Concurrent requests share one run.
   * Throws `RefusedError` (422) when the key was used for a different request.
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
  const known = new LRUCache<string, { print: string; runId: Promise<string> }>({ max: mostKeys });
  return {
    join({ name, print }, run) {
      const before = known.get(name);
      if (before !== undefined && before.print !== print) throw new RefusedError(otherBody);
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
  const known = await ignoreRejection(before, "the request that began it is told, and this one begins again");
  return known !== undefined && (await isThere(known)) ? known : begin();
}

function createHashText(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

export const otherBody = {
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
