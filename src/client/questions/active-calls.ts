import type { Elicit, Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import type { TextBilling } from "../../core/model/turn-budget.ts";
import { isAtLeast, type ServerLogLevel } from "../../core/server-log.ts";
import type { CallingHost } from "../../core/tools/calling-host.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { followSignal } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { createRecentOwners, type RecentOwners } from "./recent-owners.ts";
import { notNowError } from "./request-refusal.ts";

/** Holds what questions need to know of a running call. */
export interface ActiveCall {
  /** Asks the person for whom the call is made; absent where nobody can be asked. */
  elicit?: Elicit | undefined;
  /** Is the host that has made the call itself. */
  host?: CallingHost | undefined;
  /** Says whose call it is, as in `Caller.owner`; where it is absent, `host` or `elicit` says it. */
  owner?: string | undefined;
  /** Is true for a request of our own, such as one for a list that all callers share. */
  isForNobody?: boolean | undefined;
  /** Tells whoever reads of the call. */
  tell?: Notify | undefined;
  /** Takes the bills of what our models write for the server during the call. */
  billing?: TextBilling | undefined;
}

/**
 * Tracks the running calls of one connection. A server of the 2025 era does not say which call its question belongs to, so a
 * person is asked only while all calls are for that one person.
 */
export interface ActiveCalls {
  /**
   * Counts a call until the returned function is called. A call that has ended without the server's reply may still run in the
   * server, so its person is remembered for a while.
   */
  enter(call: ActiveCall): (end: { isReplied: boolean }) => void;
  /** Returns true when every call is for this person, so that one more leaves no doubt about whom to ask. */
  isFreeFor(person: object | undefined): boolean;
  /** Returns what asks the person of the running calls, or undefined when nobody can be asked. */
  current(): AskPerson | undefined;
  /** Returns the host of the oldest call, where every call is of one host. */
  host(): CallingHost | undefined;
  /**
   * Returns who may read a line of this level that the server logs now: the calling hosts, where all calls of the last minute are of one
   * owner; everybody too, where callers are not told apart and the calls are not of one host alone; else nobody, because the line may be
   * about anybody's call.
   */
  findLogReaders(level: ServerLogLevel): LogReaders;
  /** Tells the reader of the oldest call. */
  readonly tell: Notify;
  /** Returns what bills the oldest call, or undefined when there is no call. */
  billing(): TextBilling | undefined;
}

/** Says who may read a line of the server's log. */
export interface LogReaders {
  /**
   * Holds the hosts that read it with a call of theirs, because some receive nothing outside their calls: one for each connection. Over
   * HTTP each request of 2026-07-28 is a connection.
   */
  hosts: readonly CallingHost[];
  /** Is true when all other hosts may read it, too. */
  isForAll: boolean;
}

/**
 * Asks one question at a time. Rejects with why nobody was asked; returns undefined when nobody has replied, and withdraws the
 * question when no call of its person is left.
 */
export type AskPerson = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationReply | undefined>;

/** Limits the open and waiting questions of one person; further ones are refused, since nobody would read so many. */
const mostAtOnce = 5;

/** Is how long a server may still work on a call that was given up, in milliseconds. */
const lingerMs = 60_000;

/** Returns the person behind a call; all calls for which nobody can be asked count as one. */
export function getPerson({ elicit }: Pick<ActiveCall, "elicit">): object | undefined {
  return elicit?.person ?? elicit;
}

/** Returns whose call it is; undefined where callers are not told apart. */
function getOwner({ owner, host, elicit }: ActiveCall): string | undefined {
  return owner ?? (host ?? elicit)?.owner;
}

/** Returns who has made a call, also where nobody can be asked. */
function getCaller(call: Pick<ActiveCall, "elicit" | "host">): object | undefined {
  return call.host?.person ?? getPerson(call);
}

/** `owners` are shared by all connections of a server. */
export function createActiveCalls(
  now: () => number = () => performance.now(),
  owners: RecentOwners = createRecentOwners(now),
): ActiveCalls {
  const calls = new Map<ActiveCall, { ended: AbortController; answered: number }>();
  /** Pairs the calls that were given up with when they are forgotten. */
  const lingering = new Map<ActiveCall, number>();
  const turn = createSemaphore(1);
  let asked = 0;

  function listCalls(): ActiveCall[] {
    for (const [call, until] of lingering) if (until <= now()) lingering.delete(call);
    return [...calls.keys(), ...lingering.keys()];
  }

  function listPersons(): Set<object | undefined> {
    return new Set(listCalls().map(getPerson));
  }

  /** A later call of the same caller replaces one that was given up. */
  function rememberGivenUp(call: ActiveCall): void {
    for (const other of lingering.keys())
      if (getPerson(other) === getPerson(call) && getCaller(other) === getCaller(call)) lingering.delete(other);
    lingering.set(call, now() + lingerMs);
  }

  function notifyAll(code: string, message: Text): void {
    for (const { tell } of calls.keys()) tell?.(code, message);
  }

  async function askInTurn(person: object, question: Elicitation, signal: AbortSignal) {
    if (asked >= mostAtOnce) {
      notifyAll("question-unasked", describeTooMany(question.from));
      throw notNowError(`At most ${mostAtOnce} questions may wait for one user, so this one was not asked`);
    }
    asked += 1;
    try {
      await turn.acquire(signal);
      try {
        return await askThroughCalls(person, question, signal);
      } finally {
        turn.release();
      }
    } finally {
      asked -= 1;
    }
  }

  /**
   * The question may belong to any call of the person, so it is asked again where the call that it was asked through has ended. A
   * call with an answer is likely to end soon, so the one with the fewest is used.
   */
  async function askThroughCalls(person: object, question: Elicitation, signal: AbortSignal) {
    while (!signal.aborted) {
      const [through] = [...calls]
        .filter(([call]) => getPerson(call) === person)
        .sort(([, one], [, other]) => one.answered - other.answered);
      if (through === undefined) return undefined;
      const [{ elicit }, state] = through;
      const stop = new AbortController();
      const unfollow = [followSignal(stop, state.ended.signal), followSignal(stop, signal)];
      try {
        const reply = await elicit?.(question, stop.signal);
        if (reply !== undefined) state.answered += 1;
        if (reply !== undefined || !state.ended.signal.aborted) return reply;
      } finally {
        for (const end of unfollow) end();
      }
    }
    return undefined;
  }

  return {
    enter(call) {
      const mine = { ...call };
      const owner = getOwner(call);
      const ended = new AbortController();
      calls.set(mine, { ended, answered: 0 });
      if (call.isForNobody !== true) owners.noteBegin(owner);
      return ({ isReplied }) => {
        calls.delete(mine);
        if (call.isForNobody !== true) owners.noteEnd(owner);
        if (!isReplied) rememberGivenUp({ elicit: mine.elicit, host: mine.host, owner, isForNobody: mine.isForNobody });
        // A reason of our own costs nothing; the one that is made otherwise has a stack trace.
        ended.abort("the call has ended");
      };
    },
    isFreeFor(person) {
      return [...listPersons()].every((each) => each === person);
    },
    current() {
      const [person, ...others] = listPersons();
      if (others.length > 0)
        return async ({ from }) => {
          notifyAll("question-unasked", describeUnclear(from));
          throw notNowError(
            "Several callers use this server at once and it did not say which call it asks about, so nobody was asked",
          );
        };
      return person && ((question, signal) => askInTurn(person, question, signal));
    },
    host() {
      const callers = new Set(listCalls().map(getCaller));
      return callers.size === 1 ? calls.keys().next().value?.host : undefined;
    },
    findLogReaders(level) {
      const all = listCalls().filter(({ isForNobody }) => isForNobody !== true);
      const [owner, ...others] = new Set([...all.map(getOwner), ...owners.list()]);
      if (others.length > 0) return { hosts: [], isForAll: false };
      const calling = [...calls.keys()].flatMap(({ host }) => host ?? []);
      const isOfOneHost = calling.length > 0 && new Set(all.map(getCaller)).size === 1;
      const wanting = calling.filter((host) => host.log !== undefined);
      const isForAll = owner === undefined && !owners.areToldApart && !isOfOneHost;
      return { hosts: keepOneOfEach(wanting, level), isForAll };
    },
    tell(code, message) {
      const [first] = calls.keys();
      first?.tell?.(code, message);
    },
    billing: () => calls.keys().next().value?.billing,
  };
}

/** Keeps one call of each host, the oldest of those that want this level: each request of the 2026 era wants its own. */
function keepOneOfEach(calling: readonly CallingHost[], level: ServerLogLevel): CallingHost[] {
  const wanting = calling.filter(({ logLevel = "debug" }) => isAtLeast(level, logLevel));
  const kept = new Map<object, CallingHost>();
  // The level of a 2025 host may have changed since its call began, so others are not left out.
  for (const host of [...wanting, ...calling]) if (!kept.has(host.person)) kept.set(host.person, host);
  return [...kept.values()];
}

function describeUnclear(from: string): Text {
  return {
    zh: `MCP 服务器 ${from} 提了一个问题，但同时有多个调用方在使用它，无法确定该问谁，所以没有询问任何人。可以稍后再调用一次。`,
    en: `The MCP server ${from} asked a question while several callers used it and did not say which one it means, so nobody was asked. The call may be made again later.`,
  };
}

function describeTooMany(from: string): Text {
  return {
    zh: `MCP 服务器 ${from} 已有 ${mostAtOnce} 个问题在等待答复，再多的问题不会被提出。`,
    en: `${mostAtOnce} questions of the MCP server ${from} are waiting for a reply, so a further one was not asked.`,
  };
}

/** Identifies the server that asks, and redacts its own secrets from its texts. */
export interface RequestingServer {
  /** Is the configured name of the server. */
  from: string;
  redact: Redact;
}

export interface AnswerContext {
  /** Asks the person of the call that the question belongs to; absent where nobody can be asked. */
  ask?: AskPerson | undefined;
  /** Is the host of that call; absent where a run has made it, and where that is not certain. */
  host?: CallingHost | undefined;
  /** Aborts when the answer is not wanted any more. */
  signal: AbortSignal;
  /** Tells the reader of that call something once: what was written for the server, and what it cost. */
  tell?: Notify | undefined;
  /** Takes the bill of a text that is written for that call. */
  billing?: TextBilling | undefined;
}

/** Works like the `notice` of a tool's context, in both languages. */
export type Notify = (code: string, message: Text) => void;
