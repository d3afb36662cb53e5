import type { Message } from "../../core/model/messages.ts";
import { type Model, type ModelRequest, replaceStream, type Turn, toModelName } from "../../core/model/model.ts";
import type { Notice } from "../../core/run/events.ts";
import { type Locale, say } from "../../kit/locale.ts";
import {
  estimateMessageTokens,
  estimateToolTokens,
  type FileRules,
  perMessage,
  toMessageText,
} from "../estimate-tokens.ts";
import type { ModelContext } from "./middleware.ts";
import { chooseParameters } from "./parameters.ts";

/** The reader is warned from this share of the available context on. */
const share = 0.8;

/** Holds the vendor's token count of a conversation up to one of its turns. */
interface TokenCount {
  tokens: number;
  /** Is true when the reader has already been warned. */
  isReported: boolean;
}

/**
 * Says in a `notice`, before a call, that its input comes near to what the model can read beside what it may write. The
 * size is what the vendor counted for the conversation's last turn and an estimate of what is new since; once for a
 * run's turns in a row.
 */
export function withContextWarning(next: Model, { settings, locale = "en" }: ModelContext): Model {
  const { contextWindow } = settings;
  if (contextWindow === undefined) return next;
  /** Maps the message that ends a turn to the count. The next request of the conversation has the same message. */
  const counted = new WeakMap<Message, TokenCount>();
  return replaceStream(next, async (request, onEvent, signal) => {
    const { maxTokens, allowance } = chooseParameters(request, settings);
    const output = maxTokens + allowance;
    const available = Math.max(1, contextWindow - output);
    const { tokens, isReported } = countInput(request, counted, share * available, settings);
    const isNear = tokens >= share * available;
    if (isNear && !isReported)
      onEvent(notice(toModelName(next), tokens, available, contextWindow, request.locale ?? locale));
    const turn = await next.stream(request, onEvent, signal);
    remember(turn, isNear || isReported);
    return turn;
  });

  function remember({ message, usage }: Turn, isReported: boolean): void {
    const tokens = usage.inputTokens + usage.outputTokens;
    if (usage.inputTokens > 0) counted.set(message, { tokens, isReported });
  }
}

/** Estimates the tokens of a request. If an upper bound, which costs nothing, is already below `enough`, it returns that. */
function countInput(
  { messages, tools }: ModelRequest,
  counted: WeakMap<Message, TokenCount>,
  enough: number,
  rules: FileRules,
): TokenCount {
  const last = messages.findLastIndex((message) => counted.has(message));
  const before = messages[last] && counted.get(messages[last]);
  const fresh = messages.slice(last + 1);
  const base = before?.tokens ?? 0;
  const isReported = before?.isReported ?? false;
  // What the vendor counted had the tools in it. No text has more tokens than characters.
  const offer = before || tools.length === 0 ? 0 : JSON.stringify(tools).length;
  const bound = base + fresh.reduce((sum, message) => sum + perMessage + toMessageText(message).length, offer);
  if (bound < enough && fresh.every(({ content }) => typeof content === "string")) return { tokens: bound, isReported };
  return { tokens: base + estimateMessageTokens(fresh, rules) + (before ? 0 : estimateToolTokens(tools)), isReported };
}

function notice(name: string, tokens: number, available: number, contextWindow: number, locale: Locale): Notice {
  const percent = Math.round((100 * tokens) / available);
  const message = say(locale, {
    zh: `${name} 的上下文窗口将满：输入约 ${tokens} 个 token，占可用 ${available} 个的 ${percent}%（窗口 ${contextWindow}）。请开始新对话或缩短输入。`,
    en: `The context window of ${name} is nearly full: the input is about ${tokens} tokens, ${percent}% of the ${available} available (window ${contextWindow}). Start a new conversation, or shorten the input.`,
  });
  return { type: "notice", level: "warning", code: "context-window", message };
}
