import { DuetError } from "../core/errors.ts";
import { type Locale, say, type Text } from "../core/locale.ts";
import { type Model, modelName } from "../core/model.ts";
import type { Notice } from "../core/notice.ts";
import { sleep } from "../core/waiting.ts";
import type { Passage } from "./breaker.ts";
import type { Endpoint } from "./endpoints.ts";
import { isContent } from "./turn.ts";

export interface RetryOptions {
  locale?: Locale;
  /** What the whole call may take, in milliseconds: no wait is begun that would not end within it. */
  limitMs?: number;
  /** What is shared with the other callers of this address. */
  endpoint?: Endpoint;
  /** For tests: waits, and rejects with the signal's reason. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** For tests: 0 to below 1. */
  random?: () => number;
  /** For tests: milliseconds that only grow. */
  now?: () => number;
}

const retries = 3;
/** Nobody waits longer for one model; a vendor that asks for more is an error that names the time. */
const longestWaitMs = 60_000;

/**
 * Tries a call again, at most three times, only as long as nothing of an answer was handed on, and only while the
 * endpoint's breaker and its retry budget allow it. Each retry is a `notice`. A try that timed out before its first
 * content is repeated if another as long fits into the limit.
 */
export function withRetry(model: Model, options: RetryOptions = {}): Model {
  const { locale = "en", limitMs = Number.POSITIVE_INFINITY, endpoint, random = Math.random } = options;
  const { sleep: wait = sleep, now = () => performance.now() } = options;
  const name = modelName(model);
  return {
    provider: model.provider,
    model: model.model,
    async *stream(request, signal) {
      const deadline = now() + limitMs;
      endpoint?.budget.began();
      for (let attempt = 0; ; attempt++) {
        const began = now();
        const passage = signal.aborted ? undefined : endpoint?.breaker.enter(name);
        let taken = false;
        let told = false;
        try {
          for await (const event of model.stream(request, signal)) {
            if (!taken && isContent(event)) {
              taken = true;
              // Who speaks is up: the others need not wait for the end of this answer.
              passage?.answered();
            }
            yield event;
          }
          told = true;
          return;
        } catch (thrown) {
          told = true;
          tellEnd(passage, thrown, signal);
          if (signal.aborted || taken || attempt >= retries || !isTransient(thrown)) throw thrown;
          const delay = delayOf(thrown, attempt, random());
          const needed = thrown.code === "timeout" ? now() - began : 0;
          if (now() + delay + needed >= deadline) throw thrown;
          if (endpoint && !(endpoint.breaker.closed && endpoint.budget.take())) throw thrown;
          yield notice(thrown, name, delay, attempt + 1, request.locale ?? locale);
          await wait(delay, signal);
        } finally {
          if (!told) passage?.left();
        }
      }
    },
  };
}

function tellEnd(passage: Passage | undefined, thrown: unknown, signal: AbortSignal): void {
  // The call's own time limit aborts too: a vendor that lets it run out is down, one whose caller left is not.
  const reason = signal.aborted ? signal.reason : thrown;
  const error = reason instanceof DuetError && (!signal.aborted || reason.code === "timeout") ? reason : undefined;
  const verdict = error && verdicts[error.code];
  if (error && verdict === "down") passage?.failed(error);
  else if (verdict === "up") passage?.answered();
  else passage?.left();
}

/** What an error says of its endpoint: that it is down, that it is up and refuses, or neither (a missing key). */
const verdicts: Partial<Record<DuetError["code"], "down" | "up">> = {
  overloaded: "down",
  server: "down",
  network: "down",
  timeout: "down",
  rate_limit: "up",
  quota: "up",
  invalid_request: "up",
  context_overflow: "up",
  content_filter: "up",
};

function isTransient(thrown: unknown): thrown is DuetError {
  if (!(thrown instanceof DuetError) || !thrown.retryable) return false;
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
