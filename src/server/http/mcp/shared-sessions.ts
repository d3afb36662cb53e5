import * as z from "zod";
import type { FindRecords } from "../../../core/store/shared-records.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { tryParseJson } from "../../../kit/json.ts";

/** Lets every process that shares the store serve a session, whichever has begun it. Never rejects. */
export interface SharedSessions {
  /** Keeps how a session was begun. */
  add(id: string, begun: SharedSession): Promise<void>;
  /** Returns how a session was begun that still lasts. */
  find(id: string): Promise<SharedSession | undefined>;
  /** Says that a session was used, so that it lasts. Resolves to false where it was ended in another process. */
  markUsed(id: string): Promise<boolean>;
  /** Ends a session, so that no process takes it up any more. */
  remove(id: string): Promise<void>;
  /** Forgets when a session was used that this process serves no more. */
  forget(id: string): void;
}

const begunSession = z.object({
  /** Identifies the owner of the session and its rights. */
  key: z.string(),
  /** Is the body of `initialize`. */
  initialize: z.record(z.string(), z.unknown()),
});

export type SharedSession = z.infer<typeof begunSession>;

/** Sessions are marked as used this often, in milliseconds, or more often where they last shorter. */
const usedMs = 30_000;

export function createSharedSessions(findRecords: FindRecords, idleMs: number): SharedSessions {
  const marked = new Map<string, number>();
  // A session that is marked now and then lasts no shorter than one that is marked at each request.
  const everyMs = Math.min(usedMs, idleMs / 4);
  const lastsMs = idleMs + everyMs;
  const why = "the process that has begun the session serves it";

  return {
    async add(id, begun) {
      const keepRecord = async () => (await findRecords()).put("mcp-session", id, JSON.stringify(begun), lastsMs);
      marked.set(id, performance.now());
      await ignoreRejection(keepRecord(), why);
    },
    async find(id) {
      const get = async () => (await findRecords()).get("mcp-session", id);
      const record = await ignoreRejection(get(), "the client is told to begin anew");
      return begunSession.safeParse(tryParseJson(record?.data ?? "")).data;
    },
    async markUsed(id) {
      const now = performance.now();
      if (now - (marked.get(id) ?? Number.NEGATIVE_INFINITY) < everyMs) return true;
      marked.set(id, now);
      const extend = async () => (await findRecords()).extend("mcp-session", id, lastsMs);
      return (await ignoreRejection(extend(), why)) ?? true;
    },
    forget: (id) => void marked.delete(id),
    async remove(id) {
      marked.delete(id);
      const remove = async () => (await findRecords()).remove("mcp-session", id);
      await ignoreRejection(remove(), "it ends by itself");
    },
  };
}
