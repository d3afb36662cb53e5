import * as z from "zod";
import type { FindRecords } from "../../../core/store/shared-records.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { sleep } from "../../../kit/async/timeout.ts";
import { tryParseJson } from "../../../kit/json.ts";
import { createRandomHex } from "../../../kit/random.ts";

/** Lets every process that shares the store serve a session, whichever has begun it. Only `passOn` rejects, as the store does. */
export interface SharedSessions {
  /** Keeps how a session was begun. */
  add(id: string, begun: SharedSession): Promise<void>;
  /** Returns how a session was begun that still lasts. */
  find(id: string): Promise<SharedSession | undefined>;
  /** Says that a session was used, so that it lasts. Resolves to false where it was ended in another process. */
  markUsed(id: string): Promise<boolean>;
  /** Ends a session in all processes. Its client is told when it has ended. */
  remove(id: string): Promise<void>;
  /** Forgets when a session was used that this process serves no more. */
  forget(id: string): void;
  /** Passes a message of a session's client on to the process that has what it belongs to. */
  passOn(id: string, body: Readonly<Record<string, unknown>>): Promise<void>;
  /** Gives the receiver what other processes pass on, from the first time on. A pooler without `LISTEN` brings nothing. */
  receive(receiver: SessionReceiver): void;
  /** Hears nothing any more. */
  close(): void;
}

/** Receives what belongs to the sessions that this process serves, too. */
export interface SessionReceiver {
  has(id: string): boolean;
  /** Returns true where the message belongs to something here. */
  take(id: string, body: Readonly<Record<string, unknown>>): boolean;
  /** Is called for a session that was ended in another process. */
  end(id: string): void;
}

/** Is how long a message may wait to be read that was passed on, and after which pauses it is told again, in milliseconds. */
const messageMs = 60_000;
const pausesMs = [500, 1_500, 3_000] as const;

const passedMessage = z.record(z.string(), z.unknown());

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
  let stop: (() => void) | undefined;
  let isListening = false;
  let isClosed = false;

  async function handleText(text: string, { has, take, end }: SessionReceiver): Promise<void> {
    const [id = "", name = ""] = text.split(" ");
    if (!has(id)) return;
    if (name === "") return end(id);
    const records = await findRecords();
    const record = await records.get("mcp-message", name);
    const { data } = passedMessage.safeParse(tryParseJson(record?.data ?? ""));
    if (data && take(id, data)) await records.remove("mcp-message", name);
  }

  async function listen(receiver: SessionReceiver): Promise<void> {
    const { messages } = await findRecords();
    if (isClosed) return;
    stop = messages?.hear((text) => void ignoreRejection(handleText(text, receiver), "its sender tells it again"));
  }

  /** Tells of a message until it was taken: a process that is just beginning to listen has missed it. What nobody takes is removed. */
  async function sendAgain(id: string, name: string): Promise<void> {
    const records = await findRecords();
    for (const pauseMs of pausesMs) {
      await sleep(pauseMs);
      if (isClosed || (await records.get("mcp-message", name)) === undefined) return;
      await sendText(`${id} ${name}`);
    }
    await sleep(pausesMs[0]);
    await records.remove("mcp-message", name);
  }

  async function sendText(text: string): Promise<void> {
    await (await findRecords()).messages?.tell(text);
  }

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
      await ignoreRejection(sendText(id), "it ends there when it is used next");
    },
    async passOn(id, body) {
      const name = createRandomHex();
      await (await findRecords()).put("mcp-message", name, JSON.stringify(body), messageMs);
      await ignoreRejection(sendText(`${id} ${name}`), "it is told again");
      void ignoreRejection(sendAgain(id, name), "it ends by itself");
    },
    receive(receiver) {
      if (isListening) return;
      isListening = true;
      listen(receiver).catch(() => {
        isListening = false;
      });
    },
    close() {
      isClosed = true;
      stop?.();
    },
  };
}
