import type { ModelSettings } from "../../core/model/model-settings.ts";
import { idleTimeoutError } from "../errors/errors.ts";

/** Says what the model has sent of its turn. A sign of reasoning does not count as words. */
export type TurnProgress = "nothing" | "thinking" | "words";

/** Watches one call for silence. Its signal aborts on it with a `timeout` error, and with the caller's signal. */
export interface IdleTimeout {
  readonly signal: AbortSignal;
  /** Reports that bytes arrived, including comments and pings, and restarts the timeout for silence within an answer. */
  heard(): void;
  /**
   * Reports how much of its turn the model has sent. The first sign of content or reasoning ends the wait for the first content.
   */
  sent(much: TurnProgress): void;
  /** Stops the watch. */
  close(): void;
}

/** Limits silence within an answer, in milliseconds, when the settings give no limit. */
export const defaultIdleMs = 60_000;

/**
 * Limits the wait for the first content to `timeoutMs`, and each later silence to `idleMs`. A model that has only shown that it
 * reasons may stay silent for as long as before its first content, if that is longer.
 */
export function createIdleTimeout(settings: ModelSettings, caller: AbortSignal): IdleTimeout {
  const { timeoutMs, idleMs = defaultIdleMs } = settings;
  const limits: Record<TurnProgress, number> = { nothing: 0, thinking: Math.max(idleMs, timeoutMs), words: idleMs };
  const controller = new AbortController();
  const follow = (): void => controller.abort(caller.reason);
  if (caller.aborted) follow();
  caller.addEventListener("abort", follow, { once: true });
  const first = setTimeout(() => controller.abort(idleTimeoutError(settings, noContentError(timeoutMs))), timeoutMs);
  let idle: NodeJS.Timeout | undefined;
  let isSilent = false;
  let so: TurnProgress = "nothing";
  return {
    signal: controller.signal,
    heard() {
      isSilent = false;
      idle?.refresh();
    },
    sent(much) {
      if (much === so) return;
      so = much;
      clearTimeout(first);
      clearTimeout(idle);
      idle = setTimeout(abortSilent, limits[much]);
    },
    close() {
      isSilent = false;
      clearTimeout(first);
      clearTimeout(idle);
      caller.removeEventListener("abort", follow);
    },
  };
  /** Reads what arrived while this process was busy before it calls the server silent: timers come before sockets. */
  function abortSilent(): void {
    isSilent = true;
    setImmediate(() => {
      if (isSilent) controller.abort(idleTimeoutError(settings, stalledError(limits[so])));
    });
  }
}

function noContentError(ms: number) {
  return { zh: `${ms / 1000} 秒内没有任何内容（超时）`, en: `timed out: no content within ${ms / 1000} s` };
}

function stalledError(ms: number) {
  return { zh: `回答中断，${ms / 1000} 秒没有数据（超时）`, en: `timed out: the answer stalled for ${ms / 1000} s` };
}
