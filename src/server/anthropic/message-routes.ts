import { countRequestTokens } from "../../agent/context/context-window.ts";
import type { AssistantMessage, Message } from "../../core/model/messages.ts";
import type { RunService } from "../../runs/run-service.ts";
import { readJsonBody, toFileBodyLimit } from "../http/request/read-body.ts";
import type { Handle, Route } from "../http/routes.ts";
import { waitForAnswer } from "../model-api/answer/answer-events.ts";
import type { ModelMessage, WireFile } from "../model-api/answer/answer-request.ts";
import { openAnswer } from "../model-api/answer/open-answer.ts";
import { streamAnswer } from "../model-api/answer/stream-answer.ts";
import { withAsker } from "../model-api/find-asker.ts";
import { createEventWriter } from "./event-writer.ts";
import { createMessageId, toWholeMessage } from "./message.ts";
import { readCountRequest, readMessageRequest } from "./read-request.ts";

/** Serves programs that use Anthropic's API: `/v1/messages` and the count of its tokens. */
export function createMessageRoutes(service: RunService): Readonly<Record<string, Route>> {
  return {
    "/v1/messages": { POST: createMessages(service) },
    "/v1/messages/count_tokens": { POST: createCount(service) },
  };
}

function createMessages(service: RunService): Handle {
  return async (given) => {
    const request = readMessageRequest(await readJsonBody(given, toFileBodyLimit(service.settings.http.maxBody)));
    const call = withAsker(given, service.settings.modelApi, request.user);
    const opened = await openAnswer(service, request, call);
    const { run, locale } = opened;
    const naming = createMessageId(opened.id, request.model);
    if (request.isStreamed) return streamAnswer(opened, createEventWriter(naming, locale, run.id));
    const message = toWholeMessage(naming, await waitForAnswer(opened));
    return Response.json(message, { headers: { "x-request-id": run.id, "request-id": run.id } });
  };
}

/** Counts what the request itself takes for the answer model. Duet's own prompt, tools and steps come on top. */
function createCount(service: RunService): Handle {
  return async (call) => {
    const body = await readJsonBody(call, toFileBodyLimit(service.settings.http.maxBody));
    const { messages, tools } = readCountRequest(body);
    const { answer } = await service.duet.models.open();
    return Response.json({
      input_tokens: countRequestTokens(answer, { messages: messages.map(toMeasured), tools: [...tools] }),
    });
  };
}

/** Returns a message as it is measured. Its files are not read: their number and size are enough for an estimate. */
function toMeasured(message: ModelMessage): Message {
  switch (message.role) {
    case "instruction":
      return { role: "system", content: message.text };
    case "assistant":
      return toMeasuredAnswer(message);
    case "tool": {
      const { callId, text, isError } = message.result;
      return { role: "tool", callId, tool: "", content: text, ok: !isError };
    }
    default: {
      const text = { type: "text", text: message.text } as const;
      return { role: "user", content: [text, ...message.files.map(toMeasuredFile)] };
    }
  }
}

function toMeasuredAnswer({ text, calls }: Extract<ModelMessage, { role: "assistant" }>): AssistantMessage {
  return { role: "assistant", content: text, toolCalls: calls.map((call) => ({ ...call, arguments: undefined })) };
}

function toMeasuredFile(file: WireFile) {
  const size = "attachment" in file ? file.attachment.bytes.length : 0;
  return { type: "image", image: { hash: "", mediaType: "image/png", size } } as const;
}
