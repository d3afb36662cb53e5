import { toPlainText } from "../../core/model/message-content.ts";
import type { Message } from "../../core/model/messages.ts";
import {
  type Model,
  type ModelEvent,
  type ModelRequest,
  type OnModelEvent,
  replaceStream,
  type Turn,
  toModelName,
} from "../../core/model/model.ts";
import { followSignal, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";

/** Is a model in its earlier form, which is still accepted: its stream yields the events of a turn and ends with the turn. */
export interface EarlierModel extends Omit<Model, "stream" | "call"> {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<EarlierModelEvent>;
}

/** Represents an event of a model in the earlier form, the last of which holds the whole turn. */
export type EarlierModelEvent = ModelEvent | { type: "turn-end"; turn: Turn };

/**
 * Returns a model of the program's own making with the promises that every `Model` makes: a turn ends as soon as the signal aborts
 * or the receiver throws, no event comes after its end, and a turn that is none is an error. A refusal that is no text is left out.
 */
export function toModel(given: Model | EarlierModel): Model {
  return replaceStream(given, async (request, onEvent, signal) => {
    const stop = new AbortController();
    const unfollow = followSignal(stop, signal);
    let isOver = false;
    const pass = (event: ModelEvent): void => {
      if (isOver || (stop.signal.aborted && event.type !== "spent")) return;
      try {
        onEvent(event);
      } catch (thrown) {
        stop.abort(thrown);
        throw thrown;
      }
    };
    try {
      stop.signal.throwIfAborted();
      return await waitAbortable(streamTurn(given, request, pass, stop.signal), stop.signal);
    } finally {
      isOver = true;
      unfollow();
    }
  });
}

async function streamTurn(
  model: Model | EarlierModel,
  request: ModelRequest,
  onEvent: OnModelEvent,
  signal: AbortSignal,
): Promise<Turn> {
  const turn: unknown = isEarlier(model)
    ? await streamEarlier(model, request, onEvent, signal)
    : await model.stream(request, onEvent, signal);
  if (!isTurn(turn)) throw noTurnError(model);
  const { refusal, message, ...rest } = turn;
  return {
    ...rest,
    message: { author: toModelName(model), ...message },
    ...(typeof refusal === "string" && { refusal }),
  };
}

async function streamEarlier(
  model: EarlierModel,
  request: ModelRequest,
  onEvent: OnModelEvent,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const events: unknown = model.stream(toTextRequest(request), signal);
  if (!isAsyncIterable(events)) throw noFormError(model);
  for await (const event of events) {
    if (event.type === "turn-end") return event.turn;
    onEvent(event);
  }
  return undefined;
}

/** The earlier form knows texts alone: names stand for images, and the text of a document for the document. */
function toTextRequest(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message): Message => {
    if (message.role !== "user" && message.role !== "tool") return message;
    return { ...message, content: toPlainText(message.content, request.locale ?? "en") };
  });
  return { ...request, messages };
}

function isEarlier(model: Model | EarlierModel): model is EarlierModel {
  return !("call" in model);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<EarlierModelEvent> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Looks at a turn no further than a program that is not checked by types may get it wrong by accident. */
function isTurn(value: unknown): value is Turn {
  if (!isRecord(value) || !isRecord(value.message) || !isRecord(value.usage)) return false;
  return typeof value.message.content === "string" && Array.isArray(value.message.toolCalls);
}

function noTurnError(model: Pick<Model, "provider" | "model">): DuetError {
  const name = toModelName(model);
  return new DuetError({
    code: "bad_response",
    text: { zh: `${name} 没有返回完整的一轮回复`, en: `${name} ended its reply without a turn` },
    retryable: true,
  });
}

function noFormError(model: Pick<Model, "provider" | "model">): DuetError {
  const name = toModelName(model);
  return new DuetError({
    code: "config",
    text: {
      zh: `${name}：模型对象没有 call 方法，stream 返回的也不是事件流（允许：stream(request, onEvent, signal) 与 call(request, signal)）`,
      en: `${name}: the model has no call, and its stream returns no events (allowed: stream(request, onEvent, signal) and call(request, signal))`,
    },
  });
}
