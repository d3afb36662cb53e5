import * as z from "zod";
import { getReplySchema } from "../../core/questions/stored-replies.ts";
import type { QuestionKind } from "../../core/questions/user-question.ts";
import { type QuestionJson, replySchema, toFieldName } from "../../core/schemas/run-schema.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { Locale } from "../../kit/locale.ts";
import { toHostQuestion } from "../../runs/questions/ask-question.ts";
import type { OpenQuestion } from "../../runs/questions/open-question.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { findRun } from "./find-run.ts";
import { readFields } from "./read-fields.ts";

/** Accepts any answer, because what is allowed depends on the question. */
const replyInput = replySchema.extend({ answer: z.unknown() });

/** Serves `POST /agent/runs/{id}/reply`, a person's answer to the question that it names. */
export function createReplyRoute(api: ApiContext): Handle {
  return async (call) => {
    const id = call.params.id ?? "";
    const { run } = await findRun({ ...api, caller: call.caller }, id);
    const { question_id, answer } = readFields(replyInput, await readJsonBody(call, api.settings.http.maxBody));
    const open = run?.open;
    if (open === undefined || open.id !== question_id) throw closedQuestionError(question_id);
    if (!(await applyReply(open, answer))) throw closedQuestionError(question_id);
    return new Response(null, { status: 204 });
  };
}

/** Returns false where another answer counts. Throws `HttpRefusalError` for a value that is not an answer to this question. */
async function applyReply<K extends QuestionKind>(open: OpenQuestion<K>, answer: unknown): Promise<boolean> {
  return open.answer(readFields(z.object({ answer: getReplySchema(open.question) }), { answer }).answer);
}

function closedQuestionError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 409,
    text: {
      zh: `问题 ${shown} 不在等待答复：已有答复、已过期，或不属于此运行。`,
      en: `The question ${shown} is not waiting for an answer: it was answered, has expired, or belongs to another run.`,
    },
  });
}

/** Returns undefined when a downstream server asked for something that no form of MCP can show. */
export function toQuestionJson({ id, question, until }: OpenQuestion, locale: Locale): QuestionJson | undefined {
  const words = toHostQuestion(question, locale);
  if (words === undefined) return undefined;
  const fields = Object.entries(question).map(([name, value]) => [toFieldName(name), value]);
  const { message } = words;
  return { ...Object.fromEntries(fields), question_id: id, message, expires_at: new Date(until).toISOString() };
}
