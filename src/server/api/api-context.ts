import type { RunService } from "../../runs/run-service.ts";
import { createFrames, type TakeFrames } from "./event-frames.ts";
import { createKeyedRuns, type KeyedRuns } from "./idempotency.ts";

/** What the routes of the agent API share. */
export interface ApiContext extends RunService {
  keyed: KeyedRuns;
  takeFrames: TakeFrames;
  times: ApiTimes;
}

/** In milliseconds. */
export interface ApiTimes {
  /** Silence in an event stream after which a comment is sent. */
  keepAlive: number;
  /** How long a run goes on for a reader of its events who has left, and may come back. */
  comeBack: number;
  /** How long a reader may take for what is left when its run has ended: till then all its events are kept. */
  rest: number;
  /** How long a run that is cancelled is waited for. */
  cancel: number;
}

export const defaultTimes: ApiTimes = { keepAlive: 10_000, comeBack: 30_000, rest: 60_000, cancel: 2000 };

export function openApiContext(service: RunService, times: ApiTimes): ApiContext {
  return { ...service, keyed: createKeyedRuns(), takeFrames: createFrames(), times };
}
