import {
  type Model,
  type ModelRequest,
  replaceStream,
  type Turn,
  toModelName,
  withCall,
} from "../../core/model/model.ts";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { JsonObject, JsonValue } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";
import { estimateMessageTokens } from "../../providers/estimate-tokens.ts";
import { findDifference, normalizeRequest, toPlainRequest, toSortedJson } from "./plain-request.ts";
import type { CallExchange, Exchange, ModelExchange, RecordedAttempt, RecordedModel } from "./recording-schema.ts";

/** Answers the models and tools of one attempt from its recording, and nothing that is not in it. */
export interface AttemptReplay {
  createModel(recorded: RecordedModel): Model;
  replayCall(tool: Tool, args: JsonObject, signal: AbortSignal): Promise<ToolResult>;
  /** Sums the tokens of the requests so far by the names of their models. */
  readonly requestTokens: ReadonlyMap<string, number>;
}

export interface ReplayOptions {
  redact: Redact;
  /** Lists the folders that prompts name here. */
  folders: readonly string[];
  /** Gets what was asked and is not in the recording, before the request fails with it. */
  onRefusal: (refusal: DuetError) => void;
}

export function createAttemptReplay(
  attempt: RecordedAttempt,
  { redact, folders, onRefusal }: ReplayOptions,
): AttemptReplay {
  const left = new Set<Exchange>(attempt.exchanges);
  const requestTokens = new Map<string, number>();

  /** Takes the first exchange left of that kind that asks the same. Each answers once. */
  function take<T extends Exchange>(asked: JsonObject, candidates: readonly T[], name: string): T {
    const plain = redactValue<JsonObject>(asked, redact);
    const written = toSortedJson(plain);
    const found = candidates.find((one) => toSortedJson(toAsked(one)) === written);
    if (found !== undefined) {
      left.delete(found);
      return found;
    }
    const refusal = notRecordedError(attempt.name, name, candidates[0], plain);
    onRefusal(refusal);
    throw refusal;
  }

  return {
    requestTokens,
    createModel(recorded) {
      const name = toModelName(recorded);
      const costs = new Map<string, number | null>();
      const { provider, model } = recorded;
      const replayed = withCall({
        stream: async (...[request, onEvent, signal]: Parameters<Model["stream"]>): Promise<Turn> => {
          signal.throwIfAborted();
          const turns = [...left].filter((one): one is ModelExchange => one.kind === "model" && one.model === name);
          const exchange = take(toPlainRequest(normalizeRequest(request, folders)), turns, name);
          requestTokens.set(name, (requestTokens.get(name) ?? 0) + exchange.requestTokens);
          for (const { usage, cost } of exchange.costs) costs.set(toSortedJson(toJson(usage)), cost);
          for (const event of exchange.events) onEvent(event);
          if ("turn" in exchange.reply) return toTurn(exchange.reply.turn);
          return failAs(exchange.reply, signal);
        },
      });
      return replaceStream(
        {
          ...recorded,
          provider,
          model,
          countTokens: (messages: ModelRequest["messages"]) => estimateMessageTokens(messages),
          cost: (usage) => costs.get(toSortedJson(toJson(usage))) ?? null,
        },
        replayed.stream,
      );
    },
    async replayCall(tool, args, signal) {
      const calls = [...left].filter((one): one is CallExchange => one.kind === "call" && one.tool === tool.name);
      const { reply } = take(args, calls, tool.name);
      return "result" in reply ? toResult(reply.result) : failAs(reply, signal);
    },
  };
}

function toAsked(exchange: Exchange): JsonObject {
  return exchange.kind === "model" ? exchange.request : exchange.arguments;
}

function toTurn({ message, ...turn }: Extract<ModelExchange["reply"], { turn: unknown }>["turn"]): Turn {
  // JSON has no key for arguments that were no object.
  const toolCalls = message.toolCalls.map((call) => ({ ...call, arguments: call.arguments }));
  return { ...turn, message: { ...message, toolCalls } };
}

/** Converts a recorded result, whose images are text. */
export function toResult({
  images,
  ...result
}: Extract<CallExchange["reply"], { result: unknown }>["result"]): ToolResult {
  return { ...result, ...(images && { images: images.map((text) => new Uint8Array(Buffer.from(text, "base64"))) }) };
}

/** Throws the recorded error, or waits for the end of the run where its reply never came. */
async function failAs(reply: Exclude<ModelExchange["reply"], { turn: unknown }>, signal: AbortSignal): Promise<never> {
  if ("error" in reply) throw new DuetError(reply.error);
  await sleep(longestWaitMs, signal);
  signal.throwIfAborted();
  throw new DuetError({ code: "timeout", text: neverAnswered });
}

/** Limits the wait for the end of a run whose recorded request got no reply, in milliseconds. */
const longestWaitMs = 3_600_000;

const neverAnswered: Text = {
  zh: "录制中的这个请求没有得到回复",
  en: "in the recording this request got no reply",
};

function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

/** Says what was asked and where it differs from what the recording has next. */
function notRecordedError(attempt: string, name: string, next: Exchange | undefined, asked: JsonObject): DuetError {
  if (next === undefined)
    return new DuetError({
      code: "invalid_request",
      text: {
        zh: `${attempt}：录制中没有对 ${name} 的更多请求`,
        en: `${attempt}: the recording holds no further request to ${name}`,
      },
    });
  const different = findDifference(toAsked(next), asked);
  const { path = "", recorded = "", asked: now = "" } = different ?? {};
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `${attempt}：录制中没有对 ${name} 的这个请求；第一处不同：${path}（录制：${recorded}；现在：${now}）`,
      en: `${attempt}: the recording does not hold this request to ${name}; first difference: ${path} (recorded: ${recorded}; asked: ${now})`,
    },
  });
}
