import { noticeKinds } from "../../../../src/core/notices/notice-kinds.ts";
import { type ClientRun, type Evidence, type Hold, type ReplicaLife, type ToolLine, toCallKey } from "./evidence.ts";
import { isUnsafe, toAnswer } from "./plan.ts";

export interface Violation {
  says: string;
  /** The run that it concerns. */
  runId?: string | undefined;
}

export interface Verdict {
  rule: string;
  /** How many things were held to the rule. */
  looked: number;
  violations: Violation[];
}

/** One rule that must hold, whatever is done to the replicas. */
interface Rule {
  rule: string;
  judge(evidence: Evidence): Omit<Verdict, "rule">;
}

/** A replica holds its runs for this long without a sign of life, and others look for them this often; the rest is for busy machines. */
export const leaseMs = 5_000;
const allowanceMs = 1_500;
/** Replicas look for runs twice a second. */
const handoverMs = 1_000;

const mayHaveHappened = /may have taken effect/;

export const rules: readonly Rule[] = [
  { rule: "no unsafe call is made twice", judge: judgeUnsafe },
  { rule: "no call is made after its outcome was committed", judge: judgeCommitted },
  { rule: "every run ends as complete, or is given up after three kills in a row", judge: judgeEnds },
  { rule: "each client sees event 1, 2, 3 … and the end, once", judge: judgeEvents },
  { rule: "the text of the events is the answer", judge: judgeAnswers },
  { rule: "each call of a run has one outcome, and what is told as done was done", judge: judgeOutcomes },
  { rule: "any replica serves any request", judge: judgeRefusals },
  { rule: "runs are taken over within the lease plus 1.5 s", judge: judgeTakeovers },
  { rule: "a run that was let go is taken up within a second", judge: judgeHandovers },
  { rule: "a run has one holder at a time, each with a new epoch", judge: judgeHolds },
  { rule: "nothing is told as unknown, where nothing may be", judge: judgeUnknown },
  { rule: "no run changes hands, where none may", judge: judgeStaying },
  { rule: "numbers and times are as expected", judge: judgeExpected },
  {
    rule: "no connection and no process is left",
    judge: ({ left }) => ({ looked: 1, violations: left.map((says) => ({ says })) }),
  },
];

export function judge(evidence: Evidence): Verdict[] {
  return rules.map(({ rule, judge: hold }) => ({ rule, ...hold(evidence) }));
}

const begins = ({ tools }: Evidence): ToolLine[] => tools.filter(({ what }) => what === "begin");

function judgeUnsafe(evidence: Evidence): Omit<Verdict, "rule"> {
  const unsafe = Map.groupBy(
    begins(evidence).filter(({ tool }) => isUnsafe(tool)),
    ({ call }) => call,
  );
  const twice = [...unsafe].filter(([, lines]) => lines.length > 1);
  return {
    looked: unsafe.size,
    violations: twice.map(([call, lines]) => ({
      says: `${call} began ${lines.length} times, in hosts ${lines.map(({ parent }) => parent).join(", ")}`,
      runId: findRunOf(evidence, call),
    })),
  };
}

function findRunOf({ clients }: Evidence, call: string): string | undefined {
  return clients.find(({ calls }) => calls.includes(call))?.runId;
}

/** An outcome is committed when the database has it, and all the more so when a client has been told. */
function judgeCommitted(evidence: Evidence): Omit<Verdict, "rule"> {
  const known = new Map<string, { at: number; runId: string }>();
  const note = (runId: string, callId: string | undefined, at: number): void => {
    const call = evidence.callNames.get(toCallKey(runId, callId ?? ""));
    if (call !== undefined && at < (known.get(call)?.at ?? Number.POSITIVE_INFINITY)) known.set(call, { at, runId });
  };
  for (const { runId, callId, at } of evidence.commits) note(runId, callId, at);
  for (const { runId, events } of evidence.clients)
    for (const { type, callId, at } of events) if (type === "tool-end") note(runId, callId, at);
  return {
    looked: known.size,
    violations: begins(evidence).flatMap(({ call, at, parent }) => {
      const commit = known.get(call);
      if (commit === undefined || at <= commit.at) return [];
      const lateMs = Math.round(at - commit.at);
      return {
        says: `${call} began in host ${parent} ${lateMs} ms after its outcome was committed`,
        runId: commit.runId,
      };
    }),
  };
}

const gaveUp = /ended unexpectedly \d+ times in a row/;

/**
 * Lists the runs that were given up, as the documents say: three of their holders in a row were killed before they came any further, so
 * that there was one more before these. There are more where the one that was to give the run up was killed before it had. Their outcome
 * has no answer.
 */
export function listGivenUp({ clients, holds, lives }: Evidence): ClientRun[] {
  const killed = new Set(lives.flatMap(({ pid, end }) => (end === "killed" ? pid : [])));
  return clients.filter(({ runId, outcome }) => {
    if (!gaveUp.test(outcome?.error ?? "")) return false;
    const own = new Set(holds.flatMap((hold) => (hold.runId === runId ? (hold.pid ?? []) : [])));
    return [...own].filter((pid) => killed.has(pid)).length >= 3;
  });
}

/** Leaves out the runs that were given up, which have no answer. */
function omitGivenUp(evidence: Evidence): Evidence {
  const givenUp = new Set(listGivenUp(evidence));
  return { ...evidence, clients: evidence.clients.filter((client) => !givenUp.has(client)) };
}

function judgeEnds(evidence: Evidence): Omit<Verdict, "rule"> {
  const { clients, holds } = omitGivenUp(evidence);
  const last = new Map(holds.map((hold) => [hold.runId, hold]));
  const open = [...last.values()].filter(({ state }) => state !== "ended");
  const clientsOf = clients.flatMap(({ name, runId, outcome, last }): Violation[] =>
    outcome?.status === "complete"
      ? []
      : [{ says: `${name} ended as ${outcome?.status ?? "nothing"}: ${outcome?.error ?? last}`, runId }],
  );
  const inStore = open.map(({ runId, state }) => ({ says: `${runId} is ${state} in the store`, runId }));
  return { looked: clients.length + last.size, violations: [...clientsOf, ...inStore] };
}

function judgeEvents({ clients, stored }: Evidence): Omit<Verdict, "rule"> {
  return {
    looked: clients.reduce((sum, { events }) => sum + events.length, 0),
    violations: clients.flatMap((client) => {
      const { name, runId, events } = client;
      const kept = stored.get(runId);
      if (hasEndAlone(client)) return [];
      const said = findEventFault(client);
      if (said !== undefined) return [{ says: `${name}: ${said}`, runId }];
      // The end may be recorded after a reader has been told it without a number.
      const told = events.length + Number(events.at(-1)?.type !== "run-end");
      const isWhole = kept?.count === (kept?.last ?? 0) - (kept?.first ?? 0) + 1;
      const isSame = kept?.count === events.length || kept?.count === told;
      if (isWhole && (isSame || wasToldUnsaved(client))) return [];
      const notices = events
        .flatMap(({ id, notice }) => (notice === undefined ? [] : [`${notice} as ${id}`]))
        .join(", ");
      const received = `received ${events.length} events (notices: ${notices || "none"})`;
      return [{ says: `${name}: ${received}, ${kept?.count ?? 0} are stored`, runId }];
    }),
  };
}

/**
 * Whoever was told the end of a run together with the fact that it could not be stored has the end that counts for it. The run ends once
 * more elsewhere where its process is killed before it has stored it.
 */
function wasToldUnsaved({ events }: ClientRun): boolean {
  return events.some(({ notice }) => notice === noticeKinds.notSaved.code);
}

/** Whoever has seen nothing of a run, and asks for it after its end, gets the end alone. */
function hasEndAlone({ events, outcome, returns }: ClientRun): boolean {
  return events.length === 0 && outcome !== undefined && returns > 0;
}

/** The end has no number where the replica was killed after it had stored the run, and before it had told that. */
function findEventFault({ events, ends }: ClientRun): string | undefined {
  const at = events.findIndex(({ id }, index) => id !== index + 1);
  if (at >= 0) return `event ${events[at]?.id} came in the place of ${at + 1}`;
  if (events[0]?.type !== "run-start") return `begins with ${events[0]?.type}`;
  if (events.slice(0, -1).some(({ type }) => type === "run-end")) return "goes on after its end";
  return ends === 1 ? undefined : `has ${ends} ends`;
}

function judgeAnswers(evidence: Evidence): Omit<Verdict, "rule"> {
  const { clients } = omitGivenUp(evidence);
  const ended = clients.filter((client) => client.outcome !== undefined && !hasEndAlone(client));
  const isWrong = ({ name, answer, outcome }: ClientRun): boolean =>
    answer !== outcome?.response || !answer.includes(toAnswer(name));
  return {
    looked: ended.length,
    violations: ended.filter(isWrong).map(({ name, runId, answer, outcome }) => ({
      says: `${name}: the events say ${JSON.stringify(answer)}, the outcome ${JSON.stringify(outcome?.response)}`,
      runId,
    })),
  };
}

function judgeOutcomes(evidence: Evidence): Omit<Verdict, "rule"> {
  const { clients, tools } = evidence;
  const done = new Set(tools.filter(({ what }) => what === "end").map(({ call }) => call));
  const begun = new Set(tools.filter(({ what }) => what === "begin").map(({ call }) => call));
  const givenUp = new Set(listGivenUp(evidence).map(({ runId }) => runId));
  const ended = clients.flatMap(({ outcome, ...client }) => (outcome === undefined ? [] : { ...client, outcome }));
  return {
    looked: ended.reduce((sum, { calls }) => sum + calls.length, 0),
    violations: ended.flatMap(({ name, runId, calls, outcome }) => {
      const told = outcome.calls.map(({ call }) => call).toSorted();
      // A run that was given up tells of all that it began, and perhaps of more that it asked for.
      const isOther = givenUp.has(runId)
        ? calls.some((call) => begun.has(call) && !told.includes(call))
        : told.join() !== calls.toSorted().join();
      const undone = outcome.calls.filter(({ call, ok }) => ok && !done.has(call));
      const failed = outcome.calls.filter(({ ok, result }) => !ok && !mayHaveHappened.test(result));
      return [
        ...(isOther ? [`${name} had to make ${calls.join(" ")}, and tells of ${told.join(" ") || "none"}`] : []),
        ...undone.map(({ call }) => `${call} is told as done, and was never done`),
        ...failed.map(({ call, result }) => `${call} failed: ${result.slice(0, 200)}`),
      ].map((says) => ({ says, runId }));
    }),
  };
}

function judgeRefusals({ clients }: Evidence): Omit<Verdict, "rule"> {
  return {
    looked: clients.reduce((sum, { returns }) => sum + returns + 1, 0),
    violations: clients.flatMap(({ name, runId, refusals }) =>
      refusals.map((says) => ({ says: `${name}: ${says}`, runId })),
    ),
  };
}

/** One run whose replica was lost, and how long it took until another one had it. `ms` is undefined where none came. */
export interface Takeover {
  runId: string;
  pid: number;
  ms: number | undefined;
  /** By when it had to be taken, in milliseconds after the loss. */
  dueMs: number;
}

export function listTakeovers({ holds, lives }: Pick<Evidence, "holds" | "lives">): Takeover[] {
  return [...Map.groupBy(holds, ({ runId }) => runId).values()].flatMap((own) =>
    own.flatMap((hold, index): Takeover[] => {
      const life = lives.find(({ pid }) => pid === hold.pid);
      const next = own[index + 1];
      const lostAt = life && hold.state === "going" ? findLoss(life, hold.at, next?.at) : undefined;
      if (life === undefined || lostAt === undefined) return [];
      const dueMs = Math.max(lostAt, findHelper(lives, life, lostAt)) + leaseMs + allowanceMs - lostAt;
      // Its end was under way, or it came back in time for it.
      if (next?.state === "ended" && next.at - lostAt <= dueMs) return [];
      return [{ runId: hold.runId, pid: life.pid, ms: next && next.at - lostAt, dueMs }];
    }),
  );
}

/** Returns when the holder was lost for longer than its lease, between the beginning and the end of its hold. */
function findLoss(
  { end, endedAt, away }: ReplicaLife,
  from: number,
  until = Number.POSITIVE_INFINITY,
): number | undefined {
  const lost = away
    .filter((time) => (time.until ?? Number.POSITIVE_INFINITY) - time.from > leaseMs)
    .map((time) => time.from);
  if (end === "killed" && endedAt !== undefined) lost.push(endedAt);
  return lost.toSorted((one, other) => one - other).find((at) => at >= from && at < until);
}

/** Returns since when there is a replica that stays: no other can tell a dead one from one that is merely late. */
function findHelper(lives: readonly ReplicaLife[], lost: ReplicaLife, at: number): number {
  const due = at + leaseMs + allowanceMs;
  const helpers = lives.filter((life) => life !== lost && life.readyAt !== undefined);
  const starts = helpers.flatMap(({ readyAt = 0, endedAt = Number.POSITIVE_INFINITY, away }) => {
    const backAt = away.filter(({ from }) => from < due).map(({ until = Number.POSITIVE_INFINITY }) => until);
    const from = Math.max(readyAt, ...backAt);
    return endedAt > Math.max(from, at) + leaseMs + allowanceMs ? from : [];
  });
  return Math.min(...starts);
}

function judgeTakeovers(evidence: Evidence): Omit<Verdict, "rule"> {
  return judgeTimes(listTakeovers(evidence), evidence, "taken over");
}

function judgeTimes(all: readonly Takeover[], { forbids }: Evidence, done: string): Omit<Verdict, "rule"> {
  return {
    looked: all.length,
    violations: all
      .filter(({ ms, dueMs }) => ms === undefined || (forbids.late && ms > dueMs))
      .map(({ runId, pid, ms, dueMs }) => ({
        says: `${runId} of ${pid} was ${ms === undefined ? `never ${done}` : `${done} after ${Math.round(ms)} ms`}, allowed ${Math.round(dueMs)}`,
        runId,
      })),
  };
}

/** One run that its replica has given back, and how long nobody had it. */
export function listHandovers({ holds, lives }: Pick<Evidence, "holds" | "lives">): Takeover[] {
  return [...Map.groupBy(holds, ({ runId }) => runId).values()].flatMap((own) =>
    own.flatMap((hold, index): Takeover[] => {
      if (hold.pid !== undefined || hold.state !== "going") return [];
      const giver = lives.find(({ pid }) => pid === own[index - 1]?.pid);
      const next = own[index + 1];
      const readyAt = lives.flatMap((life) => (life === giver ? [] : (life.readyAt ?? [])));
      const dueMs = Math.max(hold.at, Math.min(...readyAt)) + handoverMs - hold.at;
      return [{ runId: hold.runId, pid: giver?.pid ?? 0, ms: next && next.at - hold.at, dueMs }];
    }),
  );
}

function judgeHandovers(evidence: Evidence): Omit<Verdict, "rule"> {
  return judgeTimes(listHandovers(evidence), evidence, "taken up");
}

function judgeHolds({ holds }: Evidence): Omit<Verdict, "rule"> {
  const isSame = (one: Hold, next: Hold): boolean => next.pid === undefined || next.pid === one.pid;
  const violations = [...Map.groupBy(holds, ({ runId }) => runId)].flatMap(([runId, own]) =>
    own.flatMap((hold, index): Violation[] => {
      const before = own[index - 1];
      if (before === undefined)
        return hold.epoch === 1 ? [] : [{ says: `${runId} begins with epoch ${hold.epoch}`, runId }];
      const isOver = before.state !== "going";
      const wanted = isSame(before, hold) ? [before.epoch, before.epoch + 1] : [before.epoch + 1];
      // What was told as not begun has done nothing, and begins anew.
      if (before.state === "unrecorded" && hold.epoch === before.epoch + 1) return [];
      if (!isOver && wanted.includes(hold.epoch)) return [];
      if (isOver && hold.epoch === before.epoch) return [];
      return [{ says: `${runId} went from epoch ${before.epoch} (${before.state}) to ${hold.epoch}`, runId }];
    }),
  );
  return { looked: holds.length, violations };
}

function judgeUnknown({ clients, forbids }: Evidence): Omit<Verdict, "rule"> {
  if (!forbids.unknown) return { looked: 0, violations: [] };
  const all = listUnknown(clients);
  const looked = clients.reduce((sum, { outcome }) => sum + (outcome?.calls.length ?? 0), 0);
  return { looked, violations: all.map(({ call, runId }) => ({ says: `${call} is told as unknown`, runId })) };
}

export function listUnknown(clients: readonly ClientRun[]): { call: string; runId: string }[] {
  return clients.flatMap(({ runId, outcome }) =>
    (outcome?.calls ?? []).filter(({ result }) => mayHaveHappened.test(result)).map(({ call }) => ({ call, runId })),
  );
}

function judgeStaying({ holds, forbids }: Evidence): Omit<Verdict, "rule"> {
  if (!forbids.takeovers) return { looked: 0, violations: [] };
  const moved = holds.filter(({ epoch }) => epoch > 1);
  return {
    looked: new Set(holds.map(({ runId }) => runId)).size,
    violations: moved.map(({ runId, epoch }) => ({ says: `${runId} has epoch ${epoch}`, runId })),
  };
}

function judgeExpected({ expected }: Evidence): Omit<Verdict, "rule"> {
  const isMet = ({ is, wanted }: Evidence["expected"][number]): boolean =>
    "exactly" in wanted ? is === wanted.exactly : is <= wanted.most;
  return {
    looked: expected.length,
    violations: expected
      .filter((each) => !isMet(each))
      .map(({ what, is, wanted }) => ({
        says: `${what}: ${is}, and not ${"exactly" in wanted ? wanted.exactly : `at most ${wanted.most}`}`,
      })),
  };
}
