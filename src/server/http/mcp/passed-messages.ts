import * as z from "zod";
import { longestRequestId } from "../../../core/store/journal.ts";
import type { FindRecords } from "../../../core/store/shared-records.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { sleep } from "../../../kit/async/timeout.ts";
import { isRecord, tryParseJson } from "../../../kit/json.ts";
import { createRandomHex } from "../../../kit/random.ts";
import { HttpRefusalError } from "../response/refusal.ts";
import { isPrefixedResponse } from "./request-id-prefix.ts";

type Body = Readonly<Record<string, unknown>>;

/** Passes what a client of 2025 sends for its session on to the process that has what it belongs to. */
export interface PassedMessages {
  /**
   * Keeps a response or a cancel, and notifies all processes. Others are dropped, as nobody waits for them. Rejects as the store does, and
   * with an `HttpRefusalError` above the limits, and for a response that no process has taken in time. `onUntaken` is called for such a
   * cancel, of which the client is told at once that it was kept.
   */
  passOn(sessionId: string, body: Body, onUntaken: () => void): Promise<void>;
  /** Notifies all processes that a session has ended. Rejects as the store does. */
  announceEnd(sessionId: string): Promise<void>;
  /** Gives the receiver what other processes pass on. Later calls do nothing. */
  startListening(receiver: MessageReceiver): void;
  close(): void;
}

/** Represents the sessions that this process serves. */
export interface MessageReceiver {
  has(sessionId: string): boolean;
  /** Returns true for a response to a request of this process, and for the cancel of a request that is open here. */
  isOwn(sessionId: string, body: Body): boolean;
  handle(sessionId: string, body: Body): void;
  /** Ends what is left of a session that was ended in another process. */
  close(sessionId: string): void;
}

/** Is how long a message is there for the process that it is for, and how long the end of a session, in milliseconds. */
const takingMs = 3_000;
const endMs = 60_000;

/** Is how often it is looked whether a message was taken, in milliseconds. */
const checkEveryMs = 100;

/** Limits one message, in UTF-16 units of its JSON, and the messages of a session that nobody has taken yet. */
const longestMessage = 1_000_000;
const mostPending = 20;

/** Limits the reason of a cancel, in UTF-16 units. */
const longestReason = 500;

/** Are the pauses before further looks, in milliseconds, where a look has failed, or left a message whose request may be on its way still. */
const pausesMs = [500, 2_000] as const;

const passedBody = z.record(z.string(), z.unknown());

/** Stands in the name of a record for the end of a session, which has no body. */
const endMark = "end-";

export function createPassedMessages(findRecords: FindRecords): PassedMessages {
  const closing = new AbortController();
  /** Maps how the names of messages begin that are to be looked for, "" for all, to the number of looks before. */
  const wanted = new Map<string, number>();
  let receiver: MessageReceiver | undefined;
  let unsubscribe: (() => void) | undefined;
  let isLooking = false;
  let isListening = false;

  /** Returns the name under which the message is kept. */
  async function storeMessage(sessionId: string, body: Body): Promise<string> {
    const records = await findRecords();
    const data = JSON.stringify(body);
    if (data.length > longestMessage) throw tooLongError(data.length);
    const pending = await records.list("mcp-message", toPrefix(sessionId));
    if (pending.length >= mostPending) throw tooManyError();
    const name = `${toPrefix(sessionId)}${createRandomHex()}`;
    // Its sender removes it before that.
    await records.put("mcp-message", name, data, 2 * takingMs);
    // Those who have missed it look for it when they listen again. To earlier programs a session's ID alone says that it has ended.
    await ignoreRejection(records.notifications.publish(`${sessionId} ${name}`), "the record is there");
    return name;
  }

  /** Resolves to false where no process has taken the message in time. None takes it any more then. */
  async function waitUntilTaken(name: string): Promise<boolean> {
    const records = await findRecords();
    const until = performance.now() + takingMs;
    while (performance.now() < until) {
      if ((await records.get("mcp-message", name)) === undefined) return true;
      await sleep(checkEveryMs, closing.signal);
    }
    return !(await records.remove("mcp-message", name));
  }

  /** A process that ends cannot wait for others to take it. */
  async function watchCancel(name: string, onUntaken: () => void): Promise<void> {
    await ignoreRejection(sleep(takingMs, closing.signal), "nobody may have taken it by then");
    if (closing.signal.aborted || (await (await findRecords()).remove("mcp-message", name))) onUntaken();
  }

  /** Returns true where a message was left that is for a session of this process, but not for this process. */
  async function look(prefix: string, { has, isOwn, handle, close }: MessageReceiver): Promise<boolean> {
    const records = await findRecords();
    let isLeft = false;
    for (const name of await records.list("mcp-message", prefix)) {
      const [sessionId = "", id = ""] = name.split("/");
      if (!has(sessionId)) continue;
      if (id.startsWith(endMark)) {
        close(sessionId);
        continue;
      }
      const record = await records.get("mcp-message", name);
      const { data: body } = passedBody.safeParse(tryParseJson(record?.data ?? ""));
      if (body === undefined) continue;
      if (!isOwn(sessionId, body)) isLeft = true;
      // Only one look of one process delivers it.
      else if (await records.remove("mcp-message", name)) handle(sessionId, body);
    }
    return isLeft;
  }

  async function lookForAll(found: MessageReceiver): Promise<void> {
    for (const [prefix, attempt] of wanted) {
      wanted.delete(prefix);
      const isLeft = await ignoreRejection(look(prefix, found), "it is tried again");
      if (isLeft !== false) void ignoreRejection(lookLater(prefix, attempt), "the process ends");
    }
    isLooking = false;
  }

  async function lookLater(prefix: string, attempt: number): Promise<void> {
    const pauseMs = pausesMs[attempt];
    if (pauseMs === undefined) return;
    await sleep(pauseMs, closing.signal);
    lookFor(prefix, attempt + 1);
  }

  function lookFor(prefix: string, attempt = 0): void {
    if (receiver === undefined || closing.signal.aborted) return;
    wanted.set(prefix, Math.min(attempt, wanted.get(prefix) ?? attempt));
    if (isLooking) return;
    isLooking = true;
    void lookForAll(receiver);
  }

  async function listen(): Promise<void> {
    const { notifications } = await findRecords();
    if (closing.signal.aborted) return;
    unsubscribe = notifications.subscribe((text) => {
      const [sessionId = ""] = text?.split(" ") ?? [];
      if (text === undefined) lookFor("");
      else if (receiver?.has(sessionId)) lookFor(toPrefix(sessionId));
    });
  }

  return {
    async passOn(sessionId, body, onUntaken) {
      const isResponse = body.method === undefined;
      const passed = isResponse ? body : toShortCancel(body);
      if (passed === undefined || (isResponse && !isPrefixedResponse(passed))) return;
      const name = await storeMessage(sessionId, passed);
      if (!isResponse) void ignoreRejection(watchCancel(name, onUntaken), "the process ends");
      else if (!(await waitUntilTaken(name))) throw untakenError();
    },
    async announceEnd(sessionId) {
      const records = await findRecords();
      await records.put("mcp-message", `${toPrefix(sessionId)}${endMark}${createRandomHex()}`, "{}", endMs);
      await ignoreRejection(records.notifications.publish(sessionId), "the record is there");
    },
    startListening(given) {
      receiver = given;
      if (isListening) return;
      isListening = true;
      listen().catch(() => {
        isListening = false;
      });
    },
    close() {
      closing.abort();
      unsubscribe?.();
    },
  };
}

/** Returns how the names of a session's messages begin. */
function toPrefix(sessionId: string): string {
  return `${sessionId}/`;
}

/** Returns what of a cancel is passed on; undefined where no request can have such an ID. */
function toShortCancel({ method, params }: Body): Body | undefined {
  const { requestId, reason } = isRecord(params) ? params : {};
  if (typeof requestId === "string" && requestId.length > longestRequestId) return undefined;
  const short = typeof reason === "string" ? { reason: reason.slice(0, longestReason) } : {};
  return { jsonrpc: "2.0", method, params: { requestId, ...short } };
}

function tooLongError(length: number): HttpRefusalError {
  return new HttpRefusalError({
    status: 413,
    text: {
      zh: `这条消息属于另一个副本，转交的消息最长 ${longestMessage} 个字符，收到 ${length} 个`,
      en: `the message is for another replica, and has ${length} characters (at most ${longestMessage} are passed on)`,
    },
  });
}

function tooManyError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 429,
    text: {
      zh: `此会话已有 ${mostPending} 条等待转交给另一个副本的消息，请稍后再试`,
      en: `${mostPending} messages of this session wait to be passed on to another replica; try again later`,
    },
    headers: { "retry-after": String(takingMs / 1000) },
  });
}

/** Tells a person's host that the answer does not count. */
function untakenError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 503,
    text: {
      zh: "三秒内没有副本收下这个答复，它没有生效：发出请求的副本没有响应，或这个请求不属于此会话；如果另一个副本接手了这次运行，会再次询问",
      en: "no replica has taken this response in three seconds, so it does not count: the one that sent the request does not answer, or the request is not of this session; where its run goes on elsewhere, it is asked again",
    },
  });
}
