import { type FinishReason, type ModelEvent, noUsage, type Turn, type Usage } from "../../../core/model/model.ts";
import type { ModelSettings } from "../../../core/model/model-settings.ts";
import { getOwnValue, isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { badResponseError, streamError } from "../../errors/errors.ts";
import type { TurnProgress } from "../idle-timeout.ts";
import { TextTemplate } from "../text-template.ts";
import { type CollectedCall, type ToolFragment, ToolFragments } from "../tool-fragments.ts";
import { appendDelta, completeTurn, joinWritten, type ServerEvent, type TurnReader } from "../turn-reader.ts";
import { findFirstChoice, findPlainText, findUsage, isFailure, toUsage } from "./chunk.ts";
import { ReasoningDetails } from "./reasoning-details.ts";
import type { ChatNative } from "./request.ts";
import { GeminiThoughtSplitter, LocalThoughtSplitter, type ThoughtSplit } from "./thought-tags.ts";

/** Maps each vendor's `finish_reason` to ours. A value that is missing here is not a known terminal marker. */
export const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  end_turn: "stop",
  eos: "stop",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  content_filter: "content-filter",
  sensitive: "content-filter",
  safety: "content-filter",
  refusal: "refused",
};

/** Lists the values of `finish_reason` with which vendors report a failure. */
export const failedFinishes: readonly string[] = [
  "insufficient_system_resource",
  "network_error",
  "error",
  "malformed_function_call",
];

/** Reads the chunks of one chat completion: theirs to ours. `newId` names calls that came without an id. */
export class ChatReader implements TurnReader {
  done = false;
  sent: TurnProgress = "nothing";
  usage: Usage = noUsage;
  #settings: ModelSettings;
  #newId: () => string;
  #text = "";
  #reasoning = "";
  #reasoningContent: string | undefined;
  #reasoningDetails = new ReasoningDetails();
  #refusal = "";
  #localThoughts = new LocalThoughtSplitter();
  #geminiThoughts = new GeminiThoughtSplitter();
  #extraContent: unknown;
  #finish: string | undefined;
  /** Is true when text has followed the word for the end. */
  #isReopened = false;
  #fragments = new ToolFragments();
  #oddities = new Set<Text>();
  #template = new TextTemplate(findPlainText);

  constructor(settings: ModelSettings, newId: () => string) {
    this.#settings = settings;
    this.#newId = newId;
  }

  read(event: ServerEvent, out: ModelEvent[]): void {
    if (event.data === "[DONE]") {
      this.done = true;
      return;
    }
    const known = event.event === "error" ? undefined : this.#template.match(event.data);
    if (known !== undefined) return void this.#readPlainText(known, out);
    const chunk = this.#parse(event.data);
    const choice = findFirstChoice(chunk.choices);
    const usage = findUsage(chunk, choice);
    // A chunk with an error may have it, too; the vendor charges it all the same.
    if (usage) this.usage = toUsage(usage);
    if (event.event === "error" || isFailure(chunk)) throw streamError(chunk, this.#settings);
    if (!isRecord(choice)) return;
    // A server that does not stream sends `message`; Perplexity sends it, cumulative, beside each delta.
    const delta = choice.delta ?? choice.message;
    if (choice.delta === undefined && isRecord(choice.message)) this.#oddities.add(wholeDocument);
    if (isRecord(delta)) this.#readDelta(delta, out);
    if (typeof choice.finish_reason === "string" && choice.finish_reason) this.#finishWith(choice.finish_reason, out);
    this.#template.learn(event.data, chunk);
  }

  get oddities(): readonly Text[] {
    return [...this.#oddities];
  }

  get written(): string {
    return joinWritten([this.#reasoning, this.#text, this.#refusal], this.#fragments.calls(this.#newId));
  }

  finishTurn(): Turn {
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

  #finishWith(word: string, out: ModelEvent[]): void {
    this.sent = "words";
    this.#emitSplit(this.#localThoughts.rest(), out);
    this.#emitSplit(this.#geminiThoughts.rest(), out);
    // Several servers repeat it; the words of a refusal are no answer, and are told once.
    if (this.#refusal && this.#finish === undefined) {
      out.push({ type: "notice", level: "warning", code: "refusal", message: this.#refusal });
    }
    this.#isReopened = false;
    if (this.#finish === undefined || getCaution(word) > getCaution(this.#finish)) this.#finish = word;
  }

  #parse(data: string): Record<string, unknown> {
    try {
      const chunk: unknown = JSON.parse(data);
      if (isRecord(chunk)) return chunk;
    } catch {
      // Told below, without the raw text.
    }
    throw badResponseError(this.#settings, malformed, { retryable: true });
  }

  #readDelta(delta: Record<string, unknown>, out: ModelEvent[]): void {
    if (hasWords(delta)) {
      this.sent = "words";
      this.#isReopened = this.#finish !== undefined;
    } else if (this.sent === "nothing" && hasSignOfThought(delta)) this.sent = "thinking";
    const reasoning = findFirstText(delta.reasoning_content, delta.reasoning);
    if (reasoning) this.#reason(reasoning, out);
    if (typeof delta.reasoning_content === "string") {
      this.#reasoningContent = (this.#reasoningContent ?? "") + delta.reasoning_content;
    }
    if (Array.isArray(delta.reasoning_details)) this.#reasoningDetails.add(delta.reasoning_details.filter(isRecord));
    if (typeof delta.content === "string") this.#readText(delta.content, delta.extra_content, out);
    else if (Array.isArray(delta.content)) for (const part of delta.content) this.#readPart(part, out);
    else if (delta.content !== undefined && delta.content !== null) this.#oddities.add(unknownContent);
    if (typeof delta.refusal === "string") this.#refusal += delta.refusal;
    if (Array.isArray(delta.tool_calls)) this.#fragments.add(delta.tool_calls.filter(isRecord).map(toFragment));
    if (isSignature(delta.extra_content)) this.#extraContent = delta.extra_content;
  }

  /** Reads a delta that has nothing but a text. */
  #readPlainText(content: string, out: ModelEvent[]): void {
    this.sent = "words";
    this.#isReopened = this.#finish !== undefined;
    this.#readText(content, undefined, out);
  }

  #readText(content: string, extra: unknown, out: ModelEvent[]): void {
    const { reasoning, text } = this.#localThoughts.read(content);
    this.#reason(reasoning, out);
    if (text !== "" || content === "") this.#emitSplit(this.#geminiThoughts.read(text, isThought(extra)), out);
  }

  #emitSplit({ reasoning, text }: ThoughtSplit, out: ModelEvent[]): void {
    this.#reason(reasoning, out);
    this.#say(text, out);
  }

  // Mistral: `content` may be an array of texts and of thinking, which is an array of texts itself.
  #readPart(part: unknown, out: ModelEvent[]): void {
    if (isRecord(part) && part.type === "text" && typeof part.text === "string") this.#say(part.text, out);
    else if (isRecord(part) && part.type === "thinking" && Array.isArray(part.thinking)) {
      for (const piece of part.thinking) {
        if (isRecord(piece) && typeof piece.text === "string") this.#reason(piece.text, out);
      }
    } else {
      this.#oddities.add(unknownPart);
      this.#readUnknownPart(part, out);
    }
  }

  /** Text in an unknown part belongs to the answer, unless the part is marked as a thought. */
  #readUnknownPart(part: unknown, out: ModelEvent[]): void {
    const { text = part, type }: Record<string, unknown> = isRecord(part) ? part : {};
    if (typeof text !== "string") return;
    if (typeof type === "string" && /think|thought|reason/i.test(type)) this.#reason(text, out);
    else this.#say(text, out);
  }

  #say(text: string, out: ModelEvent[]): void {
    if (text === "") return;
    this.#text += text;
    appendDelta(out, "text-delta", text);
  }

  #reason(text: string, out: ModelEvent[]): void {
    if (text === "") return;
    this.#reasoning += text;
    appendDelta(out, "reasoning-delta", text);
  }

  #finishReason() {
    const word = this.#finish?.toLowerCase();
    // Snowflake and some that OpenRouter fronts never send a finish_reason, yet end with [DONE].
    const saidSomething = this.#text !== "" || !this.#fragments.empty || this.#refusal !== "";
    if ((word === undefined || this.#isReopened) && !(this.done && saidSomething)) {
      throw badResponseError(this.#settings, cutOff, { retryable: true });
    }
    if (word === undefined) this.#oddities.add(noFinish);
    if (this.#refusal) return "refused";
    const finish = word === undefined ? "stop" : getOwnValue(finishReasons, word);
    if (finish === "tool-calls" && this.#fragments.empty) this.#oddities.add(noCalls);
    if (finish) return finish;
    if (word && failedFinishes.includes(word)) throw streamError({ message: word, status: 500 }, this.#settings);
    throw badResponseError(this.#settings, unknownFinish, { retryable: false, detail: this.#finish });
  }

  #native(calls: CollectedCall[]) {
    const signed = calls.filter((call) => call.extra !== undefined);
    const payload: ChatNative = {
      reasoningContent: this.#reasoningContent,
      extraContent: this.#extraContent,
      callExtras: signed.length > 0 ? Object.fromEntries(signed.map((call) => [call.id, call.extra])) : undefined,
      reasoningDetails: this.#reasoningDetails.whole(),
    };
    if (Object.values(payload).every((value) => value === undefined)) return undefined;
    const { wire, provider, model } = this.#settings;
    return { wire, provider, model, payload };
  }
}

function toFragment(raw: Record<string, unknown>): ToolFragment {
  const called = isRecord(raw.function) ? raw.function : {};
  return {
    index: typeof raw.index === "number" ? raw.index : undefined,
    id: typeof raw.id === "string" ? raw.id : undefined,
    name: typeof called.name === "string" ? called.name : undefined,
    arguments: isRecord(called.arguments) ? JSON.stringify(called.arguments) : findFirstText(called.arguments),
    extra: raw.extra_content ?? undefined,
  };
}

/** Returns how cautious a word for the end is. An unknown one is the most, then those that say that the answer was cut. */
function getCaution(word: string): number {
  const finish = getOwnValue(finishReasons, word.toLowerCase());
  return finish === undefined ? 3 : cautions[finish];
}

const cautions: Readonly<Record<FinishReason, number>> = {
  stop: 0,
  "tool-calls": 1,
  length: 2,
  "content-filter": 2,
  refused: 2,
};

function isThought(extra: unknown): boolean {
  return isRecord(extra) && isRecord(extra.google) && extra.google.thought === true;
}

/** Returns true when the delta contains part of the model's output. Many servers begin with a role and empty texts. */
function hasWords({ content, reasoning_content, reasoning, refusal, tool_calls }: Record<string, unknown>): boolean {
  if (findFirstText(content, reasoning_content, reasoning, refusal) !== undefined) return true;
  return [content, tool_calls].some((parts) => Array.isArray(parts) && parts.length > 0);
}

/** Reasoning that is encrypted or only signed comes without text. */
function hasSignOfThought({ reasoning_details: details, extra_content }: Record<string, unknown>): boolean {
  return (Array.isArray(details) && details.length > 0) || isSignature(extra_content);
}

function isSignature(extra: unknown): boolean {
  return isRecord(extra) && isRecord(extra.google) && typeof extra.google.thought_signature === "string";
}

function findFirstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

const wholeDocument = { zh: "收到的是整份文档，不是数据流", en: "one whole document instead of a stream" };
const unknownContent = { zh: "content 既不是文本也不是列表", en: "content is neither a string nor a list" };
const unknownPart = { zh: "content 中有未知的部分", en: "content holds a part of an unknown kind" };
const noFinish = { zh: "没有 finish_reason", en: "no finish_reason" };
const noCalls = {
  zh: "finish_reason 说有工具调用，但没有收到",
  en: "finish_reason announces tool calls, but none came",
};
const malformed = { zh: "收到无法解析的数据", en: "a chunk is not JSON" };
const cutOff = { zh: "回答在结束前中断", en: "the stream ended before the answer did" };
const unknownFinish = { zh: "未知的结束原因", en: "unknown finish reason" };
