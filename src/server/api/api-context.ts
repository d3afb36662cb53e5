import { createKeyedMutex, type KeyedMutex } from "../../kit/async/semaphore.ts";
import type { RunService } from "../../runs/run-service.ts";
import { createKeyedRuns, type KeyedRuns } from "./chat/keyed-runs.ts";
import { type Changes, createChanges } from "./conversations/changes.ts";
import { findRunElsewhere } from "./conversations/find-conversation.ts";
import { createQuestionQueues, type QuestionQueues, type QueueOptions } from "./conversations/question-queues.ts";
import { createFrames, type TakeFrames } from "./events/event-frames.ts";

/** Holds what the routes of the agent API share. */
export interface ApiContext extends RunService {
  keyed: KeyedRuns;
  takeFrames: TakeFrames;
  times: ApiTimes;
  changes: Changes;
  queue: QuestionQueues;
  /** Lets the searches of each caller through one at a time. */
  searches: KeyedMutex;
  /** Is true where a model may write the titles of conversations. */
  makesTitles: boolean;
}

export interface ApiTimes {
  /** Is the silence in an event stream after which a comment is sent. */
  keepAlive: number;
  /** Is how long a run continues after a reader of its events has left, in case it comes back. */
  comeBack: number;
  /** Limits how long a reader may take to read the rest after its run has ended. All the events are kept until then. */
  rest: number;
  /** Limits how long a cancelled run is waited for. */
  cancel: number;
  /** Is how often it is looked at whether another process has changed something that a page shows. */
  lookAround: number;
}

export const defaultTimes: ApiTimes = {
  keepAlive: 10_000,
  comeBack: 30_000,
  rest: 60_000,
  cancel: 2000,
  lookAround: 2000,
};

export function openApiContext(
  service: RunService,
  times: ApiTimes,
  { makesTitles, beginWaiting }: Pick<ApiContext, "makesTitles"> & { beginWaiting: QueueOptions["begin"] },
): ApiContext {
  const changes = createChanges();
  const shared = {
    keyed: createKeyedRuns(),
    takeFrames: createFrames(),
    times,
    changes,
    makesTitles,
    searches: createKeyedMutex(),
  };
  const queue = createQuestionQueues({
    ...{ runs: service.runs, changes, begin: beginWaiting },
    findElsewhere: service.duet.storedRuns.areShared
      ? (caller, id) => findRunElsewhere(service, caller, id)
      : undefined,
  });
  return { ...service, ...shared, queue };
}
