import { estimatePages, toParts, toPlainText } from "../../core/model/message-content.ts";
import type { Message, MessageContent } from "../../core/model/messages.ts";
import type { Model, ModelRequest } from "../../core/model/model.ts";

/** Records what a run has learned about how much its models can read. */
export interface ContextWindows {
  /** Maps each model that refused a request as too long to the tokens that a request may take. */
  readonly requestBudgets: Map<Model, number>;
  /** Lists what the reader has already been notified of. */
  readonly noticed: Set<string>;
  /** Maps messages to the form in which a model was sent them, where they had to be shortened for it. */
  readonly shortened: Map<Model, Map<Message, Message>>;
}

export function createContextWindows(): ContextWindows {
  return { requestBudgets: new Map(), noticed: new Set(), shortened: new Map() };
}

/**
 * Is the window assumed for a model whose window is not known, in tokens. Servers of today's open models are started with at
 * least this much.
 */
const assumedWindow = 32_000;

/**
 * Returns how much the model can read and write in one call, in tokens. It is infinite for a model that reads only the question.
 */
export function getContextWindow({ contextWindow = assumedWindow }: Model): number {
  return contextWindow;
}

/** Returns the model with the smaller window: what both read must fit it. */
export function pickSmallerModel({ functionCall, answer }: { functionCall: Model; answer: Model }): Model {
  return getContextWindow(answer) < getContextWindow(functionCall) ? answer : functionCall;
}

/** Returns how many characters of one result a model reads: 20,000, or in a small window five for every eight of its tokens. */
export function getLongestResult(model: Model): number {
  return Math.min(20_000, Math.floor((getContextWindow(model) * 5) / 8));
}

/**
 * Returns the tokens that a request may take. Three tenths of the window are kept for what the model writes, and because sizes
 * are estimates. More is kept when the request asks for more, hidden reasoning included, up to half.
 */
export function getRequestBudget(model: Model, request: Pick<ModelRequest, "maxTokens">): number {
  const window = getContextWindow(model);
  if (!Number.isFinite(window)) return window;
  const { maxTokens = model.maxTokens ?? 0 } = request;
  const output = maxTokens + (model.outputAllowance ?? 0);
  return Math.floor(window - Math.min(Math.max(output, window * 0.3), window / 2));
}

/** Estimates how many tokens a text, or several parts, take for that model. */
export function countTokens(model: Model, content: MessageContent): number {
  return model.countTokens?.([{ role: "user", content }]) ?? estimateContent(content);
}

/** Is assumed for an image, whose cost a model that counts by itself knows better, in tokens. */
const imageTokens = 1_600;
/** No vendor counts more tokens for one image at the size to which it reduces images. */
const mostImageTokens = 5_000;

function estimateContent(content: MessageContent): number {
  const images = toParts(content).filter(({ type }) => type === "image").length;
  return images * imageTokens + estimateTokens(toPlainText(content, "en"));
}

/** Counts three Latin letters per token, or one Chinese character. The result is too high rather than too low. */
function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= 0x2e80) wide++;
  return wide + Math.ceil((text.length - wide) / 3);
}

/** Estimates how many tokens a request takes. */
export function countRequestTokens(model: Model, { messages, tools }: ModelRequest): number {
  const offer = tools.length === 0 ? 0 : countTokens(model, JSON.stringify(tools));
  if (model.countTokens) return offer + model.countTokens(messages);
  return messages.reduce((sum, message) => sum + perMessage + estimateMessage(message), offer);
}

/** Is true when a request certainly fits, judged without the costly estimate. It counts too many tokens rather than too few. */
export function isSurelyWithin({ messages, tools }: ModelRequest, budget: number): boolean {
  // Schemas are words for the most part. No common text of a message has more tokens than characters; where one has,
  // what is kept back for estimates covers it.
  const offer = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  const measure = (message: Message): number => perMessage + measureText(message) + measureFiles(message);
  return messages.reduce((sum, message) => sum + measure(message), offer) <= budget;
}

/** Returns the length of the text of a message, at least. */
function measureText(message: Message): number {
  if (typeof message.content !== "string" || message.role !== "assistant") return joinText(message).length;
  const { content, reasoning = "", toolCalls } = message;
  return toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.argumentsText.length + 1,
    content.length + reasoning.length + 1,
  );
}

/** Each message costs this many tokens besides its text. */
const perMessage = 8;

function estimateMessage(message: Message): number {
  return message.role === "assistant" ? estimateTokens(joinText(message)) : estimateContent(message.content);
}

/** Counts more tokens than the images and documents of a message take: the pages of a document may be sent as pictures too. */
function measureFiles({ content }: Message): number {
  if (typeof content === "string") return 0;
  return toParts(content).reduce((sum, part) => {
    if (part.type === "text") return sum;
    return sum + (part.type === "image" ? mostImageTokens : estimatePages(part.file.size) * mostImageTokens);
  }, 0);
}

function joinText(message: Message): string {
  if (message.role !== "assistant") return toPlainText(message.content, "en");
  const calls = message.toolCalls.map(({ name, argumentsText }) => name + argumentsText);
  return [message.content, message.reasoning ?? "", ...calls].join("\n");
}
