import { silenceError } from "./errors.ts";
import type { ModelSettings } from "./settings.ts";

/** Watches one call for silence. Its signal aborts on it with a `timeout` error, and with the caller's signal. */
export interface Silence {
  readonly signal: AbortSignal;
  /** Bytes arrived: comments and empty lines count. From the first on, silence is limited. */
  heard(): void;
  /** Content arrived: the limit of the first one is off. */
  content(): void;
  /** Whether we are waiting for the server; while the reader is busy, silence is not the server's. */
  waiting: boolean;
  /** Stops the watch. */
  close(): void;
}

export function watchSilence(settings: ModelSettings, caller: AbortSignal): Silence {
  const { firstContentMs = 30_000, idleMs = 60_000 } = settings;
  const controller = new AbortController();
  const follow = (): void => controller.abort(caller.reason);
  if (caller.aborted) follow();
  caller.addEventListener("abort", follow, { once: true });
  const first = setTimeout(() => controller.abort(silenceError(settings, noContent(firstContentMs))), firstContentMs);
  let idle: NodeJS.Timeout | undefined;
  const silence: Silence = {
    signal: controller.signal,
    waiting: true,
    heard() {
      if (idle) idle.refresh();
      else idle = setTimeout(fellSilent, idleMs);
    },
    content() {
      clearTimeout(first);
    },
    close() {
      clearTimeout(first);
      clearTimeout(idle);
      caller.removeEventListener("abort", follow);
    },
  };
  function fellSilent(): void {
    if (silence.waiting) controller.abort(silenceError(settings, stalled(idleMs)));
    else idle?.refresh();
  }
  return silence;
}

function noContent(ms: number) {
  return { zh: `${ms / 1000} 秒内没有任何内容（超时）`, en: `timed out: no content within ${ms / 1000} s` };
}

function stalled(ms: number) {
  return { zh: `回答中断，${ms / 1000} 秒没有数据（超时）`, en: `timed out: the answer stalled for ${ms / 1000} s` };
}
