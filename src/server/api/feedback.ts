import * as z from "zod";
import { longestComment } from "../../core/store/feedback.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { unsupportedByStoreError } from "./conversations/find-conversation.ts";
import { readFields } from "./read-fields.ts";

/** Describes the body of the route. */
export const feedbackBody = z.strictObject({
  rating: z.enum(["up", "down"]).nullable().describe("null, without a comment, takes the feedback back."),
  comment: z.string().max(longestComment).optional(),
});

/** Serves `POST /agent/runs/{id}/feedback`: what a person thinks of the answer of a run that has ended. */
export function createFeedbackRoute(api: ApiContext): Handle {
  return async (call) => {
    const { caller, params } = call;
    const { id = "" } = params;
    const { rating, comment = "" } = readFields(feedbackBody, await readJsonBody(call, api.settings.http.maxBody));
    const store = await api.duet.store(caller);
    if (store.rate === undefined) throw unsupportedByStoreError();
    const isTakenBack = rating === null && comment.trim() === "";
    const feedback = isTakenBack ? undefined : { rating, comment: comment.trim(), at: new Date().toISOString() };
    if (!(await store.rate(id, feedback))) throw unknownEndedRunError(id);
    const conversationId = (await store.trace(id))?.conversation_id;
    if (conversationId !== undefined) api.changes.tell(caller, { type: "conversation", id: conversationId });
    return new Response(null, { status: 204 });
  };
}

/** Reports a run of which nothing is stored. */
export function unknownEndedRunError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的已结束的运行（允许：结果中的 run_id，且该运行已结束）。`,
      en: `There is no run ${shown} that has ended (allowed: the run_id of a result, once that run has ended).`,
    },
  });
}
