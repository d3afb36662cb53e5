import { expect, test } from "vitest";
import { createActiveCalls } from "../../../src/client/questions/active-calls.ts";
import { createRecentOwners } from "../../../src/client/questions/recent-owners.ts";
import type { Elicit, Elicitation } from "../../../src/core/forms/elicitation.ts";

const question: Elicitation = { kind: "form", from: "shop", message: "?", schema: {} };
const yes: Elicit = async () => ({ action: "accept" });
const { signal } = new AbortController();
const unclear = { code: -32603, message: expect.stringContaining("it did not say which call it asks about") };

/** Stands open until its call ends or it is withdrawn; tells what was shown and what was taken back. */
function standing(person: object) {
  const shown: unknown[] = [];
  const withdrawn: unknown[] = [];
  const ask: Elicit = (one, stop) =>
    new Promise((resolve) => {
      shown.push(one);
      stop?.addEventListener("abort", () => {
        withdrawn.push(one);
        resolve(undefined);
      });
    });
  return { shown, withdrawn, elicit: Object.assign(ask, { person }) };
}

test("a question goes to whoever makes the only call, and to nobody where none or one without a person is under way", async () => {
  const asker = createActiveCalls();
  expect(asker.current()).toBeUndefined();
  const leave = asker.enter({});
  expect(asker.current()).toBeUndefined();
  leave({ isReplied: true });
  asker.enter({ elicit: yes });
  expect(await asker.current()?.(question, signal)).toEqual({ action: "accept" });
});

test("two calls for the same person are one asker", async () => {
  const asker = createActiveCalls();
  const person = {};
  for (const answer of [yes, yes]) asker.enter({ elicit: Object.assign(answer.bind(undefined), { person }) });
  expect(asker.isFreeFor(person)).toBe(true);
  expect(asker.isFreeFor({})).toBe(false);
  expect(await asker.current()?.(question, signal)).toEqual({ action: "accept" });
});

test.each([
  ["two persons", async (): ReturnType<Elicit> => ({ action: "accept" })],
  ["one person and a program that can ask nobody", undefined],
])("a question is refused while calls of %s are under way, and all are told", async (_, other) => {
  const asker = createActiveCalls();
  const told: string[] = [];
  const tell = (code: string, { en }: { en: string }): void => void told.push(`${code}: ${en}`);
  asker.enter({ elicit: yes, tell });
  const leave = asker.enter({ elicit: other, tell });
  await expect(asker.current()?.(question, signal)).rejects.toMatchObject(unclear);
  expect(told).toHaveLength(2);
  expect(told[0]).toContain("question-unasked: The MCP server shop asked a question while several callers used it");
  leave({ isReplied: true });
  expect(await asker.current()?.(question, signal)).toEqual({ action: "accept" });
});

test("a call that was given up may still ask, so for a minute nobody else is asked in its place", async () => {
  let time = 0;
  const asker = createActiveCalls(() => time);
  const gone = standing({});
  asker.enter({ elicit: gone.elicit })({ isReplied: false });
  expect(await asker.current()?.(question, signal)).toBeUndefined();
  asker.enter({ elicit: yes });
  await expect(asker.current()?.(question, signal)).rejects.toMatchObject(unclear);
  time = 60_000;
  expect(await asker.current()?.(question, signal)).toEqual({ action: "accept" });
  expect(gone.shown).toEqual([]);
});

test("one question is asked after the other, and a sixth is refused and told as such", async () => {
  const asker = createActiveCalls();
  const told: string[] = [];
  const open: (() => void)[] = [];
  const elicit: Elicit = () =>
    new Promise((resolve) => {
      open.push(() => resolve({ action: "accept" }));
    });
  asker.enter({ elicit, tell: (_, { en }) => void told.push(en) });
  const asked = Array.from({ length: 5 }, () => asker.current()?.(question, signal));
  const refused = { code: -32603, message: expect.stringContaining("At most 5 questions") };
  await expect(asker.current()?.(question, signal)).rejects.toMatchObject(refused);
  expect(told).toEqual([expect.stringContaining("5 questions of the MCP server shop are waiting")]);
  for (let answered = 0; answered < 5; answered++) {
    await expect.poll(() => open.length).toBe(answered + 1);
    open[answered]?.();
  }
  expect(await Promise.all(asked)).toEqual(Array(5).fill({ action: "accept" }));
});

test("a question is withdrawn when the last call has ended, and when its server does not want it any more", async () => {
  const asker = createActiveCalls();
  const { elicit, shown, withdrawn } = standing({});
  const leave = asker.enter({ elicit });
  const stop = new AbortController();
  const first = asker.current()?.(question, stop.signal);
  const second = asker.current()?.(question, signal);
  await expect.poll(() => shown).toHaveLength(1);
  expect(withdrawn).toHaveLength(0);
  stop.abort();
  expect(await first).toBeUndefined();
  expect(withdrawn).toHaveLength(1);
  await expect.poll(() => shown).toHaveLength(2);
  leave({ isReplied: true });
  expect(await second).toBeUndefined();
  expect(withdrawn).toHaveLength(2);
});

test("a question that was asked through a call that ends is asked again through another one of that person", async () => {
  const asker = createActiveCalls();
  const person = {};
  const first = standing(person);
  const leave = asker.enter({ elicit: first.elicit });
  asker.enter({ elicit: Object.assign(yes.bind(undefined), { person }) });
  const reply = asker.current()?.(question, signal);
  await expect.poll(() => first.shown).toHaveLength(1);
  leave({ isReplied: true });
  expect(await reply).toEqual({ action: "accept" });
  expect(first.withdrawn).toHaveLength(1);
});

test("a second question is asked through a call that has had no answer, so that it stays when the answered one ends", async () => {
  const asker = createActiveCalls();
  const person = {};
  const leave = asker.enter({ elicit: Object.assign(yes.bind(undefined), { person }) });
  const other = standing(person);
  asker.enter({ elicit: other.elicit });
  expect(await asker.current()?.(question, signal)).toEqual({ action: "accept" });
  void asker.current()?.(question, signal);
  await expect.poll(() => other.shown).toHaveLength(1);
  leave({ isReplied: true });
  expect(other.withdrawn).toHaveLength(0);
});

test("the host that a server may ask is known only while every call is of that one host, also one that was given up", () => {
  let now = 0;
  const calls = createActiveCalls(() => now);
  const host = { person: {}, owner: undefined };
  const leave = calls.enter({ host });
  calls.enter({ host: { ...host } });
  expect(calls.host()).toBe(host);
  const leaveOther = calls.enter({ host: { person: {}, owner: undefined } });
  expect(calls.host()).toBeUndefined();
  leaveOther({ isReplied: false });
  expect(calls.host()).toBeUndefined();
  now = 60_000;
  expect(calls.host()).toBe(host);
  // A run of the agent is a caller of its own.
  calls.enter({});
  expect(calls.host()).toBeUndefined();
  leave({ isReplied: true });
});

test("a line of the log goes to the host of the calls, to all hosts where nobody is told apart, and else to nobody", () => {
  const nobody = { hosts: [], isForAll: false };
  let now = 0;
  const calls = createActiveCalls(() => now);
  expect(calls.findLogReaders("info")).toEqual({ hosts: [], isForAll: true });
  const anna = { person: {}, owner: "anna", log() {} };
  const leave = calls.enter({ host: anna });
  // Her other host reads it, too.
  const others = { person: {}, owner: "anna", log() {} };
  calls.enter({ host: others })({ isReplied: true });
  const leaveOther = calls.enter({ host: others });
  expect(calls.findLogReaders("info")).toEqual({ hosts: [anna, others], isForAll: false });
  leaveOther({ isReplied: true });
  // A run of somebody who cannot be asked.
  const leaveBen = calls.enter({ owner: "ben" });
  expect(calls.findLogReaders("info")).toEqual(nobody);
  leaveBen({ isReplied: true });
  expect(calls.findLogReaders("info")).toEqual(nobody);
  now += 60_000;
  expect(calls.findLogReaders("info").hosts).toEqual([anna]);
  leave({ isReplied: true });
  // It may be about the call that has ended, also later.
  const operators = { person: {}, owner: undefined, log() {} };
  calls.enter({ host: operators });
  expect(calls.findLogReaders("info")).toEqual(nobody);
  now += 60_000;
  expect(calls.findLogReaders("info")).toEqual({ hosts: [operators], isForAll: false });
  const leaveOperator = calls.enter({ host: { ...operators, person: {} } });
  expect(calls.findLogReaders("info").isForAll).toBe(false);
  leaveOperator({ isReplied: true });
});

test("what is logged after a call of the operator's is not read by a user who calls next, by any connection", () => {
  let now = 0;
  const owners = createRecentOwners(() => now);
  const one = createActiveCalls(() => now, owners);
  const other = createActiveCalls(() => now, owners);
  one.enter({ host: { person: {}, owner: undefined, log() {} } })({ isReplied: true });
  const anna = { person: {}, owner: "anna", log() {} };
  other.enter({ host: anna });
  expect(other.findLogReaders("info")).toEqual({ hosts: [], isForAll: false });
  now += 60_000;
  // A list that all share is nobody's, and neither mutes her host nor lets others read.
  other.enter({ isForNobody: true })({ isReplied: true });
  other.enter({ isForNobody: true });
  expect(other.findLogReaders("info")).toEqual({ hosts: [anna], isForAll: false });
  expect(createActiveCalls(() => now, owners).findLogReaders("info").isForAll).toBe(false);
});

test("owners whose calls ended long ago are not kept", () => {
  let now = 0;
  const owners = createRecentOwners(() => now);
  for (let n = 0; n < 100; n += 1) {
    now += 30_000;
    owners.noteEnd(`user-${n}`);
  }
  expect(owners.list()).toEqual(["user-98", "user-99"]);
});

test("a host that is the only one to call and wants no log keeps its lines from the others", () => {
  const calls = createActiveCalls();
  const leave = calls.enter({ host: { person: {}, owner: undefined } });
  expect(calls.findLogReaders("info")).toEqual({ hosts: [], isForAll: false });
  leave({ isReplied: true });
  // A run has no host.
  calls.enter({});
  expect(calls.findLogReaders("info")).toEqual({ hosts: [], isForAll: true });
});

test("of two requests of one host, the one that wants a line carries it", () => {
  const calls = createActiveCalls();
  const person = {};
  const errors = { person, owner: undefined, logLevel: "error" as const, log() {} };
  const all = { person, owner: undefined, logLevel: "debug" as const, log() {} };
  calls.enter({ host: errors });
  calls.enter({ host: all });
  expect([calls.findLogReaders("info").hosts[0], calls.findLogReaders("error").hosts[0]]).toEqual([all, errors]);
  expect(calls.findLogReaders("debug").hosts).toHaveLength(1);
});

test("where all hosts may read a line, those that call read it with their calls, each once", () => {
  const calls = createActiveCalls();
  const [one, other] = [
    { person: { one: 1 }, owner: undefined, log() {} },
    { person: {}, owner: undefined, log() {} },
  ];
  const leave = calls.enter({ host: one });
  calls.enter({ host: other });
  calls.enter({ host: { ...one } });
  calls.enter({ host: { person: {}, owner: undefined } });
  const { hosts, isForAll } = calls.findLogReaders("info");
  expect([hosts[0] === one, hosts[1] === other, hosts.length, isForAll]).toEqual([true, true, 2, true]);
  leave({ isReplied: true });
  expect(calls.findLogReaders("info").hosts.map(({ person }) => person)).toEqual([other.person, one.person]);
});
