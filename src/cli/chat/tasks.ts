/**
 * Holds what a chat is doing and a person can stop, and whether it goes on after that. A task may begin within another one; a stop is
 * for the inner one.
 */
export interface Tasks {
  readonly isRunning: boolean;
  /** Is true once the chat is to end: nobody is asked anything more. */
  readonly isLeaving: boolean;
  /** Does something that can be stopped. What it throws is reported, and the chat goes on: the result is then undefined. */
  run<T>(task: (stop: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Stops what is being done, and returns whether anything is. */
  stop(): boolean;
  /** Says that nothing can be stopped any more, although the task that is told to be over has not returned yet. */
  finish(): void;
  /** Ends the chat once what is going on has ended. */
  leave(): void;
  /** Ends the chat, and stops what is going on. */
  leaveAtOnce(): void;
}

export interface TasksOptions {
  /** Stops every task. */
  signal: AbortSignal;
  onFailure(thrown: unknown, stop: AbortSignal): void;
  onEnd(): void;
}

export function createTasks({ signal, onFailure, onEnd }: TasksOptions): Tasks {
  let current: AbortController | undefined;
  let isLeaving = false;

  function stopCurrent(): boolean {
    current?.abort();
    return current !== undefined;
  }

  function leave(): void {
    isLeaving = true;
  }

  return {
    get isRunning() {
      return current !== undefined;
    },
    async run(task) {
      const mine = new AbortController();
      const outer = current;
      current = mine;
      const stop = AbortSignal.any([signal, mine.signal]);
      try {
        return await task(stop);
      } catch (thrown) {
        onFailure(thrown, stop);
        return undefined;
      } finally {
        current = outer;
        onEnd();
      }
    },
    get isLeaving() {
      return isLeaving;
    },
    stop: stopCurrent,
    finish() {
      current = undefined;
    },
    leave,
    leaveAtOnce() {
      leave();
      stopCurrent();
    },
  };
}
