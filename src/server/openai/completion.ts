import type { Annotation } from "./annotations.ts";
import type { WireUsage } from "./usage.ts";

/** Names one answer in each of its pieces. */
export interface CompletionId {
  /** `chatcmpl-…` */
  id: string;
  /** In seconds since 1970. */
  created: number;
  /** As the client named it. */
  model: string;
}

export type Finish = "stop" | "length" | "content_filter";

/** What one piece of a streamed answer adds. */
export interface Delta {
  role?: "assistant";
  content?: string;
  reasoning_content?: string;
  annotations?: Annotation[];
}

/** A whole answer. */
export interface Completed {
  content: string;
  reasoning: string;
  annotations: Annotation[];
  finish: Finish;
  usage: WireUsage;
}

export function createCompletionId(runId: string, model: string): CompletionId {
  return { id: `chatcmpl-${runId}`, created: Math.floor(Date.now() / 1000), model };
}

/** `includesUsage`: the last piece brings the usage, so that all before it have none. */
export function toChunk(naming: CompletionId, delta: Delta, finish: Finish | null, includesUsage: boolean): object {
  return {
    id: naming.id,
    object: "chat.completion.chunk",
    created: naming.created,
    model: naming.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(includesUsage ? { usage: null } : {}),
  };
}

export function toUsageChunk({ id, created, model }: CompletionId, usage: WireUsage): object {
  return { id, object: "chat.completion.chunk", created, model, choices: [], usage };
}

export function toCompletion({ id, created, model }: CompletionId, answer: Completed): object {
  const { content, reasoning, annotations, finish, usage } = answer;
  const message = { role: "assistant", content, refusal: null, annotations };
  const told = reasoning === "" ? message : { ...message, reasoning_content: reasoning };
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message: told, logprobs: null, finish_reason: finish }],
    usage,
  };
}
