import type { FinishReason, ModelEvent, Turn, Usage } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { getOwnValue, isRecord, toText } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { badResponseError, streamError } from "../../errors/errors.ts";
import type { TurnProgress } from "../idle-timeout.ts";
import { TextTemplate } from "../text-template.ts";
import { type CollectedCall, ToolFragments } from "../tool-fragments.ts";
import {
  appendDelta,
  completeTurn,
  joinWritten,
  type ServerEvent,
  type TurnReader,
  toTokenCount,
} from "../turn-reader.ts";
import type { NativeBlock } from "./request.ts";

/** Reads the events of one message: theirs to ours. Unknown events, blocks and deltas are passed over. */
export class MessageReader implements TurnReader {
  done = false;
  sent: TurnProgress = "nothing";
  #settings: ModelSettings;
  #newId: () => string;
  #text = "";
  #reasoning = "";
  #stopReason: string | undefined;
  #refusal = "";
  #usage: Record<string, unknown> = {};
  #counted = false;
  #fragments = new ToolFragments();
  /** Maps each index to its block, in the order in which the blocks began. */
  #blocks = new Map<number, NativeBlock>();
  #oddities = new Set<Text>();
  #template = new TextTemplate(findPlainText);
  /** Is the block that the text of the template belongs to. */
  #textIndex = 0;

  constructor(settings: ModelSettings, newId: () => string) {
    this.#settings = settings;
    this.#newId = newId;
  }

  read(event: ServerEvent, out: ModelEvent[]): void {
    const known = event.event === "error" ? undefined : this.#template.match(event.data);
    if (known !== undefined) return void this.#say(this.#textIndex, known, out);
    const data = this.#parse(event.data);
    if (data.type === "error" || event.event === "error") {
      this.#countEnd(data.usage);
      throw streamError(data, this.#settings);
    }
    if (data.type === "message_start" && isRecord(data.message)) this.#count(data.message.usage);
    if (data.type === "content_block_start") this.#open(data.index, data.content_block, out);
    if (data.type === "content_block_delta") {
      this.#extend(data.index, data.delta, out);
      this.#learn(event.data, data);
    }
    if (data.type === "message_delta") this.#readEnd(data, out);
    if (data.type === "message_stop") this.done = true;
  }

  get oddities(): readonly Text[] {
    return [...this.#oddities];
  }

  get usage(): Usage {
    const usage = toUsage(this.#usage);
    // `message_start` counts the output before there is any.
    return this.#counted || this.written === "" ? usage : { ...usage, outputTokens: 0 };
  }

  get written(): string {
    return joinWritten([this.#reasoning, this.#text], this.#fragments.calls(this.#newId));
  }

  finishTurn(): Turn {
    if (!this.done) throw badResponseError(this.#settings, cutOff, { retryable: true });
    const calls = this.#fragments.calls(this.#newId);
    return completeTurn(
      {
        text: this.#text,
        reasoning: this.#reasoning,
        calls,
        finish: this.#finishReason(),
        refusal: this.#refusal,
        usage: this.usage,
        native: this.#native(calls),
      },
      this.#settings,
    );
  }

  #parse(data: string): Record<string, unknown> {
    try {
      const value: unknown = JSON.parse(data);
      if (isRecord(value)) return value;
    } catch {
      // Told below, without the raw text.
    }
    throw badResponseError(this.#settings, malformed, { retryable: true });
  }

  #open(index: unknown, raw: unknown, out: ModelEvent[]): void {
    if (typeof index !== "number" || !isRecord(raw)) return;
    if (!blockTypes.has(toText(raw.type))) this.#oddities.add(unknownBlock);
    // A block of thinking is a sign of it, also where its text stays hidden; one of text is nothing before its text.
    if (raw.type === "tool_use") this.sent = "words";
    else if (raw.type !== "text" && this.sent === "nothing") this.sent = "thinking";
    if (raw.type === "redacted_thinking") this.#blocks.set(index, { ...raw, type: raw.type });
    if (raw.type === "text") {
      this.#blocks.set(index, { type: "text", text: "" });
      this.#say(index, toText(raw.text), out);
    }
    if (raw.type === "thinking") {
      this.#blocks.set(index, { type: "thinking", thinking: "", signature: toText(raw.signature) });
      this.#think(index, toText(raw.thinking), out);
    }
    if (raw.type === "tool_use") {
      this.#blocks.set(index, { type: "tool_use" });
      this.#fragments.add([{ index, id: toText(raw.id), name: toText(raw.name), arguments: toWholeInput(raw.input) }]);
    }
  }

  #extend(index: unknown, delta: unknown, out: ModelEvent[]): void {
    if (typeof index !== "number" || !isRecord(delta)) return;
    const block = this.#blocks.get(index);
    // A block of an unknown kind is told when it begins.
    if (!block && !this.#oddities.has(unknownBlock)) this.#oddities.add(noBlock);
    if (!block) return;
    if (!deltaTypes.has(toText(delta.type))) this.#oddities.add(unknownDelta);
    if (delta.type === "text_delta") this.#say(index, toText(delta.text), out);
    if (delta.type === "thinking_delta") this.#think(index, toText(delta.thinking), out);
    if (delta.type === "signature_delta") block.signature = toText(block.signature) + toText(delta.signature);
    if (delta.type === "input_json_delta") this.#fragments.add([{ index, arguments: toText(delta.partial_json) }]);
  }

  #learn(text: string, data: Record<string, unknown>): void {
    if (typeof data.index !== "number" || !this.#blocks.has(data.index)) return;
    if (this.#template.learn(text, data)) this.#textIndex = data.index;
  }

  #say(index: number, text: string, out: ModelEvent[]): void {
    const block = this.#blocks.get(index);
    if (!block || text === "") return;
    block.text = toText(block.text) + text;
    this.sent = "words";
    this.#text += text;
    appendDelta(out, "text-delta", text);
  }

  #think(index: number, text: string, out: ModelEvent[]): void {
    const block = this.#blocks.get(index);
    if (!block || text === "") return;
    block.thinking = toText(block.thinking) + text;
    this.sent = "words";
    this.#reasoning += text;
    appendDelta(out, "reasoning-delta", text);
  }

  #readEnd(data: Record<string, unknown>, out: ModelEvent[]): void {
    this.#countEnd(data.usage);
    if (!isRecord(data.delta) || typeof data.delta.stop_reason !== "string") return;
    this.#stopReason = data.delta.stop_reason;
    this.#refusal = isRecord(data.delta.stop_details) ? toText(data.delta.stop_details.explanation) : "";
    if (this.#refusal) out.push({ type: "notice", level: "warning", code: "refusal", message: this.#refusal });
  }

  #countEnd(usage: unknown): void {
    this.#count(usage);
    this.#counted ||= isRecord(usage) && typeof usage.output_tokens === "number";
  }

  /** Later usage is cumulative and overrides earlier usage field by field; `null` changes nothing. */
  #count(usage: unknown): void {
    if (!isRecord(usage)) return;
    for (const [field, value] of Object.entries(usage)) if (value !== null) this.#usage[field] = value;
  }

  #finishReason(): FinishReason {
    const finish = this.#stopReason === undefined ? undefined : getOwnValue(stopReasons, this.#stopReason);
    if (finish) return finish;
    throw badResponseError(this.#settings, unknownStop, { retryable: false, detail: this.#stopReason });
  }

  /** Only thinking needs the turn in its author's format; everything else is equivalent in the neutral format. */
  #native(calls: CollectedCall[]) {
    // A turn that was cut may end in a thinking block without its signature, which the vendor would refuse.
    if (!["end_turn", "stop_sequence", "tool_use"].includes(this.#stopReason ?? "")) return undefined;
    const blocks = [...this.#blocks.values()];
    if (!blocks.some((block) => block.type === "thinking" || block.type === "redacted_thinking")) return undefined;
    const open = [...calls];
    const payload = blocks.map((block) => {
      const call = block.type === "tool_use" ? open.shift() : undefined;
      return call ? { type: "tool_use", id: call.id, name: call.name, input: call.arguments ?? {} } : block;
    });
    const { wire, provider, model } = this.#settings;
    return { wire, provider, model, payload };
  }
}

/** Returns the text of an event that has nothing else to read. */
function findPlainText(data: unknown): string | undefined {
  if (!isRecord(data) || data.type !== "content_block_delta" || !isRecord(data.delta)) return undefined;
  return data.delta.type === "text_delta" && typeof data.delta.text === "string" ? data.delta.text : undefined;
}

/** `pause_turn` only occurs with the server's own tools, which Duet never requests. */
const stopReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refused",
};

function toUsage(raw: Record<string, unknown>): Usage {
  const cached = toTokenCount(raw.cache_read_input_tokens);
  const written = toTokenCount(raw.cache_creation_input_tokens);
  const details = isRecord(raw.output_tokens_details) ? raw.output_tokens_details : {};
  // Without the part that was not cached nobody knows the whole.
  const isTold = toTokenCount(raw.input_tokens) === raw.input_tokens;
  return {
    inputTokens: isTold ? toTokenCount(raw.input_tokens) + written + cached : 0,
    outputTokens: toTokenCount(raw.output_tokens),
    reasoningTokens: toTokenCount(details.thinking_tokens),
    cachedTokens: cached,
    cacheWriteTokens: written || undefined,
  };
}

/** Compatible servers may send the whole input at once. Anthropic starts with an empty input and streams it. */
function toWholeInput(input: unknown): string {
  return isRecord(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
}

const blockTypes: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const deltaTypes: ReadonlySet<string> = new Set([
  ...["text_delta", "thinking_delta", "signature_delta", "input_json_delta", "citations_delta"],
]);

const unknownBlock = { zh: "有未知的内容块", en: "a content block of an unknown kind" };
const unknownDelta = { zh: "有未知的增量", en: "a delta of an unknown kind" };
const noBlock = { zh: "增量所属的内容块没有开始", en: "a delta of a content block that never started" };
const malformed = { zh: "收到无法解析的数据", en: "an event is not JSON" };
const cutOff = { zh: "回答在结束前中断", en: "the stream ended before the answer did" };
const unknownStop = { zh: "未知的结束原因", en: "unknown stop reason" };
