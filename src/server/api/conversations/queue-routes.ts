import { hash } from "node:crypto";
import * as z from "zod";
import type { Attachment } from "../../../core/attachment.ts";
import type { queueSchema, waitingQuestionSchema } from "../../../core/schemas/queue-schema.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { takeAttachments } from "../../../runs/attachment-input.ts";
import { readJsonBody, toFileBodyLimit } from "../../http/request/read-body.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { Route } from "../../http/routes.ts";
import type { ApiContext } from "../api-context.ts";
import { chatInput } from "../chat/chat-input.ts";
import { findKeyedRun, readKey } from "../chat/keyed-runs.ts";
import { toJsonResponse } from "../json-response.ts";
import { readFields } from "../read-fields.ts";
import { findStoredEntry, listActiveRuns, unknownConversationError } from "./find-conversation.ts";
import { mostWaiting } from "./question-queues.ts";
import { keepHeaders, type WaitingQuestion } from "./waiting-question.ts";

/** Describes the body of a question that waits: that of `/agent/chat` without what belongs to the request itself. */
export const queuedInput = chatInput
  .omit({ conversation_id: true, confirmation: true, wait_s: true, on_disconnect: true, duet_chain: true })
  .extend({
    after_run: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        "The run whose turn the question follows, also one that a waiting question will have; parent where it left none.",
      ),
  });

/** Serves the questions that wait for the end of a conversation's runs. */
export function createQueueRoutes(api: ApiContext): Readonly<Record<string, Route>> {
  return {
    "/agent/conversations/:id/queue": {
      GET: async ({ params: { id = "" }, caller }) => toJsonResponse(toQueueJson(id, api.queue.list(caller, id))),
      async POST(call) {
        const { caller, request, params, key, authInfo } = call;
        const { id = "" } = params;
        const body = await readJsonBody(call, toFileBodyLimit(api.settings.http.maxBody));
        const taken = takeAttachments(readFields(queuedInput, body));
        if ("refused" in taken) throw new HttpRefusalError({ status: 400, text: taken.refused });
        const { attachments } = taken;
        const { after_run: afterRun, ...input } = taken.input;
        const asking = { ...taken.input, conversation_id: id, files: attachments.map(toFilePrint) };
        const keyed = readKey(request.headers, caller, asking);
        const isStored = (await findStoredEntry(await api.duet.store(caller), id)) !== undefined;
        if (!isStored && listActiveRuns(api, caller, id).length === 0) throw unknownConversationError(id);
        const { message, locale = api.duet.localeFor(message) } = input;
        const kept = { headers: keepHeaders(request.headers), key, validUntil: authInfo?.expiresAt, isStored };
        const asked = { ...kept, input, attachments, conversationId: id, caller, locale, keyed, afterRun };
        const begun = keyed && (await findKeyedRun({ ...api, caller }, keyed));
        if (begun !== undefined) return toJsonResponse(toBegunJson(asked, begun));
        const question = api.queue.add(asked);
        if (question === undefined) throw queueFullError();
        return toJsonResponse(toWaitingJson(question), 202);
      },
    },
    "/agent/conversations/:id/queue/:question": {
      async DELETE({ params: { id = "", question = "" }, caller }) {
        const removed = api.queue.remove(caller, id, question);
        if (removed === "beginning") throw beginningQuestionError(question);
        if (removed === undefined) throw unknownQuestionError(question);
        return toJsonResponse(toWaitingJson(removed));
      },
    },
  };
}

function toFilePrint({ name = "", bytes }: Attachment): [string, string] {
  return [name, hash("sha256", bytes)];
}

export function toQueueJson(id: string, waiting: readonly WaitingQuestion[]): z.infer<typeof queueSchema> {
  return { conversation_id: id, waiting: waiting.map(toWaitingJson) };
}

/** Describes a question that has been asked before and is asked again. */
function toBegunJson(
  asked: Pick<
    WaitingQuestion,
    "conversationId" | "input" | "attachments" | "caller" | "headers" | "isStored" | "locale"
  >,
  runId: string,
): z.infer<typeof waitingQuestionSchema> {
  return toWaitingJson({ ...asked, id: "", askedAt: new Date().toISOString(), reservedRunId: runId, runId });
}

function toWaitingJson(question: WaitingQuestion): z.infer<typeof waitingQuestionSchema> {
  const { id, conversationId, input, attachments, askedAt, reservedRunId, afterRun = null, runId = null } = question;
  const { problem = null } = question;
  return {
    queue_id: id,
    conversation_id: conversationId,
    message: input.message,
    attachments: attachments.map(({ name = "", mediaType = "", bytes }) => {
      return { name, media_type: mediaType, size: bytes.length };
    }),
    asked_at: askedAt,
    run_id: runId,
    reserved_run_id: reservedRunId,
    after_run: afterRun,
    error: problem,
  };
}

function queueFullError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 429,
    error: "rate_limit",
    text: {
      zh: `等待的问题太多（允许：每个对话最多 ${mostWaiting} 个）`,
      en: `too many questions wait (allowed: at most ${mostWaiting} in a conversation)`,
    },
  });
}

function beginningQuestionError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 409,
    text: {
      zh: `问题 ${shown} 正在开始，已不能取回；请取消它的运行。`,
      en: `The question ${shown} is just beginning and can no longer be taken back; cancel its run.`,
    },
  });
}

function unknownQuestionError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的等待中的问题：它已开始、已取回，或不属于此对话。`,
      en: `No question ${shown} is waiting: it has begun, was taken back, or belongs to another conversation.`,
    },
  });
}
