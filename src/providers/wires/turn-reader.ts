import type { AssistantMessage, NativeTurn } from "../../core/messages.ts";
import type { FinishReason, ModelEvent, Turn, Usage } from "../../core/model.ts";
import type { ModelSettings } from "../../core/model-settings.ts";
import type { Text } from "../../kit/errors.ts";
import { badResponseError } from "../errors/errors.ts";
import type { TurnProgress } from "./idle-timeout.ts";
import type { CollectedCall } from "./tool-fragments.ts";

/** One event of a server-sent stream; `data` is never parsed before a wire reads it. */
export interface ServerEvent {
  event?: string | undefined;
  data: string;
}

/** Reads the events of one turn, in a wire's own format. Knows no network. */
export interface TurnReader {
  /** Appends what the event says to `out`. Throws a `DuetError` for an error inside the stream and for nonsense. */
  read(event: ServerEvent, out: ModelEvent[]): void;
  /** The server said that nothing more will come. */
  readonly done: boolean;
  /** What the model has sent so far; what only keeps a connection alive, and empty deltas, are nothing. */
  readonly sent: TurnProgress;
  /** What the server has told so far; 0 for what it did not, or what cannot be true. */
  readonly usage: Usage;
  /** All that the model has written so far, reasoning and calls included, in no order. */
  readonly written: string;
  /** What did not have the expected shape and was read all the same, each kind once; absent where a wire does not look. */
  readonly oddities?: readonly Text[];
  /** The whole turn; throws `bad_response` unless the stream got to its terminal marker. */
  end(): Turn;
}

export interface TurnParts {
  text: string;
  reasoning: string;
  calls: CollectedCall[];
  finish: FinishReason;
  usage: Usage;
  native: NativeTurn | undefined;
}

/** The rules that hold on every wire: calls make it a tool turn, and a complete turn says something. */
export function completeTurn(parts: TurnParts, settings: ModelSettings): Turn {
  const { text, reasoning, calls, usage, native } = parts;
  if (calls.some((call) => call.name === "")) throw badResponseError(settings, namelessCall, { retryable: true });
  const complete = parts.finish === "stop" || parts.finish === "tool-calls";
  if (complete && calls.length === 0 && text.trim() === "")
    throw badResponseError(settings, emptyReply, { retryable: true });
  const message: AssistantMessage = {
    role: "assistant",
    content: text,
    toolCalls: calls.map(({ extra: _, ...call }) => call),
  };
  if (reasoning) message.reasoning = reasoning;
  if (native) message.native = native;
  const finish = complete ? (calls.length > 0 ? "tool-calls" : "stop") : parts.finish;
  return { message, finish, usage };
}

/** Appends text to the last event if it is of the same kind: what arrived together is told together. */
export function appendDelta(out: ModelEvent[], type: "reasoning-delta" | "text-delta", text: string): void {
  const previous = out.at(-1);
  if (previous?.type === type) previous.text += text;
  else out.push({ type, text });
}

/** Texts and calls as one text; empty when there is nothing of either. */
export function joinWritten(texts: readonly string[], calls: readonly CollectedCall[]): string {
  const called = calls.map((call) => `${call.name} ${call.argumentsText}`);
  return [...texts, ...called].filter((text) => text !== "").join("\n");
}

/** Whether an event is part of an answer, after which a call cannot be made again unnoticed. */
export function isContent(event: ModelEvent): boolean {
  return event.type !== "notice" && event.type !== "spent";
}

/** A token count as a vendor states it; 0 for what cannot be one. */
export function toTokenCount(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 1e9 ? value : 0;
}

const namelessCall = { zh: "模型请求了一个没有名称的工具", en: "the model asked for a tool without naming it" };
const emptyReply = { zh: "模型返回了空内容", en: "the model's reply is empty" };
