import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../core/caller.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { RefusedError } from "../http/response/refuse.ts";

/** A request that its caller may send again, and mean one run by it. */
export interface KeyedRequest {
  /** Of the caller and the key. */
  name: string;
  /** Of what is asked for. */
  print: string;
  /** The id of the run that is begun for it: whoever knows both finds it again after a restart. */
  runId: string;
  /** How the ids of all runs of this key begin. */
  beginning: string;
}

/** The header `Idempotency-Key` with what is asked for; undefined without one. Throws `Refused` for a key that is none. */
export function readKey(headers: Headers, { owner, tools }: Caller, asked: unknown): KeyedRequest | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[!-~]{1,200}$/.test(key)) throw new RefusedError({ status: 400, text: noKey(key) });
  const name = hash([owner ?? null, tools ?? null, key]);
  const print = hash(asked);
  const beginning = `run-${name.slice(0, 16)}`;
  return { name, print, beginning, runId: beginning + print.slice(0, 16) };
}

/** The runs that were begun for keys, so that no key ever begins two. */
export interface KeyedRuns {
  /**
   * The id of a key's run, which is begun where there is none or where it is gone: once for all who ask at a time. Throws `Refused`
   * (422) where the key stands for something else.
   */
  join(request: KeyedRequest, run: KeyedRun): Promise<string>;
}

export interface KeyedRun {
  /** Whether it is still to be had: a conversation is deleted with its runs. */
  isThere(runId: string): Promise<boolean>;
  begin(): Promise<string>;
}

/** Keys that are remembered; of older ones the ids of their runs tell. */
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
  const known = await before?.catch(() => undefined);
  return known !== undefined && (await isThere(known)) ? known : begin();
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

export const otherBody = {
  status: 422,
  text: {
    zh: "这个 Idempotency-Key 已用于另一个请求（允许：内容相同的请求，或新的键）",
    en: "this Idempotency-Key was used for another request (allowed: the same request again, or a new key)",
  },
};

function noKey(key: string) {
  return {
    zh: `Idempotency-Key ${showValue(key)} 不可用（允许：1 到 200 个可见的 ASCII 字符，不含空格）`,
    en: `Idempotency-Key ${showValue(key)} is not allowed (allowed: 1 to 200 visible ASCII characters, no spaces)`,
  };
}
