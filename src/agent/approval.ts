import type { Approve, ApproveCall } from "../core/permission.ts";
import { askPerson } from "./ask-person.ts";
import type { Run } from "./run.ts";

/** Asks about one call after the other; a reader who says nothing in time has not answered. */
export function createApprove(ask: ApproveCall, run: Pick<Run, "clock" | "cancelled">): Approve {
  let before: Promise<unknown> = Promise.resolve();
  return (request) => {
    const mine = before.then(() => askPerson(run, waiting, (signal) => ask(request, signal)));
    before = mine.catch(() => {});
    return mine;
  };
}

const waiting = { zh: "等待批准工具调用", en: "waiting for the tool call to be approved" };
