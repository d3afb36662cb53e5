import type { AgentEvent } from "../../../core/run/events.ts";
import type { Delivery } from "../../../core/run/run-inbox.ts";
import {
  type AskedQuestion,
  leastQuestionMs,
  type MessageReply,
  type PostedQuestion,
  type QuestionPlace,
  type RunMailbox,
  type RunMessage,
} from "../../../core/store/run-mailbox.ts";
import type { RunUpdate, SharedRun, SharedRuns } from "../../../core/store/shared-runs.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { sleep } from "../../../kit/async/timeout.ts";
import { getMessage } from "../../../kit/errors.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { createRandomHex } from "../../../kit/random.ts";
import { toEvents, toInterruptedRun } from "../../sql/conversations/journal-rows.ts";
import type { Row } from "../../sql/work.ts";
import type { PostgresConnection } from "../connection.ts";
import { createGroupedWrites } from "../grouped-writes.ts";
import type { Notifications } from "../notifications.ts";
import { isQuestion, readNotification, toMailText, toMessage, toReply } from "./run-messages.ts";
import { runTexts } from "./run-texts.ts";

/** Is how often what other processes say to a run is looked for, however they are notified, in milliseconds. */
const lookEveryMs = 1_000;

/** Is how long a message waits for the process of its run, in milliseconds, and how often its answer is looked for, however it is notified. */
const longestReplyMs = 3_000;

const replyEveryMs = 250;

const deliveries = ["next_step", "after_run", "refused"] as const satisfies readonly Delivery[];

const joinReplies = ["joined", "refused"] as const satisfies readonly MessageReply[];

export interface PostgresRuns extends SharedRuns {
  /** Connects a run that this process holds. */
  openMailbox(runId: string, epoch: number): RunMailbox;
  close(): void;
}

/** Names who holds the runs of this process, and how it hears of others. */
export interface PostgresRunsOptions {
  holder: string;
  notifications: Pick<Notifications, "listen">;
}

/** Lets the processes that share a database follow and steer the runs of each other. */
export function createPostgresRuns(
  connection: PostgresConnection,
  { holder, notifications }: PostgresRunsOptions,
): PostgresRuns {
  const watchers = new Map<string, Set<() => void>>();
  const mailboxes = new Map<string, Set<(message: RunMessage) => void>>();
  let stopListening: (() => void) | undefined;
  let looking: NodeJS.Timeout | undefined;
  let isReading = false;
  let mayHaveMissed = false;

  function notifyWatchers(runId: string): void {
    for (const listener of watchers.get(runId) ?? []) listener();
  }

  function handleNotification(text: string | undefined): void {
    const { isMail, runs } = text === undefined ? { isMail: true, runs: undefined } : readNotification(text);
    for (const runId of runs ?? watchers.keys()) notifyWatchers(runId);
    if (isMail && (runs?.some((runId) => mailboxes.has(runId)) ?? mailboxes.size > 0)) readMail();
  }

  /** Listens from the first time on, until the store is closed. */
  function listen(): void {
    stopListening ??= notifications.listen(handleNotification);
  }

  /** One look at a time: what comes during one is found by the next. */
  function readMail(): void {
    mayHaveMissed = true;
    if (!isReading) void readAllMail();
  }

  async function readAllMail(): Promise<void> {
    isReading = true;
    try {
      while (mayHaveMissed && mailboxes.size > 0) {
        mayHaveMissed = false;
        const query = connection.query("read-mail", runTexts.readMail, [holder, [...mailboxes.keys()]]);
        const { rows } = (await ignoreRejection(query, "the next look finds it")) ?? { rows: [] };
        for (const row of rows) handleMessage(row);
      }
    } finally {
      isReading = false;
    }
  }

  /** A defect in what one run does with a message must not cost other runs theirs, which are read already. */
  function handleMessage({ run, data }: Row): void {
    const message = toMessage(JSON.parse(toText(data)));
    if (message === undefined) return;
    for (const listener of mailboxes.get(toText(run)) ?? []) {
      try {
        listener(message);
      } catch (thrown) {
        process.emitWarning(getMessage(thrown));
      }
    }
  }

  const readNews = createGroupedWrites(async (wanted: readonly { run: string; from: number }[]) => {
    const lists = [wanted.map(({ run }) => run), wanted.map(({ from }) => from)];
    const { rows } = await connection.query("read-news", runTexts.readNews, lists);
    return rows.map(toNews);
  });

  /** Returns the number of rows, which is 0 for a run that has ended. */
  async function send(runId: string, message: object, stays = false): Promise<number> {
    const values = [runId, JSON.stringify(message), Number(stays), toMailText(runId)];
    return (await connection.query("send-mail", runTexts.send, values)).changes;
  }

  async function removeMail(runId: string, messages: readonly object[]): Promise<unknown[]> {
    const values = [runId, messages.map((message) => JSON.stringify(message))];
    const { rows } = await connection.query("remove-mail", runTexts.removeMail, values);
    return rows.map(({ data }) => JSON.parse(toText(data)));
  }

  async function takeReply<T extends MessageReply>(
    runId: string,
    id: string,
    replies: readonly T[],
  ): Promise<T | undefined> {
    const [taken] = await removeMail(
      runId,
      replies.map((reply) => toReply(id, reply)),
    );
    return replies.find((reply) => isRecord(taken) && taken.delivery === reply);
  }

  /**
   * Sends a message to the process that carries out the run, and waits for one of these replies. Undefined where none has come in time;
   * "ended" for a run that has.
   */
  async function ask<T extends MessageReply>(
    runId: string,
    sent: { type: "say"; text: string } | { type: "join"; sessionId: string | undefined },
    replies: readonly T[],
  ): Promise<T | "ended" | undefined> {
    const message = { ...sent, id: createRandomHex() };
    const until = performance.now() + longestReplyMs;
    let told = Promise.withResolvers<void>();
    listen();
    const stopWatching = add(watchers, runId, () => told.resolve());
    try {
      if ((await send(runId, message)) === 0) return "ended";
      for (;;) {
        told = Promise.withResolvers();
        const leftMs = until - performance.now();
        // What its process has read meanwhile can be taken back no more.
        const isTakenBack = leftMs <= 0 && (await removeMail(runId, [message])).length > 0;
        const reply = isTakenBack ? undefined : await takeReply(runId, message.id, replies);
        if (reply !== undefined || leftMs <= 0) return reply;
        await Promise.race([told.promise, sleep(Math.min(leftMs, replyEveryMs))]);
      }
    } finally {
      stopWatching();
    }
  }

  async function claim(runId: string, questionId: string, reply: unknown): Promise<boolean> {
    const json = JSON.stringify(reply ?? null);
    const { changes } = await connection.query("claim", runTexts.claim, [runId, questionId, json, toMailText(runId)]);
    return changes > 0;
  }

  function openMailbox(runId: string, epoch: number): RunMailbox {
    /** Closes a question as the run's holder, without a reply. */
    async function close(how: "giveUp" | "withdraw", questionId: string): Promise<boolean> {
      const values = [runId, questionId, holder, epoch, toMailText(runId)];
      const { changes } = await connection.query(how, runTexts[how], values);
      return changes > 0;
    }

    return {
      receive(listener) {
        listen();
        const end = add(mailboxes, runId, listener);
        looking ??= setInterval(readMail, lookEveryMs).unref();
        readMail();
        return () => {
          end();
          if (mailboxes.size > 0) return;
          clearInterval(looking);
          looking = undefined;
        };
      },
      async post({ id, question, until }): Promise<QuestionPlace> {
        const leftMs = until - Date.now();
        const values = [runId, holder, epoch, id, JSON.stringify(question), leftMs, toMailText(runId), leastQuestionMs];
        const { rows } = await connection.query("post-question", runTexts.post, values);
        const [known] = rows;
        if (typeof known?.id !== "string") return { id };
        const reply: unknown = typeof known.reply === "string" ? JSON.parse(known.reply) : undefined;
        const place = { id: known.id, until: Date.now() + Number(known.left_ms) };
        return { ...place, ...(reply !== undefined && { answer: { reply: reply ?? undefined } }) };
      },
      claim: (questionId, reply) =>
        reply === undefined ? close("giveUp", questionId) : claim(runId, questionId, reply),
      withdraw(questionId) {
        void ignoreRejection(close("withdraw", questionId), "nobody can answer it, and it goes with its run");
      },
      reply(messageId, reply) {
        void ignoreRejection(send(runId, toReply(messageId, reply), true), "whoever waits for it learns nothing");
      },
    };
  }

  return {
    isShared: true,
    openMailbox,
    async find(runId, owner = undefined) {
      const { rows } = await connection.query("find-run", runTexts.find, [runId]);
      const run = rows[0] && toSharedRun(rows[0]);
      return run?.owner === owner ? run : undefined;
    },
    async list(owner) {
      const { rows } = await connection.query("list-runs", runTexts.list, [owner ?? null]);
      return rows.flatMap((row) => toSharedRun(row) ?? []);
    },
    async listSame(key, owner) {
      const { rows } = await connection.query("list-same-runs", runTexts.listSame, [
        owner ?? null,
        `"key":${JSON.stringify(key)}`,
      ]);
      return rows.flatMap((row) => toSharedRun(row) ?? []).filter(({ header }) => header.key === key);
    },
    read: (run, from) => readNews({ run, from }),
    watch(runId, listener) {
      listen();
      return add(watchers, runId, listener);
    },
    send: async (runId, message) => void (await send(runId, message, message.type === "stop")),
    async say(runId, text) {
      const reply = await ask(runId, { type: "say", text }, deliveries);
      return reply === "ended" ? "after_run" : reply;
    },
    async join(runId, sessionId) {
      const reply = await ask(runId, { type: "join", sessionId }, joinReplies);
      return reply === undefined ? undefined : reply === "joined";
    },
    answer: claim,
    async listQuestions(runId) {
      const { rows } = await connection.query("list-questions", runTexts.listQuestions, [runId]);
      return rows.flatMap((row) => toAsked(row) ?? []);
    },
    close() {
      stopListening?.();
      clearInterval(looking);
      watchers.clear();
      mailboxes.clear();
    },
  };
}

function add<T>(all: Map<string, Set<T>>, runId: string, listener: T): () => void {
  const listeners = all.get(runId) ?? new Set();
  all.set(runId, listeners.add(listener));
  return () => {
    if (listeners.delete(listener) && listeners.size === 0 && all.get(runId) === listeners) all.delete(runId);
  };
}

function toSharedRun(row: Row): SharedRun | undefined {
  const run = toInterruptedRun(row);
  return run && { ...run, isHeld: row.is_held === 1, waits: row.waits === 1, ageMs: Number(row.age_ms) };
}

function toNews({ is_over, events, id, question, left_ms }: Row): RunUpdate {
  return {
    events: Array.isArray(events) ? events.flatMap((data): AgentEvent[] => toEvents({ data })) : [],
    question: typeof id === "string" ? toPosted(id, JSON.parse(toText(question)), Number(left_ms)) : undefined,
    isOver: is_over === 1,
  };
}

function toPosted(id: string, question: unknown, leftMs: number): PostedQuestion | undefined {
  return isQuestion(question) ? { id, question, until: Date.now() + leftMs } : undefined;
}

function toAsked({ id, question: json, reply }: Row): AskedQuestion | undefined {
  const question: unknown = JSON.parse(toText(json));
  if (!isQuestion(question)) return undefined;
  return { id: toText(id), question, ...(typeof reply === "string" && { answer: { reply: JSON.parse(reply) } }) };
}
