import type { Approve, ApproveCall } from "../../core/tools/permission.ts";
import type { AskSequentially } from "./ask-person.ts";

/** Asks about one call after the other; a reader who says nothing in time has not answered. */
export function createApprove(ask: ApproveCall, askInTurn: AskSequentially): Approve {
  return (request) => askInTurn(waiting, (signal) => ask(request, signal));
}

const waiting = { zh: "等待批准工具调用", en: "waiting for the tool call to be approved" };
