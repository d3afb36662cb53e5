import { countRequestTokens } from "../../agent/context/context-window.ts";
import { type Model, type ModelEvent, replaceStream, toModelName, type Usage } from "../../core/model/model.ts";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import { toDuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { normalizeRequest, toPlainRequest } from "./plain-request.ts";
import type { CallExchange, Exchange, ModelExchange, RecordedError } from "./recording-schema.ts";

/** Records what one attempt asks of its models and tools, and what it gets. */
export interface AttemptRecorder {
  /** Returns the model with its calls noted. */
  recordModel(model: Model): Model;
  recordCall(tool: Tool, args: JsonObject, call: () => Promise<ToolResult>, signal: AbortSignal): Promise<ToolResult>;
  /** Lists the exchanges in the order in which they were begun. */
  readonly exchanges: readonly Exchange[];
}

export interface RecorderOptions {
  /** Lists the folders that prompts name. */
  folders: readonly string[];
  /** Gets the cost of each turn once it is known, in US dollars. */
  onCost: (cost: number) => void;
}

export function createAttemptRecorder(options: RecorderOptions): AttemptRecorder {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    recordModel: (model) => recordTurns(model, exchanges, options),
    async recordCall(tool, args, call, signal) {
      const exchange: CallExchange = { kind: "call", tool: tool.name, arguments: args, reply: { aborted: true } };
      exchanges.push(exchange);
      try {
        const result = await call();
        exchange.reply = { result: toRecordedResult(result) };
        return result;
      } catch (thrown) {
        if (!signal.aborted) exchange.reply = { error: toRecordedError(thrown) };
        throw thrown;
      }
    },
  };
}

function recordTurns(model: Model, exchanges: Exchange[], { folders, onCost }: RecorderOptions): Model {
  return replaceStream(model, async (request, onEvent, signal) => {
    const asked = normalizeRequest(request, folders);
    const exchange: ModelExchange = {
      kind: "model",
      model: toModelName(model),
      request: toPlainRequest(asked),
      requestTokens: countRequestTokens(model, asked),
      events: [],
      costs: [],
      reply: { aborted: true },
    };
    exchanges.push(exchange);
    const note = (usage: Usage): void => {
      if (model.cost === undefined) return;
      const cost = model.cost(usage);
      exchange.costs.push({ usage, cost });
      onCost(cost ?? 0);
    };
    try {
      const turn = await model.stream(
        request,
        (event) => {
          addEvent(exchange.events, event);
          if (event.type === "spent") note(event.usage);
          onEvent(event);
        },
        signal,
      );
      note(turn.usage);
      exchange.reply = { turn };
      return turn;
    } catch (thrown) {
      if (!signal.aborted) exchange.reply = { error: toRecordedError(thrown) };
      throw thrown;
    }
  });
}

/** Joins what belongs to one text: how it was cut into pieces is of no interest. */
function addEvent(events: ModelExchange["events"], event: ModelEvent): void {
  const last = events.at(-1);
  if (last?.type === "text-delta" && event.type === "text-delta" && event.phase === undefined) last.text += event.text;
  else if (last?.type === "reasoning-delta" && event.type === "reasoning-delta") last.text += event.text;
  else events.push({ ...event });
}

function toRecordedError(thrown: unknown): RecordedError {
  const { code, text, hint, retryable } = toDuetError(thrown);
  return { code, text: { ...text }, ...(hint && { hint: { ...hint } }), retryable };
}

function toRecordedResult(result: ToolResult) {
  const { ok, text, shown, sources, kind, cached, error, images } = result;
  return {
    ...{ ok, text, shown, sources, kind, cached, error },
    ...(images && { images: images.map((bytes) => Buffer.from(bytes).toString("base64")) }),
  };
}
