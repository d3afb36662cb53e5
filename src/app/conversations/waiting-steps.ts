import type { NewStep, RunJournal } from "../../core/store/journal.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";

/** Is how long a step may wait to be stored, in milliseconds. */
const mostWaitMs = 50;

/**
 * Stores a step that may wait together with what the run stores next, and after a moment where nothing comes. The steps of a run are
 * stored in their order, and none is stored after one that could not be.
 */
export function withWaitingSteps(run: RunJournal): RunJournal {
  let waiting: NewStep[] = [];
  let timer: NodeJS.Timeout | undefined;
  let failure: { thrown: unknown } | undefined;

  function takeWaiting(): NewStep[] {
    clearTimeout(timer);
    timer = undefined;
    const steps = waiting;
    waiting = [];
    return steps;
  }

  /** Hands over in one turn of the event loop what is to be one transaction. */
  async function store(steps: readonly NewStep[]): Promise<void> {
    if (failure) throw failure.thrown;
    try {
      await Promise.all(steps.map((step) => run.add(step)));
    } catch (thrown) {
      failure = { thrown };
      throw thrown;
    }
  }

  function storeWaiting(): void {
    void ignoreRejection(store(takeWaiting()), "the next step rejects with it");
  }

  return {
    ...run,
    async add(step) {
      if (failure || !step.mayWait) return store([...takeWaiting(), step]);
      waiting.push(step);
      // All runs of the process store what waits at the same moments.
      timer ??= setTimeout(storeWaiting, mostWaitMs - (performance.now() % mostWaitMs));
    },
    async addEvents(from, events) {
      // Nobody is told of a step that a later process would not know.
      storeWaiting();
      await run.addEvents(from, events);
    },
    async forbid(reason) {
      takeWaiting();
      await run.forbid(reason);
    },
    end: () => void takeWaiting(),
  };
}
