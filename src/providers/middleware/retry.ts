import { type Model, replaceStream, toModelName } from "../../core/model/model.ts";
import type { Notice } from "../../core/run/events.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { DuetError, toSeconds } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { CircuitCall } from "./circuit-breaker.ts";
import { createDelivery } from "./delivery.ts";
import type { RetryOptions } from "./middleware.ts";

/** Limits the wait for one model. A vendor that asks for more causes an error that names the time. */
const longestWaitMs = 60_000;

/** Limits the wait for a model, in milliseconds, while another one could take over. */
const patientMs = 2000;

/**
 * Repeats a failed call up to three times. A call is repeated only when no part of its answer was passed on and the model's
 * breaker and retry budget allow it; once and after a short wait where another model could take over. Each retry causes a
 * `notice`. A time-out is never retried, and a wait that is longer than `leftMs` of the run does not begin. When a retry ends in a time-out, the failure before it is thrown.
 */
export function withRetry(next: Model, options: RetryOptions = {}): Model {
  const { locale = "en", retries = 3, endpoint, random = Math.random, sleep: wait = sleep } = options;
  const name = toModelName(next);
  return replaceStream(next, async (request, onEvent, signal) => {
    const { run } = request;
    const visitor = { run: run?.id ?? Symbol("a call outside of any run"), isInteractive: run?.isInteractive };
    let cause: DuetError | undefined;
    endpoint?.budget.began();
    for (let attempt = 0; ; attempt++) {
      const circuitCall = signal.aborted ? undefined : endpoint?.breaker.enter(name, visitor);
      // A model that sends content is available, so other calls need not wait for the end of this answer.
      const delivery = createDelivery(onEvent, () => circuitCall?.answered());
      try {
        const turn = await next.stream(request, delivery.onEvent, signal);
        // A turn of calls alone has no content.
        circuitCall?.answered();
        return turn;
      } catch (thrown) {
        if (delivery.isRefused) circuitCall?.abandon();
        else reportEnd(circuitCall, thrown, signal);
        if (!delivery.isFinal && cause && isTimeout(thrown)) throw cause;
        const most = run?.hasFallback ? Math.min(retries, 1) : retries;
        if (signal.aborted || delivery.isFinal || attempt >= most || !isTransient(thrown)) throw thrown;
        const delay = getDelay(thrown, attempt, random());
        if (run?.hasFallback && delay > patientMs) throw thrown;
        const leftMs = run?.leftMs() ?? Number.POSITIVE_INFINITY;
        if (delay >= leftMs) throw tooLongWaitError(thrown, leftMs, run?.isAnswer);
        if (endpoint && !(endpoint.breaker.closed && endpoint.budget.reserve())) throw thrown;
        cause ??= thrown;
        const count = `${attempt + 1}/${most}`;
        onEvent(retryNotice(thrown, { name, delay, count, locale: request.locale ?? locale }));
        await wait(delay, signal).catch((reason) => {
          throw isTimeout(reason) ? cause : reason;
        });
      }
    }
  });
}

/** Is true when the time of the call, or the run's own, ran out. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof DuetError && thrown.code === "timeout";
}

function reportEnd(circuitCall: CircuitCall | undefined, thrown: unknown, signal: AbortSignal): void {
  const verdict = !signal.aborted && thrown instanceof DuetError ? verdicts[thrown.code] : undefined;
  if (verdict === "down" && thrown instanceof DuetError) circuitCall?.failed(thrown);
  else if (verdict === "up") circuitCall?.answered();
  else circuitCall?.abandon();
}

/**
 * Maps an error to the state of the model: down, or up and refusing. Other errors say neither: a key is missing, or the wait for
 * the first content was too long, which the question may have caused.
 */
const verdicts: Partial<Record<DuetError["code"], "down" | "up">> = {
  overloaded: "down",
  server: "down",
  network: "down",
  rate_limit: "up",
  quota: "up",
  invalid_request: "up",
  model_not_found: "up",
  context_overflow: "up",
  content_filter: "up",
};

function isTransient(thrown: unknown): thrown is DuetError {
  if (!(thrown instanceof DuetError) || !thrown.retryable || thrown.code === "timeout") return false;
  return (thrown.retryAfterMs ?? 0) <= longestWaitMs;
}

/** Returns the same failure with the reason why the requested delay is not waited for. */
function tooLongWaitError(error: DuetError, leftMs: number, isAnswer = false): DuetError {
  const { code, text, hint, retryable, retryAfterMs, status } = error;
  if (retryAfterMs === undefined) return error;
  const [asked, left] = [toSeconds(retryAfterMs), Math.floor(leftMs / 1000)];
  const reason = isAnswer
    ? { zh: `而运行只剩 ${left} 秒`, en: `and the run has ${left} s left` }
    : { zh: `而 ${left} 秒后就必须开始回答`, en: `and ${left} s are left before the answer must begin` };
  return new DuetError({
    ...{ code, hint, retryable, retryAfterMs, status, cause: error },
    text: {
      zh: `${text.zh}（要求等待 ${asked} 秒，${reason.zh}）`,
      en: `${text.en} (it asks to wait ${asked} s, ${reason.en})`,
    },
  });
}

/**
 * Returns the delay that the vendor asks for, and at least a quarter of a second; else half a second, doubled with each attempt,
 * up to eight. Random jitter keeps callers from retrying at the same time.
 */
function getDelay(error: DuetError, attempt: number, chance: number): number {
  if (error.retryAfterMs !== undefined) return Math.round(Math.max(250, error.retryAfterMs) + 250 * chance);
  return Math.round(Math.min(8000, 500 * 2 ** attempt) * (0.5 + 0.5 * chance));
}

interface RetryFacts {
  name: string;
  /** Holds milliseconds. */
  delay: number;
  /** Holds text such as `1/3`. */
  count: string;
  locale: Locale;
}

function retryNotice(error: DuetError, { name, delay, count, locale }: RetryFacts): Notice {
  const seconds = (delay / 1000).toFixed(1);
  const text: Text = {
    zh: `${seconds} 秒后重试 ${name}（${count}）：${error.text.zh}`,
    en: `retrying ${name} in ${seconds} s (${count}): ${error.text.en}`,
  };
  return { type: "notice", level: "warning", code: "retry", message: say(locale, text) };
}
