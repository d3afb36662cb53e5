import { expect, test } from "vitest";
import type { ClientRun, Evidence } from "./evidence.ts";
import { judge, listTakeovers, rules } from "./judge.ts";
import { toAnswer } from "./plan.ts";

const begunAt = 1_000_000;

/** A run whose replica is killed in a payment, which is told as unknown; another replica goes on with it after its lease. */
function createEvidence(): Evidence {
  const types = ["run-start", "tool-start", "tool-end", "tool-start", "tool-end", "answer-delta", "run-end"];
  const callIds = [undefined, "c0", "c0", "c1", "c1"];
  const client: ClientRun = {
    name: "r0",
    runId: "run-0",
    calls: ["r0.0", "r0.1"],
    events: types.map((type, index) => ({
      id: index + 1,
      at: begunAt + 100 * index,
      type,
      callId: callIds[index] ?? "",
    })),
    answer: toAnswer("r0"),
    outcome: {
      status: "complete",
      response: toAnswer("r0"),
      calls: [
        { call: "r0.0", ok: true, result: "done" },
        { call: "r0.1", ok: false, result: "It may have taken effect." },
      ],
    },
    ...{ returns: 1, ends: 1, unbegun: 0, last: "", refusals: [] },
  };
  const line = { pid: 11, parent: 10 };
  return {
    clients: [client],
    tools: [
      { at: begunAt + 110, what: "begin", tool: "read_quick", call: "r0.0", ...line },
      { at: begunAt + 150, what: "end", tool: "read_quick", call: "r0.0", ...line },
      { at: begunAt + 310, what: "begin", tool: "pay_slow", call: "r0.1", ...line },
    ],
    commits: [{ runId: "run-0", callId: "c0", at: begunAt + 160 }],
    holds: [
      { runId: "run-0", at: begunAt, pid: 10, epoch: 1, state: "going" },
      { runId: "run-0", at: begunAt + 5_000, pid: 20, epoch: 2, state: "going" },
      { runId: "run-0", at: begunAt + 5_500, pid: undefined, epoch: 2, state: "going" },
      { runId: "run-0", at: begunAt + 6_000, pid: 30, epoch: 3, state: "going" },
      { runId: "run-0", at: begunAt + 7_000, pid: 30, epoch: 3, state: "ended" },
    ],
    lives: [
      { name: "a", pid: 10, startedAt: 0, readyAt: 1, endedAt: begunAt + 320, end: "killed", away: [] },
      { name: "b", pid: 20, startedAt: 0, readyAt: 1, away: [] },
      { name: "c", pid: 30, startedAt: 0, readyAt: 1, away: [] },
    ],
    stored: new Map([["run-0", { first: 1, last: 7, count: 7 }]]),
    callNames: new Map([
      ["run-0 c0", "r0.0"],
      ["run-0 c1", "r0.1"],
    ]),
    expected: [
      { what: "let in", is: 5, wanted: { exactly: 5 } },
      { what: "ms", is: 80, wanted: { most: 100 } },
    ],
    left: [],
    forbids: { unknown: false, takeovers: false, late: true },
  };
}

const findViolated = (evidence: Evidence): string[] =>
  judge(evidence)
    .filter(({ violations }) => violations.length > 0)
    .map(({ rule }) => rule);

test("a run that was taken over by the rules violates none, and its takeover is measured", () => {
  const evidence = createEvidence();
  expect(findViolated(evidence)).toEqual([]);
  expect(listTakeovers(evidence).map(({ ms }) => ms)).toEqual([4_680]);
});

test("on a machine that is known to be busy a takeover may be late, but has to come", () => {
  const evidence = createEvidence();
  Object.assign(evidence.forbids, { late: false });
  for (const hold of evidence.holds.slice(1)) hold.at += 2_200;
  expect(findViolated(evidence)).toEqual([]);
  evidence.holds.splice(1);
  expect(findViolated(evidence)).toContain("runs are taken over within the lease plus 1.5 s");
});

test("whoever was told that the end could not be stored may have another one than the store", () => {
  const evidence = createEvidence();
  evidence.stored.set("run-0", { first: 1, last: 9, count: 9 });
  const rule = "each client sees event 1, 2, 3 … and the end, once";
  expect(findViolated(evidence)).toContain(rule);
  Object.assign(evidence.clients[0]?.events[5] ?? {}, { type: "notice", notice: "not-saved" });
  expect(findViolated(evidence)).not.toContain(rule);
  evidence.stored.set("run-0", { first: 1, last: 9, count: 8 });
  expect(findViolated(evidence)).toContain(rule);
});

test("a run that was given up after three kills in a row violates none, and one that was given up before does", () => {
  const evidence = createEvidence();
  const [client] = evidence.clients;
  const error = "server: the program ended unexpectedly 3 times in a row during this run without any progress";
  Object.assign(client ?? {}, { answer: "", outcome: { status: "failed", error, response: "", calls: [] } });
  expect(findViolated(evidence)).toContain("every run ends as complete, or is given up after three kills in a row");
  for (const life of evidence.lives) Object.assign(life, { endedAt: begunAt + 320, end: "killed" });
  expect(findViolated(evidence)).not.toContain("every run ends as complete, or is given up after three kills in a row");
  // It tells what it did all the same.
  const rule = "each call of a run has one outcome, and what is told as done was done";
  expect(findViolated(evidence)).toContain(rule);
  const calls = client?.calls.map((call) => ({ call, ok: false, result: "it may have taken effect" }));
  Object.assign(client?.outcome ?? {}, { calls });
  expect(findViolated(evidence)).not.toContain(rule);
});

/** Breaks one rule by the smallest change. */
interface Breach {
  rule: string;
  says: string;
  spoil(evidence: Evidence, client: ClientRun): void;
}

const breaches: Breach[] = [
  {
    rule: "no unsafe call is made twice",
    says: "by the replica that took the run over",
    spoil: ({ tools }) =>
      void tools.push({ at: begunAt + 5_100, what: "begin", tool: "pay_slow", call: "r0.1", pid: 21, parent: 20 }),
  },
  {
    rule: "no call is made after its outcome was committed",
    says: "as the database has it",
    spoil: ({ tools }) =>
      void tools.push({ at: begunAt + 170, what: "begin", tool: "read_quick", call: "r0.0", pid: 21, parent: 20 }),
  },
  {
    rule: "no call is made after its outcome was committed",
    says: "as a client was told",
    spoil({ tools, commits }) {
      commits.length = 0;
      tools.push({ at: begunAt + 210, what: "begin", tool: "read_quick", call: "r0.0", pid: 21, parent: 20 });
    },
  },
  {
    rule: "every run ends as complete, or is given up after three kills in a row",
    says: "for its client",
    spoil: (_, client) => void delete client.outcome,
  },
  {
    rule: "every run ends as complete, or is given up after three kills in a row",
    says: "in the store, also where no client has heard of it",
    spoil: ({ holds }) => void holds.push({ runId: "run-1", at: begunAt, pid: 20, epoch: 1, state: "going" }),
  },
  {
    rule: "each client sees event 1, 2, 3 … and the end, once",
    says: "without a gap",
    spoil: (_, { events }) => void events.splice(2, 1),
  },
  {
    rule: "each client sees event 1, 2, 3 … and the end, once",
    says: "without a double",
    spoil: (_, { events }) => void events.splice(2, 0, { id: 2, at: begunAt, type: "tool-start" }),
  },
  {
    rule: "each client sees event 1, 2, 3 … and the end, once",
    says: "unless it comes after the end",
    spoil: (_, client) => void Object.assign(client, { events: [], returns: 0 }),
  },
  {
    rule: "each client sees event 1, 2, 3 … and the end, once",
    says: "to the end, and no further",
    spoil: (_, { events }) =>
      void events.splice(6, 1, { id: 7, at: begunAt, type: "run-end" }, { id: 8, at: begunAt, type: "notice" }),
  },
  {
    rule: "each client sees event 1, 2, 3 … and the end, once",
    says: "and not twice",
    spoil: (_, client) => void Object.assign(client, { ends: 2 }),
  },
  {
    rule: "each client sees event 1, 2, 3 … and the end, once",
    says: "from the beginning",
    spoil: (_, { events }) => void Object.assign(events[0] ?? {}, { type: "notice" }),
  },
  {
    rule: "each client sees event 1, 2, 3 … and the end, once",
    says: "as they are stored",
    spoil: ({ stored }) => void stored.set("run-0", { first: 1, last: 8, count: 8 }),
  },
  {
    rule: "the text of the events is the answer",
    says: "also after the answer began anew",
    spoil: (_, client) => void Object.assign(client, { answer: `All that ${client.answer}` }),
  },
  {
    rule: "each call of a run has one outcome, and what is told as done was done",
    says: "although nobody did it",
    spoil: ({ tools }) => void tools.splice(1, 1),
  },
  {
    rule: "each call of a run has one outcome, and what is told as done was done",
    says: "and none is missing",
    spoil: (_, { outcome }) => void outcome?.calls.pop(),
  },
  {
    rule: "each call of a run has one outcome, and what is told as done was done",
    says: "and none fails",
    spoil: (_, { outcome }) =>
      void outcome?.calls.splice(1, 1, { call: "r0.1", ok: false, result: "There is no such tool." }),
  },
  {
    rule: "any replica serves any request",
    says: "and refuses none",
    spoil: (_, { refusals }) => void refusals.push("404 after event 3: There is no run run-0"),
  },
  {
    rule: "runs are taken over within the lease plus 1.5 s",
    says: "when their replica was killed",
    spoil({ holds }) {
      for (const hold of holds.slice(1)) hold.at += 2_200;
    },
  },
  {
    rule: "runs are taken over within the lease plus 1.5 s",
    says: "when it stood still, and ended the run itself in the end",
    spoil({ holds, lives: [life] }) {
      holds.splice(1, 4, { runId: "run-0", at: begunAt + 9_000, pid: 10, epoch: 1, state: "ended" });
      Object.assign(life ?? {}, {
        endedAt: undefined,
        end: undefined,
        away: [{ from: begunAt, until: begunAt + 8_000 }],
      });
    },
  },
  {
    rule: "a run that was let go is taken up within a second",
    says: "by whoever looks first",
    spoil({ holds }) {
      for (const hold of holds.slice(3)) hold.at += 1_000;
    },
  },
  {
    rule: "a run has one holder at a time, each with a new epoch",
    says: "so that the one before can write no more",
    spoil({ holds }) {
      for (const hold of holds.slice(1)) hold.epoch -= 1;
    },
  },
  {
    rule: "a run has one holder at a time, each with a new epoch",
    says: "and none after its end",
    spoil: ({ holds }) =>
      void holds.splice(
        4,
        0,
        { runId: "run-0", at: begunAt + 6_500, pid: 30, epoch: 3, state: "ended" },
        { runId: "run-0", at: begunAt + 6_600, pid: 20, epoch: 4, state: "going" },
      ),
  },
  {
    rule: "nothing is told as unknown, where nothing may be",
    says: "after an outage, for instance",
    spoil: ({ forbids }) => void Object.assign(forbids, { unknown: true }),
  },
  {
    rule: "no run changes hands, where none may",
    says: "after an outage, for instance",
    spoil: ({ forbids }) => void Object.assign(forbids, { takeovers: true }),
  },
  {
    rule: "numbers and times are as expected",
    says: "and not one more",
    spoil: ({ expected: [first] }) => void Object.assign(first ?? {}, { is: 6 }),
  },
  {
    rule: "numbers and times are as expected",
    says: "and no longer",
    spoil: ({ expected: [, second] }) => void Object.assign(second ?? {}, { is: 101 }),
  },
  {
    rule: "no connection and no process is left",
    says: "at the end",
    spoil: ({ left }) => void left.push("3 connections"),
  },
];

test.each(breaches)("the judge finds what violates the rule: $rule, $says", ({ rule, spoil }) => {
  const evidence = createEvidence();
  const [client] = evidence.clients;
  if (client !== undefined) spoil(evidence, client);
  expect(findViolated(evidence)).toContain(rule);
});

test("no rule goes without such a test", () => {
  expect([...new Set(breaches.map(({ rule }) => rule))].toSorted()).toEqual(rules.map(({ rule }) => rule).toSorted());
});
