import type { Models } from "../agent/run.ts";
import type { Message } from "../core/messages.ts";
import { type Model, type Turn, toModelName, type Usage } from "../core/model.ts";
import type { Sample, SamplingReply, SamplingRequest } from "../core/sampling.ts";
import { createTimeLimit, type TimeLimit, timeoutError, waitAbortable } from "../kit/async/timeout.ts";
import { DuetError } from "../kit/errors.ts";
import { createRandomHex } from "../kit/random.ts";

/** Limits the writing of one text, in milliseconds. */
const longestWritingMs = 60_000;

/**
 * Has the function-call model write texts for programs below. Each is a call by itself: none of our prompts, conversations or
 * tools are in it.
 */
export function createSample(models: () => Promise<Pick<Models, "functionCall">>): Sample {
  return async (request, outer) => {
    const limit = createTimeLimit(longestWritingMs, () => timeoutError("sampling", longestWritingMs), outer);
    try {
      const { functionCall: model } = await waitAbortable(models(), limit.signal);
      if (model.followsPrompts === false) throw noModelError(model);
      return await write(model, request, limit);
    } finally {
      limit.clear();
    }
  };
}

async function write(model: Model, request: SamplingRequest, limit: TimeLimit): Promise<SamplingReply> {
  const spent: Usage[] = [];
  let turn: Turn | undefined;
  const run = { id: `sampling-${createRandomHex()}`, leftMs: () => limit.leftMs };
  const asked = { messages: toMessages(request), tools: [], maxTokens: request.maxTokens, run };
  for await (const event of model.stream(asked, limit.signal)) {
    if (event.type === "spent") spent.push(event.usage);
    if (event.type === "turn-end") turn = event.turn;
  }
  if (turn === undefined || (turn.finish !== "stop" && turn.finish !== "length")) throw unwrittenError(model, turn);
  spent.push(turn.usage);
  const costs = spent.map((usage) => model.cost?.(usage) ?? null);
  return {
    text: turn.message.content,
    model: toModelName(model),
    finish: turn.finish,
    tokens: spent.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
    costUsd: costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}

/**
 * Converts the messages of a request. What a downstream program calls its system prompt becomes a user's message too: text from
 * outside never becomes a system prompt.
 */
function toMessages({ system, messages }: SamplingRequest): Message[] {
  const written = messages.map(
    ({ role, text }): Message => (role === "user" ? { role, content: text } : { role, content: text, toolCalls: [] }),
  );
  const head: Message[] = system === undefined ? [] : [{ role: "user", content: system }];
  return [...head, ...written];
}

function noModelError(model: Model): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `${toModelName(model)} 不是语言模型，不能为 MCP 服务器写文本`,
      en: `${toModelName(model)} is not a language model and cannot write for MCP servers`,
    },
  });
}

function unwrittenError(model: Model, turn: Turn | undefined): DuetError {
  const finish = turn?.finish ?? "none";
  return new DuetError({
    code: finish === "refused" || finish === "content-filter" ? "content_filter" : "bad_response",
    text: {
      zh: `${toModelName(model)} 没有写出 MCP 服务器要的文本（${finish}）`,
      en: `${toModelName(model)} did not write the text for an MCP server (${finish})`,
    },
  });
}
