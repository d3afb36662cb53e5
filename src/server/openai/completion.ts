import type { ModelBill, Outcome } from "../../core/outcome.ts";

/** Names one answer in each of its pieces. */
export interface CompletionId {
  /** Has the form `chatcmpl-…`. */
  id: string;
  /** Is in seconds since 1970. */
  created: number;
  /** Is the model's name as the client sent it. */
  model: string;
}

export type Finish = "stop" | "length" | "content_filter";

/** Holds what one piece of a streamed answer adds. */
export interface Delta {
  role?: "assistant";
  content?: string;
  reasoning_content?: string;
  annotations?: Annotation[];
}

export interface CompletionResult {
  content: string;
  reasoning: string;
  annotations: Annotation[];
  finish: Finish;
  usage: WireUsage;
  notices: Outcome["notices"];
}

export function createCompletionId(runId: string, model: string): CompletionId {
  return { id: `chatcmpl-${runId}`, created: Math.floor(Date.now() / 1000), model };
}

/** With `includesUsage` the last piece contains the usage, and all pieces before it contain null. */
export function toChunk(
  naming: CompletionId,
  delta: Delta,
  finish: Finish | null,
  { includesUsage, notices }: { includesUsage: boolean; notices?: Outcome["notices"] },
): object {
  return {
    id: naming.id,
    object: "chat.completion.chunk",
    created: naming.created,
    model: naming.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(includesUsage ? { usage: null } : {}),
    ...(notices && { notices }),
  };
}

export function toUsageChunk({ id, created, model }: CompletionId, usage: WireUsage): object {
  return { id, object: "chat.completion.chunk", created, model, choices: [], usage };
}

export function toCompletion({ id, created, model }: CompletionId, answer: CompletionResult): object {
  const { content, reasoning, annotations, finish, usage, notices } = answer;
  const plain = { role: "assistant", content, refusal: null, annotations };
  const message = reasoning === "" ? plain : { ...plain, reasoning_content: reasoning };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage,
    ...(notices && { notices }),
  };
}

/**
 * Represents a citation in OpenAI's format. `start_index` and `end_index` say where its number is in the text, in UTF-16 units.
 */
export interface Annotation {
  type: "url_citation";
  url_citation: { url: string; title: string; start_index: number; end_index: number };
}

/** Returns one annotation for each source, at the place where it is cited first. */
export function toAnnotations({ response, citations }: Pick<Outcome, "response" | "citations">): Annotation[] {
  return citations.map(({ n, title, url }) => {
    const marker = `[${n}]`;
    const start = Math.max(0, response.indexOf(marker));
    const end = response.startsWith(marker, start) ? start + marker.length : start;
    return { type: "url_citation", url_citation: { url, title, start_index: start, end_index: end } };
  });
}

/**
 * Sums the tokens of all models of a run as OpenAI counts them: cached tokens are part of the prompt's, reasoning tokens of the
 * completion's.
 */
export function toUsage(bills: readonly Tokens[]) {
  const sum = (name: keyof Tokens): number => bills.reduce((before, bill) => before + bill[name], 0);
  const [input, output] = [sum("input_tokens"), sum("output_tokens")];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: sum("cached_tokens") },
    completion_tokens_details: { reasoning_tokens: sum("reasoning_tokens") },
  };
}

type Tokens = Pick<ModelBill, "input_tokens" | "output_tokens" | "cached_tokens" | "reasoning_tokens">;

export type WireUsage = ReturnType<typeof toUsage>;
