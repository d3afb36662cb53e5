import type { Model, ModelRequest } from "../../core/model.ts";

/** What a run has learned of how much its models can read. */
export interface ContextWindows {
  /** The tokens that a request may take, for models that refused one as too long. */
  readonly rooms: Map<Model, number>;
  /** What the reader was told already. */
  readonly told: Set<string>;
}

export function createContextWindows(): ContextWindows {
  return { rooms: new Map(), told: new Set() };
}

/** Tokens assumed of a model whose window is not known: the least that servers of today's open models are started with. */
const assumedWindow = 32_000;

/** What the model can read and write in one call, in tokens; infinite for one that looks at nothing but the question. */
export function getContextWindow({ contextWindow = assumedWindow }: Model): number {
  return contextWindow;
}

/** The one of the two that can read less: what both read must fit it. */
export function pickSmallerModel({ functionCall, answer }: { functionCall: Model; answer: Model }): Model {
  return getContextWindow(answer) < getContextWindow(functionCall) ? answer : functionCall;
}

/** Characters that a model reads of one result: 20,000, and five in a small window for every eight of its tokens. */
export function getLongestResult(model: Model): number {
  return Math.min(20_000, Math.floor((getContextWindow(model) * 5) / 8));
}

/**
 * The tokens that a request may take. Three tenths of the window are kept for what the model writes, and because sizes
 * are estimates; more when the request asks for more, up to half.
 */
export function getRequestBudget(model: Model, { maxTokens = 0 }: Pick<ModelRequest, "maxTokens">): number {
  const window = getContextWindow(model);
  if (!Number.isFinite(window)) return window;
  return Math.floor(window - Math.min(Math.max(maxTokens, window * 0.3), window / 2));
}

/** About how many tokens a text is for that model. */
export function countTokens(model: Model, text: string): number {
  return model.countTokens?.([{ role: "user", content: text }]) ?? roughTokens(text);
}

/** Three Latin letters a token, or one Chinese character: rather too many than too few. */
function roughTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= 0x2e80) wide++;
  return wide + Math.ceil((text.length - wide) / 3);
}

/** About how many tokens a request takes. */
export function countRequestTokens(model: Model, { messages, tools }: ModelRequest): number {
  const offer = tools.length === 0 ? 0 : countTokens(model, JSON.stringify(tools));
  if (model.countTokens) return offer + model.countTokens(messages);
  return messages.reduce((sum, message) => sum + perMessage + roughTokens(allText(message)), offer);
}

/** Whether a request surely has room, told without the costly estimate: rather too many tokens are counted than too few. */
export function isSurelyWithin({ messages, tools }: ModelRequest, room: number): boolean {
  // Schemas are words for the most part. No common text of a message has more tokens than characters; where one has,
  // what is kept back for estimates covers it.
  const offer = tools.length === 0 ? 0 : roughTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + perMessage + allText(message).length, offer) <= room;
}

/** What each message costs beside its text. */
const perMessage = 8;

function allText(message: ModelRequest["messages"][number]): string {
  if (message.role !== "assistant") return message.content;
  const calls = message.toolCalls.map(({ name, argumentsText }) => name + argumentsText);
  return [message.content, message.reasoning ?? "", ...calls].join("\n");
}
