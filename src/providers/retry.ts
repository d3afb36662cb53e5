import { DuetError } from "../core/errors.ts";
import { type Locale, say, type Text } from "../core/locale.ts";
import { type Model, type ModelEvent, modelName } from "../core/model.ts";
import type { Notice } from "../core/notice.ts";
import { sleep } from "../core/waiting.ts";

export interface RetryOptions {
  locale?: Locale;
  /** What the whole call may take, in milliseconds: no wait is begun that would not end within it. */
  limitMs?: number;
  /** For tests: waits, and rejects with the signal's reason. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** For tests: 0 to below 1. */
  random?: () => number;
}

const retries = 3;
/** Nobody waits longer for one model; a vendor that asks for more is an error that names the time. */
const longestWaitMs = 60_000;

/**
 * Tries a call again, at most three times and only as long as nothing of an answer was handed on. Each retry is a
 * `notice`. Our own time limits are not tried again: that time is spent.
 */
export function withRetry(model: Model, options: RetryOptions = {}): Model {
  const { locale = "en", limitMs = Number.POSITIVE_INFINITY, random = Math.random } = options;
  const wait = options.sleep ?? sleep;
  return {
    provider: model.provider,
    model: model.model,
    async *stream(request, signal) {
      const deadline = performance.now() + limitMs;
      for (let attempt = 0; ; attempt++) {
        let taken = false;
        try {
          for await (const event of model.stream(request, signal)) {
            taken ||= isContent(event);
            yield event;
          }
          return;
        } catch (thrown) {
          if (signal.aborted || taken || attempt >= retries || !isTransient(thrown)) throw thrown;
          const delay = delayOf(thrown, attempt, random());
          if (performance.now() + delay >= deadline) throw thrown;
          yield notice(thrown, modelName(model), delay, attempt + 1, locale);
          await wait(delay, signal);
        }
      }
    },
  };
}

function isContent(event: ModelEvent): boolean {
  return event.type !== "notice";
}

function isTransient(thrown: unknown): thrown is DuetError {
  if (!(thrown instanceof DuetError) || !thrown.retryable || thrown.code === "timeout") return false;
  return (thrown.retryAfterMs ?? 0) <= longestWaitMs;
}

/** What the vendor asks, but never at once; else half a second, doubled each time, to eight. Chance spreads a herd. */
function delayOf(error: DuetError, attempt: number, chance: number): number {
  if (error.retryAfterMs !== undefined) return Math.round(Math.max(250, error.retryAfterMs) + 250 * chance);
  return Math.round(Math.min(8000, 500 * 2 ** attempt) * (0.5 + 0.5 * chance));
}

function notice(error: DuetError, name: string, delay: number, attempt: number, locale: Locale): Notice {
  const seconds = (delay / 1000).toFixed(1);
  const text: Text = {
    zh: `${seconds} 秒后重试 ${name}（${attempt}/${retries}）：${error.text.zh}`,
    en: `trying ${name} again in ${seconds} s (${attempt}/${retries}): ${error.text.en}`,
  };
  return { type: "notice", level: "warning", code: "retry", message: say(locale, text) };
}
