import { randomUUID } from "node:crypto";
import type { AssistantMessage, ToolCall } from "../../core/model/messages.ts";
import {
  type Model,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  type OnModelEvent,
  type Turn,
  type Usage,
} from "../../core/model/model.ts";
import type { Locale } from "../../kit/locale.ts";
import { parseArguments } from "../wires/tool-fragments.ts";
import type { TextAction } from "./text-action.ts";
import { type TextTurn, TextTurnReader } from "./text-turn-reader.ts";
import { hasCalls, toTextRequest } from "./to-text-request.ts";

/** Streams a turn of a model without function calling: its calls are text, and so are the results that it reads. */
export async function streamTextTurn(
  model: Pick<Model, "stream">,
  request: ModelRequest,
  { locale, onEvent, signal }: { locale: Locale; onEvent: OnModelEvent; signal: AbortSignal },
): Promise<Turn> {
  if (request.tools.length === 0 && !hasCalls(request)) return model.stream(request, onEvent, signal);
  const reader = new TextTurnReader();
  let hasText = false;
  let cutUsage: Usage | undefined;
  const receive = (event: ModelEvent): void => {
    if (reader.isOver) cutUsage = event.type === "spent" ? event.usage : cutUsage;
    else if (event.type === "text-delta") {
      hasText = true;
      for (const piece of reader.read(event.text)) onEvent(piece);
      // What follows would only be paid for: a vendor that does not know our stop text writes on.
      if (reader.isOver) throw turnIsOver;
    } else onEvent(event);
  };
  const turn = await model.stream(toTextRequest(request, locale), receive, signal).catch((thrown: unknown) => {
    if (thrown !== turnIsOver) throw thrown;
    return undefined;
  });
  const written = turn?.message.content ?? "";
  if (!hasText) for (const piece of reader.read(written)) onEvent(piece);
  const { pieces, turn: read } = reader.finish();
  for (const piece of pieces) onEvent(piece);
  return toTurn(turn ?? toCutTurn(cutUsage), read);
}

/** Is thrown to end the reading of a turn, and reaches nobody else. */
const turnIsOver = new Error("The model went on after its calls.");

function toCutTurn(usage: Usage | undefined): Turn {
  const message: AssistantMessage = { role: "assistant", content: "", toolCalls: [] };
  return { message, finish: "stop", usage: usage ?? { ...noUsage, estimated: true } };
}

/** The text is kept as it was read. What a wire keeps of the turn in its own form is the text as it was written, and is left out. */
function toTurn({ message, finish, usage, refusal }: Turn, read: TextTurn): Turn {
  const { native: _, reasoning: own = "", ...rest } = message;
  const toolCalls = [...message.toolCalls, ...read.actions.map(toToolCall)];
  const isCalling = toolCalls.length > 0;
  const isComplete = finish === "stop" || finish === "tool-calls" || (finish === "length" && read.isCut);
  const content = join(isCalling ? [read.text, read.thought] : [read.text]);
  const reasoning = join(isCalling ? [own, read.reasoning] : [own, read.reasoning, read.thought]);
  return {
    message: { ...rest, content, toolCalls, ...(reasoning !== "" && { reasoning }) },
    finish: isComplete ? (isCalling ? "tool-calls" : "stop") : finish,
    usage,
    ...(refusal !== undefined && { refusal }),
  };
}

/** A call without arguments is none that can be made: the model is told what is missing. */
function toToolCall({ name, argumentsText }: TextAction): ToolCall {
  const id = `call_${randomUUID().slice(0, 8)}`;
  if (argumentsText === undefined) return { id, name, argumentsText: "", arguments: undefined };
  return { id, name, argumentsText, arguments: parseArguments(argumentsText) };
}

function join(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}
