import { type Model, noUsage, replaceStream, type Turn, toModelName } from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import type { Notice } from "../../core/run/events.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { ModelContext } from "./middleware.ts";
import { chooseParameters } from "./parameters.ts";
import type { WireRequest } from "./repair.ts";

/**
 * Asks once more, with a larger allowance for hidden reasoning, when a turn has used up its output limit before it wrote anything to
 * read. Both are billed: the first as `spent`. A turn tells what its limit allowed for reasoning.
 */
export function withOutputLimit(next: Model, { settings, locale = "en" }: ModelContext): Model {
  return replaceStream(next, async (request, onEvent, signal) => {
    const { maxTokens, allowance } = chooseParameters(request, settings);
    const first = await next.stream(request, onEvent, signal);
    const isUsedUp = hasNothingToRead(first) && hasUsedUp(first, maxTokens + allowance);
    const larger = isUsedUp ? findLargerAllowance(maxTokens, allowance, settings) : undefined;
    if (larger === undefined || (request.run?.leftMs() ?? 1) <= 0) return addAllowance(first, allowance);
    onEvent({ type: "spent", usage: first.usage });
    const limits = { before: maxTokens + allowance, after: maxTokens + larger };
    onEvent(toNotice(toModelName(next), limits, request.locale ?? locale));
    const again: WireRequest = { ...request, allowance: larger };
    try {
      return addAllowance(await next.stream(again, onEvent, signal), larger);
    } catch (thrown) {
      // A server whose window nobody knows may have no room for more. What the first turn used has been told.
      if (!isTooMuch(thrown)) throw thrown;
      return addAllowance({ ...first, usage: noUsage }, allowance);
    }
  });
}

function isTooMuch(thrown: unknown): boolean {
  return thrown instanceof DuetError && (thrown.code === "invalid_request" || thrown.code === "context_overflow");
}

function hasNothingToRead({ finish, message: { content, toolCalls } }: Turn): boolean {
  return finish === "length" && content.trim() === "" && toolCalls.length === 0;
}

/**
 * Is false where something else has ended the turn, such as the model's window or a limit of the vendor's own: a larger limit would
 * not help then. What is only estimated leaves hidden reasoning out.
 */
function hasUsedUp({ usage: { outputTokens, estimated } }: Turn, limit: number): boolean {
  return estimated === true || outputTokens >= limit / 2;
}

/** Is the least total limit of a second try, in tokens, and how many times the first it is at least. */
const leastSecond = 16_000;
const factor = 4;

/** Returns undefined where the model's own limit leaves no room for more. */
function findLargerAllowance(maxTokens: number, allowance: number, settings: ModelSettings): number | undefined {
  const wanted = Math.max(leastSecond, factor * (maxTokens + allowance)) - maxTokens;
  const larger = chooseParameters({ tools: [], maxTokens, allowance: wanted }, settings).allowance;
  return larger > allowance ? larger : undefined;
}

function addAllowance(turn: Turn, allowance: number): Turn {
  return allowance > 0 ? { ...turn, allowance } : turn;
}

function toNotice(name: string, { before, after }: { before: number; after: number }, locale: Locale): Notice {
  const message = say(locale, {
    zh: `${name} 用完了 ${before} 个 token 的输出上限，还没有写出可读的内容；已把上限提高到 ${after} 并重新请求一次（两次都计费）。`,
    en: `${name} used up its output limit of ${before} tokens before it wrote anything to read; it is asked once more with a limit of ${after} (both are billed).`,
  });
  return { type: "notice", level: "warning", code: "output-limit-raised", message };
}
