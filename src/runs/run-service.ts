import type { Duet } from "../app/duet.ts";
import type { Config } from "../config/config.ts";
import type { Caller } from "../core/caller.ts";
import type { Mode } from "../core/outcome.ts";
import { createCallerLimits } from "./limits/caller-limits.ts";
import { type Confirmations, createConfirmations } from "./questions/confirmation-tokens.ts";
import type { RunHandle } from "./run-handle.ts";
import { createRunRegistry, type RunRegistry } from "./run-registry.ts";

/** Holds what all interfaces to the agent share: one set of runs, whoever began them and over which interface. */
export interface RunService {
  duet: Duet;
  settings: Config["serve"];
  runs: RunRegistry;
  confirmations: Confirmations;
  /** Is the mode of a question that names none. */
  mode: Mode | undefined;
  /** Takes each thought, tool input and output, line by line; absent unless they are wanted. */
  logSteps: ((line: string) => void) | undefined;
}

/** Adds one caller to the shared run service. */
export interface CallerScope extends RunService {
  caller: Caller;
}

export interface RunServiceOptions {
  settings: Config["serve"];
  mode?: Mode | undefined;
  logSteps?: ((line: string) => void) | undefined;
  onBegin?: ((run: RunHandle) => void) | undefined;
  onEnd?: ((run: RunHandle) => void) | undefined;
}

export function openRunService(
  duet: Duet,
  { settings, mode, logSteps, onBegin, onEnd }: RunServiceOptions,
): RunService {
  const most = settings.maxRuns;
  const limits = createCallerLimits({ limits: settings.limits, most, isShared: settings.http.auth !== undefined });
  const runs = createRunRegistry({ most, keepMs: settings.keepResults * 1000, limits, onBegin, onEnd });
  return { duet, settings, runs, confirmations: createConfirmations(), mode, logSteps };
}

/**
 * Releases the run on behalf of these holders. If nobody else holds it, it is cancelled, unless the configuration says
 * otherwise.
 */
export function releaseRun(
  { settings }: Pick<RunService, "settings">,
  run: RunHandle,
  holders: readonly object[],
): void {
  const wasLast = holders.map((holder) => run.release(holder)).includes(true);
  if (wasLast && settings.onDisconnect === "cancel") run.cancel();
}
