import { messageInput } from "../../runs/ask-schema.ts";
import { sendMessage } from "../../runs/send-message.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { findRun } from "./find-run.ts";
import { readFields } from "./read-fields.ts";

/** Describes the body of the route. */
export const messageBody = messageInput.omit({ run_id: true });

/** Serves `POST /agent/runs/{id}/messages`: what a person says to a run while it works. */
export function createMessageRoute(api: ApiContext): Handle {
  return async (call) => {
    const { run } = await findRun({ ...api, caller: call.caller }, call.params.id ?? "");
    const { message } = readFields(messageBody, await readJsonBody(call, api.settings.http.maxBody));
    const undelivered = await sendMessage(run, message);
    // A client may ask what came too late as the next question; what is refused it must not take for that.
    if (undelivered) throw new HttpRefusalError({ status: undelivered.isLate ? 409 : 400, text: undelivered.text });
    return new Response(null, { status: 202 });
  };
}
