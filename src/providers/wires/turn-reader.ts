import type { AssistantMessage, NativeTurn, TextPhase } from "../../core/model/messages.ts";
import { type FinishReason, type ModelEvent, type Turn, toModelName, type Usage } from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import type { Text } from "../../kit/locale.ts";
import { isBlank } from "../../kit/text/is-blank.ts";
import { badResponseError } from "../errors/errors.ts";
import type { TurnProgress } from "./idle-timeout.ts";
import type { CollectedCall } from "./tool-fragments.ts";

/** Represents one event of a server-sent stream; `data` is never parsed before a wire reads it. */
export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

/** Reads the events of one turn, in a wire's own format. Knows no network. */
export interface TurnReader {
  /** Appends what the event says to `out`. Throws a `DuetError` for an error inside the stream and for nonsense. */
  read(event: ServerEvent, out: ModelEvent[]): void;
  /** Is true when the server said that nothing more will come. */
  readonly done: boolean;
  /** Says what the model has sent so far. Keep-alives and empty deltas do not count. */
  readonly sent: TurnProgress;
  /** Holds the usage that the server has reported so far, and 0 for values that are missing or impossible. */
  readonly usage: Usage;
  /** Holds everything that the model has written so far, reasoning and calls included, in no particular order. */
  readonly written: string;
  /** Lists content of an unexpected shape that was read nevertheless, each kind once. Is absent when the wire does not check. */
  readonly oddities?: readonly Text[];
  /** Returns the whole turn. Throws `bad_response` if the stream did not reach its terminal marker. */
  finishTurn(): Turn;
}

export interface TurnParts {
  text: string;
  reasoning: string;
  calls: CollectedCall[];
  finish: FinishReason;
  refusal?: string;
  usage: Usage;
  phase?: TextPhase | undefined;
  native: NativeTurn | undefined;
}

/** Applies the rules of every wire: a turn with calls is a tool turn, and a complete turn is not empty. */
export function completeTurn(parts: TurnParts, settings: ModelSettings): Turn {
  const { text, reasoning, calls, refusal, usage, phase, native } = parts;
  if (calls.some((call) => call.name === "")) throw badResponseError(settings, namelessCall, { retryable: true });
  const complete = parts.finish === "stop" || parts.finish === "tool-calls";
  if (complete && calls.length === 0 && isBlank(text))
    throw badResponseError(settings, emptyReply, { retryable: true });
  const message: AssistantMessage = {
    role: "assistant",
    content: text,
    toolCalls: calls.map(({ extra: _, ...call }) => call),
    author: toModelName(settings),
  };
  if (reasoning) message.reasoning = reasoning;
  if (phase && text !== "") message.phase = phase;
  if (native) message.native = native;
  const finish = complete ? (calls.length > 0 ? "tool-calls" : "stop") : parts.finish;
  return { message, finish, usage, ...(refusal && { refusal }) };
}

/**
 * Appends text to the last event if it is of the same kind, so that what arrived together is one event. A phase begins another
 * message, and so another event.
 */
export function appendDelta(
  out: ModelEvent[],
  type: "reasoning-delta" | "text-delta",
  text: string,
  phase?: TextPhase,
): void {
  const previous = out.at(-1);
  if (phase !== undefined) out.push({ type: "text-delta", text, phase });
  else if (previous?.type === type) previous.text += text;
  else out.push({ type, text });
}

/** Joins texts and calls into one text, which is empty when there are none. */
export function joinWritten(texts: readonly string[], calls: readonly CollectedCall[]): string {
  const called = calls.map((call) => `${call.name} ${call.argumentsText}`);
  return [...texts, ...called].filter((text) => text !== "").join("\n");
}

/** Returns true when the event is part of an answer; after it, a retry would be noticed. */
export function isContent(event: ModelEvent): boolean {
  return event.type !== "notice" && event.type !== "spent";
}

/** Returns a token count as the vendor reported it, or 0 for a value that cannot be one. */
export function toTokenCount(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 1e9 ? value : 0;
}

const namelessCall = { zh: "模型请求了一个没有名称的工具", en: "the model asked for a tool without naming it" };
const emptyReply = { zh: "模型返回了空内容", en: "the model's reply is empty" };
