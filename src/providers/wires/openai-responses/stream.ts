import type { NativeTurn } from "../../../core/model/messages.ts";
import { type FinishReason, type ModelEvent, noUsage, type Turn, type Usage } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { getOwnValue, isRecord, toText } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { badResponseError, streamError } from "../../errors/errors.ts";
import type { TurnProgress } from "../idle-timeout.ts";
import type { CollectedCall } from "../tool-fragments.ts";
import {
  appendDelta,
  completeTurn,
  joinWritten,
  type ServerEvent,
  type TurnReader,
  toTokenCount,
} from "../turn-reader.ts";
import { type OpenItem, OutputItems } from "./items.ts";

type Fields = Record<string, unknown>;

/** Converts the events of one response to model events. Ignores unknown events, items and parts. */
export class ResponseReader implements TurnReader {
  done = false;
  sent: TurnProgress = "nothing";
  usage: Usage = noUsage;
  #settings: ModelSettings;
  #newId: () => string;
  #text = "";
  #reasoning = "";
  #refusal = "";
  #items = new OutputItems();
  #finish: FinishReason | undefined;
  #oddities = new Set<Text>();

  constructor(settings: ModelSettings, newId: () => string) {
    this.#settings = settings;
    this.#newId = newId;
  }

  read(event: ServerEvent, out: ModelEvent[]): void {
    if (event.data === "[DONE]") {
      this.done = true;
      return;
    }
    const data = this.#parse(event.data);
    switch (data.type) {
      case "response.output_item.added":
        this.#items.open(data);
        this.#see(data.item);
        break;
      case "response.output_text.delta":
        this.#say(this.#items.of(data, "message"), data.delta, out);
        break;
      case "response.refusal.delta":
        this.#refuse(this.#items.of(data, "message"), data.delta);
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#reason(this.#items.of(data, "reasoning"), data.delta, out);
        break;
      case "response.function_call_arguments.delta":
        this.#items.of(data, "function_call").arguments.push(toText(data.delta));
        this.sent = "words";
        break;
      case "response.function_call_arguments.done":
        this.#items.setArguments(data);
        break;
      case "response.output_item.done":
        this.#emitItem(this.#items.close(data), out);
        this.#see(data.item);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#finishResponse(isRecord(data.response) ? data.response : {}, data.type.slice("response.".length), out);
        break;
      default:
        this.#readOther(event, data, out);
    }
  }

  get oddities(): readonly Text[] {
    return [...this.#oddities];
  }

  get written(): string {
    return joinWritten([this.#reasoning, this.#text, this.#refusal], this.#items.calls(this.#newId));
  }

  finishTurn(): Turn {
    const calls = this.#items.calls(this.#newId);
    if (this.#finish === undefined) throw badResponseError(this.#settings, cutOff, { retryable: true });
    const finish = this.#refusal ? "refused" : this.#finish;
    return completeTurn(
      {
        text: this.#text,
        reasoning: this.#reasoning,
        calls,
        finish,
        refusal: this.#refusal,
        usage: this.usage,
        phase: this.#items.phase,
        native: finish === "stop" ? this.#native(calls) : undefined,
      },
      this.#settings,
    );
  }

  #parse(data: string): Fields {
    try {
      const value: unknown = JSON.parse(data);
      if (isRecord(value)) return value;
    } catch {
      // Told below, without the raw text.
    }
    throw badResponseError(this.#settings, malformed, { retryable: true });
  }

  /** Reads an error in any of its forms, or the whole response of a server that does not stream. */
  #readOther(event: ServerEvent, data: Fields, out: ModelEvent[]): void {
    if (isRecord(data.usage)) this.usage = toUsage(data.usage);
    if (data.type === "error" || event.event === "error") throw streamError(data, this.#settings);
    if (data.object === "response") {
      this.#oddities.add(wholeDocument);
      this.#finishResponse(data, toText(data.status), out);
    }
    if (data.object === "response" || data.type !== undefined) return;
    const bare = typeof data.message === "string" || data.detail !== undefined;
    if (bare || (data.error !== undefined && data.error !== null)) throw streamError(data, this.#settings);
  }

  /** A reasoning item is a sign of reasoning even if its text stays hidden; a message does not count before its text. */
  #see(item: unknown): void {
    if (!isRecord(item)) return;
    if (!itemTypes.has(toText(item.type))) this.#oddities.add(unknownItem);
    if (item.type === "function_call") this.sent = "words";
    else if (item.type !== "message" && this.sent === "nothing") this.sent = "thinking";
  }

  #finishResponse(response: Fields, status: string, out: ModelEvent[]): void {
    this.sent = "words";
    if (isRecord(response.usage)) this.usage = toUsage(response.usage);
    if (status === "failed") throw streamError(response.error ?? {}, this.#settings);
    for (const item of this.#items.closeAll(response.output)) this.#emitItem(item, out);
    this.#finish = this.#finishReason(response, status);
    if (this.#refusal) out.push({ type: "notice", level: "warning", code: "refusal", message: this.#refusal });
    this.done = true;
  }

  #finishReason(response: Fields, status: string): FinishReason {
    if (status === "completed") return "stop";
    const details = isRecord(response.incomplete_details) ? response.incomplete_details : {};
    const reason = toText(details.reason) || status;
    const finish = status === "incomplete" ? getOwnValue(incompleteReasons, reason) : undefined;
    if (finish) return finish;
    throw badResponseError(this.#settings, unknownFinish, { retryable: false, detail: reason });
  }

  /** Emits the text of a whole item when no delta brought it. */
  #emitItem(item: OpenItem | undefined, out: ModelEvent[]): void {
    if (!item?.whole || item.heard) return;
    const { whole } = item;
    for (const part of listParts(whole.summary)) this.#reason(item, part.text, out);
    for (const part of listParts(whole.content)) {
      if (part.type === "output_text") this.#say(item, part.text, out);
      if (part.type === "reasoning_text") this.#reason(item, part.text, out);
      if (part.type === "refusal") this.#refuse(item, part.refusal);
      if (!partTypes.has(toText(part.type))) this.#oddities.add(unknownPart);
    }
  }

  #say(item: OpenItem, delta: unknown, out: ModelEvent[]): void {
    const text = toText(delta);
    if (text === "") return;
    const phase = item.said ? undefined : item.phase;
    item.heard = true;
    item.said = true;
    this.sent = "words";
    this.#text += text;
    appendDelta(out, "text-delta", text, phase);
  }

  #reason(item: OpenItem, delta: unknown, out: ModelEvent[]): void {
    const text = toText(delta);
    if (text === "") return;
    item.heard = true;
    this.sent = "words";
    this.#reasoning += text;
    appendDelta(out, "reasoning-delta", text);
  }

  #refuse(item: OpenItem, delta: unknown): void {
    item.heard = true;
    this.sent = "words";
    this.#refusal += toText(delta);
  }

  /** Items refer to calls by their own ids, so they can only be sent back when the turn kept those ids. */
  #native(calls: CollectedCall[]): NativeTurn | undefined {
    const payload = this.#items.whole();
    const ids = payload?.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
    if (!ids || calls.some((call, position) => call.id !== ids[position])) return undefined;
    const { wire, provider, model } = this.#settings;
    return { wire, provider, model, payload };
  }
}

const incompleteReasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: "length",
  content_filter: "content-filter",
};

/** Some servers count hidden reasoning only in the total, so the larger of the two is the output. */
function toUsage(raw: Fields): Usage {
  const inputTokens = toTokenCount(raw.input_tokens);
  const hidden = inputTokens > 0 ? toTokenCount(raw.total_tokens) - inputTokens : 0;
  const input = isRecord(raw.input_tokens_details) ? raw.input_tokens_details : {};
  const output = isRecord(raw.output_tokens_details) ? raw.output_tokens_details : {};
  return {
    inputTokens,
    outputTokens: Math.max(toTokenCount(raw.output_tokens), hidden),
    reasoningTokens: toTokenCount(output.reasoning_tokens),
    cachedTokens: toTokenCount(input.cached_tokens),
    cacheWriteTokens: toTokenCount(input.cache_write_tokens) || undefined,
  };
}

function listParts(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

const itemTypes: ReadonlySet<string> = new Set(["message", "reasoning", "function_call"]);
const partTypes: ReadonlySet<string> = new Set(["output_text", "reasoning_text", "refusal"]);

const wholeDocument = { zh: "收到的是整份文档，不是数据流", en: "one whole document instead of a stream" };
const unknownItem = { zh: "有未知的输出项", en: "an output item of an unknown kind" };
const unknownPart = { zh: "content 中有未知的部分", en: "content holds a part of an unknown kind" };
const malformed = { zh: "收到无法解析的数据", en: "an event is not JSON" };
const cutOff = { zh: "回答在结束前中断", en: "the stream ended before the answer did" };
const unknownFinish = { zh: "未知的结束原因", en: "unknown finish reason" };
