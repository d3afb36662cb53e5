import type { Duet } from "../../app.ts";
import { DuetError } from "../../core/errors.ts";
import type { Message } from "../../core/messages.ts";
import { noUsage, type Turn } from "../../core/model.ts";
import { randomHex } from "../../core/random.ts";
import { timeLimit, timeoutError } from "../../core/waiting.ts";
import type { Connection } from "../http/connection.ts";
import { completionOf, nameAnswer } from "./completion.ts";
import type { ChatRequest } from "./read-chat.ts";
import { textOf } from "./read-messages.ts";
import { usageOf } from "./usage.ts";

/** For a title or some tags, in milliseconds. */
const longestWritingMs = 30_000;
/** Output tokens where the client names no limit. */
const mostTokens = 1000;

/** Has the function-call model answer a chat page's own request: one call, no tools, nothing kept. Throws what the model throws. */
export async function answerSideCall(
  duet: Pick<Duet, "models">,
  asked: ChatRequest,
  connection: Connection,
): Promise<Response> {
  const gone = new AbortController();
  connection.onClose(() => gone.abort(new DuetError({ code: "network", text: left })));
  const limit = timeLimit(longestWritingMs, () => timeoutError(asked.model, longestWritingMs), gone.signal);
  try {
    const turn = await write(duet, asked, limit.signal);
    return Response.json(
      completionOf(nameAnswer(`side-${randomHex()}`, asked.model), {
        content: turn?.message.content ?? "",
        reasoning: "",
        annotations: [],
        finish: turn?.finish === "length" ? "length" : "stop",
        usage: usageOf([billOf(turn)]),
      }),
    );
  } finally {
    limit.clear();
  }
}

/** Undefined where the model goes by rules: it can name nothing, and the client goes on without. */
async function write(
  duet: Pick<Duet, "models">,
  { messages, maxTokens = mostTokens }: ChatRequest,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const { functionCall: model } = await duet.models();
  if (model.followsPrompts === false) return undefined;
  const said = messages.map(({ content }): Message => ({ role: "user", content: textOf(content, "messages") }));
  for await (const event of model.stream({ messages: said, tools: [], maxTokens }, signal))
    if (event.type === "turn-end") return event.turn;
  throw new DuetError({ code: "bad_response", text: unfinished });
}

function billOf({ usage = noUsage }: Partial<Turn> = {}) {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_tokens: usage.cachedTokens,
    reasoning_tokens: usage.reasoningTokens,
  };
}

const left = { zh: "客户端已离开", en: "the client has left" };

const unfinished = { zh: "模型的回复没有结束标记", en: "the model ended its reply without a terminal marker" };
