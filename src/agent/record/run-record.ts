import type { StoredBytes } from "../../core/files/run-files.ts";
import type { ToolCall } from "../../core/model/messages.ts";
import type { TurnCharge } from "../../core/model/turn-charge.ts";
import { LostRunError, type RecordedStep, type RunJournal } from "../../core/store/journal.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import type { RunClock } from "../limits/run-clock.ts";
import { createRunMove } from "./move-run.ts";
import {
  canHaveRun,
  isRecordedCall,
  isRecordedIntent,
  isRecordedTurn,
  type RecordedCall,
  type RecordedIntent,
  type RecordedTurn,
} from "./recorded-steps.ts";
import { settleCharges, settleWithStep, toStepUsage } from "./settle-charges.ts";

/**
 * Records the finished steps of one run and, where the run goes on after its process has ended, gives back what is recorded. A
 * run is resumed by running it again: what has a record is not done again. Until the first step without one, the time of the run
 * is that of the records. No method rejects because of the store.
 */
export interface RunRecord {
  /** Is true where an earlier process began the run. */
  readonly isResumed: boolean;
  /** Records that the run begins. Returns why that was not possible; the run then goes on without a record. */
  begin(open: () => Promise<RunJournal>): Promise<DuetError | undefined>;
  /** Returns the name of the next turn of this kind, with its record. The caller runs the turn where there is none. */
  findTurn(kind: string): { name: string; recorded: RecordedTurn | undefined };
  /** Resolves when the turn, with the intents of its calls, is stored, and what it is charged for is counted with it. */
  addTurn(name: string, turn: RecordedTurn, charges: readonly TurnCharge[]): Promise<void>;
  /** Counts what has no record, unless another process goes on with the run. */
  settle(charges: readonly TurnCharge[]): Promise<void>;
  /**
   * Records that these calls are about to be made, unless the turn says so that asked for them. `callIds` are their names in the
   * run; `consentIds` are the IDs of those that wait for a person.
   */
  intend(calls: readonly ToolCall[], intent: RecordedIntent): Promise<void>;
  /** Returns what a call came to; undefined where the caller has to make it. */
  findCall(callId: string): RecordedCall | undefined;
  /** Resolves when no other process can go on with the run by now. Throws where one does: nothing more is to be done here. */
  confirm(): Promise<void>;
  /** Returns true for a call that an earlier process may have begun, and of which nobody knows what it came to. */
  isOpen(callId: string): boolean;
  /** Records a call with the bytes of its images, and counts with it what it is charged for. */
  addCall(callId: string, call: RecordedCall, more: StepAdditions): Promise<void>;
  /** Asks a person, unless the answer is recorded. The question is recorded before it is asked, and the answer before it counts. */
  ask<T>(question: RecordedQuestion<T>): Promise<T | undefined>;
  /** Does something whose outcome may be another one at another time, and records that. `isKnown` recognises the record. */
  remember<T>(name: string, isKnown: (value: unknown) => value is T, work: () => Promise<T>): Promise<T>;
  /**
   * Gives what is recorded under this name, or takes something now and records it, unless that is undefined. While steps are given
   * back nothing is taken: what an earlier process had taken by then is recorded.
   */
  deliver<T>(name: string, isKnown: (value: unknown) => value is T, take: () => T | undefined): Promise<T | undefined>;
  /** Records something that has happened. */
  note(name: string, data: unknown): Promise<void>;
  /** Lists what an earlier process has recorded as `message:ID` and not among what was delivered. */
  listUndelivered<T extends { id: string }>(
    isMessage: (value: unknown) => value is T,
    isDelivered: (value: unknown) => value is T[],
  ): T[];
  /** Lists the numbers under which results could be read on. */
  readonly resultNumbers: readonly number[];
  /**
   * Lets the run go here, before its next model turn, where this process wants to end: its calls have ended, and another process goes on.
   * Throws then.
   */
  leaveIfAsked(): Promise<void>;
  /** Records that somebody has ended the run, so that nobody resumes it. */
  stop(): void;
}

export interface RecordedQuestion<T> {
  name: string;
  /** Recognises a recorded answer. */
  isAnswer(value: unknown): value is T;
  /** Is true where no answer says nothing about the person, who is then asked again. */
  mayBeWithdrawn?: boolean;
  /** Is true where the question belongs to a call that has begun, whose outcome nobody would know if the run were let go. */
  isInCall?: boolean;
  ask(): Promise<T | undefined>;
}

export interface RunRecordOptions {
  /** Takes the records of a run that goes on. Nothing is recorded where it is absent, until the run begins. */
  journal?: RunJournal | undefined;
  /** Holds what an earlier process has recorded. */
  steps?: readonly RecordedStep[] | undefined;
  /** Aborts when this process wants to end, and the run is to go on in another one. */
  leaving?: AbortSignal | undefined;
  clock: Pick<RunClock, "getSpentMs" | "advanceTo" | "resume">;
  /** Is called once, when a step could not be recorded. */
  onFailure(problem: DuetError): void;
}

export function createRunRecord({ steps, clock, leaving, onFailure, ...options }: RunRecordOptions): RunRecord {
  let { journal } = options;
  const known = new Map((steps ?? []).map((step) => [step.name, step]));
  const lastMs = Math.max(0, ...(steps ?? []).map(({ spentMs }) => spentMs));
  const counts = new Map<string, number>();
  let asked: AskedCalls = { ids: new Set(), consentIds: new Set(), isReplayed: false };
  const open = new Set<string>();
  let isLive = steps === undefined;
  let hasFailed = false;
  let isForbidden = false;
  let isStopped = false;
  const stopped = Promise.withResolvers<void>();
  // A run that still repeats its records is not let go.
  const move = createRunMove({ leaving, getJournal: () => (isLive ? journal : undefined) });

  /** Leaves the records behind. */
  function leaveRecords(): void {
    if (isLive) return;
    isLive = true;
    clock.advanceTo(lastMs);
    clock.resume();
  }

  function find(name: string): unknown {
    const step = known.get(name);
    if (step !== undefined && !isLive) clock.advanceTo(step.spentMs);
    return step?.data;
  }

  async function forbid(reason: "stopped" | "unrecorded"): Promise<void> {
    if (journal === undefined || isForbidden) return;
    isForbidden = true;
    const forbidding = journal.forbid(reason).catch((thrown: unknown) => {
      isForbidden = false;
      throw thrown;
    });
    await ignoreRejection(forbidding, "the next step tries again, and the run has told that it is not recorded");
  }

  /** Returns true where another process goes on with the run, which a step shows whose record has failed with `thrown`. */
  function isElsewhere(thrown?: unknown): boolean {
    return journal?.moved !== undefined && (journal.moved.aborted || thrown instanceof LostRunError);
  }

  /** Counts by itself what has no record, or whose record has failed with `thrown`. */
  function settle(charges: readonly TurnCharge[], thrown?: unknown): Promise<void> {
    return settleCharges(charges, !isStopped && isElsewhere(thrown));
  }

  async function add(name: string, data: unknown, { files, charges = [] }: StepAdditions = {}): Promise<void> {
    // Nobody goes on with a run that somebody has ended, so what it still does needs no record.
    if (journal === undefined || isStopped) return settle(charges);
    if (hasFailed) {
      await settle(charges);
      return forbid("unrecorded");
    }
    try {
      const usage = toStepUsage(charges);
      const adding = journal.add({ name, spentMs: Math.round(clock.getSpentMs()), data, files, usage });
      const counted = settleWithStep(charges, adding)
        .catch((thrown: unknown) => settle(charges, thrown))
        .then(() => adding);
      // A store that cannot be written keeps nobody from ending the run.
      await Promise.race([counted, stopped.promise]);
      if (isStopped) void ignoreRejection(counted, "nobody goes on with a run that somebody has ended");
    } catch (thrown) {
      // It goes on elsewhere, and does nothing more here.
      if (isElsewhere(thrown)) throw thrown;
      if (hasFailed || isStopped) return;
      hasFailed = true;
      await forbid("unrecorded");
      onFailure(toDuetError(thrown));
    }
  }

  return {
    isResumed: steps !== undefined,
    async begin(open) {
      try {
        journal = await open();
        return undefined;
      } catch (thrown) {
        return toDuetError(thrown);
      }
    },
    findTurn(kind) {
      const n = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, n);
      const name = `turn:${kind}:${n}`;
      const data = find(name);
      const recorded = isRecordedTurn(data) ? data : undefined;
      if (recorded === undefined) leaveRecords();
      else asked = toAsked(recorded, true);
      return { name, recorded };
    },
    async addTurn(name, recorded, charges) {
      asked = toAsked(recorded, false);
      await add(name, recorded, { charges });
    },
    settle: (charges) => settle(charges),
    async intend(calls, intent) {
      const { callIds } = intent;
      const [first] = callIds;
      if (first === undefined) return;
      const isAsked = calls.every(({ id }) => asked.ids.has(id));
      const name = `calls:${first}`;
      const recorded = isAsked ? undefined : find(name);
      const isReplayed = isAsked ? asked.isReplayed : recorded !== undefined;
      if (isReplayed) {
        const consentIds = isRecordedIntent(recorded) ? new Set(recorded.consentIds) : asked.consentIds;
        for (const [index, id] of callIds.entries()) {
          const needsConsent = consentIds.has(calls[index]?.id ?? "");
          if (!known.has(`call:${id}`) && canHaveRun(known, id, needsConsent)) open.add(id);
        }
      } else if (!isAsked) {
        leaveRecords();
        await add(name, intent);
      }
    },
    findCall(callId) {
      const data = find(`call:${callId}`);
      if (isRecordedCall(data)) return data;
      leaveRecords();
      move.beginCall(callId);
      return undefined;
    },
    async confirm() {
      if (!hasFailed && !isStopped) await journal?.confirm?.();
    },
    isOpen: (callId) => open.has(callId),
    async addCall(callId, call, more) {
      await add(`call:${callId}`, call, more);
      move.endCall(callId);
    },
    async ask({ name, isAnswer, mayBeWithdrawn = false, isInCall = false, ask }) {
      const answer = find(`answer:${name}`);
      if (answer === null) return undefined;
      if (isAnswer(answer)) return answer;
      leaveRecords();
      if (find(`question:${name}`) === undefined) await add(`question:${name}`, true);
      const reply = await (isInCall ? ask() : move.askOrLeave(ask));
      if (reply !== undefined || !mayBeWithdrawn) await add(`answer:${name}`, reply ?? null);
      return reply;
    },
    async remember(name, isKnown, work) {
      const n = (counts.get(name) ?? 0) + 1;
      counts.set(name, n);
      const data = find(`${name}:${n}`);
      if (isKnown(data)) return data;
      leaveRecords();
      const made = await work();
      await add(`${name}:${n}`, made);
      return made;
    },
    async deliver(name, isKnown, take) {
      const data = find(name);
      if (isKnown(data)) return data;
      if (!isLive) return undefined;
      const taken = take();
      if (taken !== undefined) await add(name, taken);
      return taken;
    },
    note: (name, data) => add(name, data),
    listUndelivered(isMessage, isDelivered) {
      const all = steps ?? [];
      const done = new Set(
        all.flatMap(({ name, data }) =>
          name.startsWith("messages:") && isDelivered(data) ? data.map(({ id }) => id) : [],
        ),
      );
      return all.flatMap(({ name, data }) =>
        name.startsWith("message:") && isMessage(data) && !done.has(data.id) ? [data] : [],
      );
    },
    resultNumbers: (steps ?? []).flatMap(({ data }) =>
      isRecordedCall(data) && data.number !== undefined ? [data.number] : [],
    ),
    leaveIfAsked: move.leaveIfAsked,
    stop() {
      isStopped = true;
      stopped.resolve();
      void forbid("stopped");
    },
  };
}

/** Is what comes with a step: the bytes that it names, and what it is charged for. */
export interface StepAdditions {
  files?: readonly StoredBytes[] | undefined;
  charges?: readonly TurnCharge[];
}

/** Holds the IDs of the calls that the last turn asks for, and whether the turn was replayed. */
interface AskedCalls {
  ids: ReadonlySet<string>;
  consentIds: ReadonlySet<string>;
  isReplayed: boolean;
}

function toAsked({ turn, consentIds }: RecordedTurn, isReplayed: boolean): AskedCalls {
  return { ids: new Set(turn?.message.toolCalls.map(({ id }) => id)), consentIds: new Set(consentIds), isReplayed };
}
