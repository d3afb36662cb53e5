import type { StoredBytes } from "../../core/files/run-files.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Spend, StepUsage } from "../../core/store/daily-usage.ts";
import {
  type InterruptedRun,
  type Journal,
  keepEventsMs,
  LostRunError,
  type RecordedStep,
  type RunJournal,
} from "../../core/store/journal.ts";

export interface MemoryJournal {
  /** Returns the journal as a process sees it. The runs of another one are interrupted once that is closed. */
  open(): Journal & { close(): void };
  /** Runs when the run has been stored. */
  end(runId: string, owner: string | undefined): void;
  /** Removes the records of a conversation's runs. */
  removeOf(conversationId: string, owner: string | undefined): void;
}

interface MemoryRun extends Omit<InterruptedRun, "lastAt"> {
  state: "going" | "ended" | Parameters<RunJournal["forbid"]>[0];
  holder: object;
  ends: number;
  takenSteps: number;
  endedAt: number | undefined;
  /** Holds each value as JSON, so that nobody changes what is recorded. */
  steps: Map<string, string>;
  events: string[];
  files: Map<string, StoredBytes>;
}

/** Counts what a step of an owner's run has used. Returns all that the owner has used today. */
export type CountUsage = (owner: string | undefined, usage: StepUsage) => Spend;

/** Keeps the journal for as long as the process lives. */
export function createMemoryJournal(countUsage: CountUsage, now: () => number = Date.now): MemoryJournal {
  const runs = new Map<string, MemoryRun>();
  const closed = new WeakSet<object>();
  const toTime = (): string => new Date(now()).toISOString();

  function prune(): void {
    for (const [id, { endedAt }] of runs) if (endedAt !== undefined && endedAt < now() - keepEventsMs) runs.delete(id);
  }

  const listSteps = ({ steps }: MemoryRun): RecordedStep[] => [...steps.values()].map((text) => JSON.parse(text));
  const listEvents = ({ events }: MemoryRun): AgentEvent[] => events.map((text) => JSON.parse(text));

  function toInterrupted(run: MemoryRun): InterruptedRun {
    const { runId, owner, conversationId, header, begunAt } = run;
    return { runId, owner, conversationId, header, begunAt, lastAt: listSteps(run).at(-1)?.at ?? begunAt };
  }

  const isGone = ({ state, holder }: MemoryRun): boolean => state === "going" && closed.has(holder);

  function findGone(runId: string): MemoryRun | undefined {
    const run = runs.get(runId);
    return run && isGone(run) ? run : undefined;
  }

  function openRun(runId: string, holder: object): RunJournal {
    function getHeld(): MemoryRun {
      const run = runs.get(runId);
      if (run === undefined || run.holder !== holder || run.state !== "going") throw new LostRunError(runId);
      return run;
    }
    return {
      runId,
      async add({ files = [], usage, ...step }) {
        const run = getHeld();
        for (const file of files) run.files.set(file.hash, file);
        run.steps.set(step.name, JSON.stringify({ ...step, at: toTime() }));
        return usage && countUsage(run.owner, usage);
      },
      async addEvents(from, events) {
        const run = runs.get(runId);
        if (run?.holder !== holder) throw new LostRunError(runId);
        for (const [index, event] of events.entries()) run.events[from + index] = JSON.stringify(event);
      },
      async forbid(reason) {
        const run = runs.get(runId);
        if (run?.holder === holder && run.state === "going") run.state = reason;
      },
    };
  }

  return {
    open() {
      const holder = {};
      return {
        async begin({ runId, owner, conversationId, header, files = [] }) {
          prune();
          const facts = { runId, owner, conversationId, header: structuredClone(header), begunAt: toTime() };
          const counts = { ends: 0, takenSteps: 0, endedAt: undefined };
          const named = new Map(files.map((file) => [file.hash, file]));
          const empty = { steps: new Map(), events: [] };
          runs.set(runId, { ...facts, ...counts, ...empty, state: "going", holder, files: named });
          return openRun(runId, holder);
        },
        async listInterrupted(id) {
          const all = [...runs.values()].filter((run) => id === undefined || run.conversationId === id);
          return all.filter(isGone).map(toInterrupted);
        },
        async findInterrupted(runId) {
          const run = findGone(runId);
          return run && toInterrupted(run);
        },
        async isGoing(runId) {
          const run = runs.get(runId);
          return run?.state === "going" && !closed.has(run.holder);
        },
        async take(runId) {
          const run = findGone(runId);
          if (run === undefined) return undefined;
          run.holder = holder;
          run.ends = run.steps.size === run.takenSteps ? run.ends + 1 : 0;
          run.takenSteps = run.steps.size;
          const records = { steps: listSteps(run), events: listEvents(run), files: [...run.files.values()] };
          return { ...toInterrupted(run), ends: run.ends, ...records, journal: openRun(runId, holder) };
        },
        async events(runId, owner) {
          const run = runs.get(runId);
          return run === undefined || run.owner !== owner ? [] : listEvents(run);
        },
        close: () => void closed.add(holder),
      };
    },
    end(runId, owner) {
      const run = runs.get(runId);
      if (run === undefined || run.owner !== owner) return;
      run.state = "ended";
      run.endedAt = now();
      run.steps.clear();
      run.files.clear();
    },
    removeOf(conversationId, owner) {
      for (const run of runs.values())
        if (run.conversationId === conversationId && run.owner === owner) runs.delete(run.runId);
    },
  };
}
