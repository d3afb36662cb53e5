import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { openOutputSchema, outputSchemaPlace } from "../../../app/ask/answer-form.ts";
import { readChain } from "../../../core/chain-text.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { say } from "../../../kit/locale.ts";
import { askInput } from "../../../runs/ask-schema.ts";
import { takeAttachments } from "../../../runs/attachment-input.ts";
import { beginRun, findSameElsewhere, findSameRun, type RunQuestionRequest } from "../../../runs/begin-run.ts";
import { readHost } from "../../../runs/input/host.ts";
import { leaveAfterSwitch } from "../../../runs/leave-conversation.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { confirmRun } from "../../../runs/questions/confirm.ts";
import { createFailedResult, toFailedResult } from "../failed-result.ts";
import { readInput } from "../read-input.ts";
import { type ConnectionScope, getSession, serveRun, toHostRequest } from "./serve-run.ts";
import { canUseTasks, toTask } from "./tasks.ts";

/** Handles `agent_ask`: begins a run, or joins the one that is requested again or confirmed, and waits for it. */
export async function handleAsk(
  scope: ConnectionScope,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const read = readInput(askInput, args, scope.duet.locale);
  if (typeof read === "string") return createFailedResult(read);
  const taken = takeAttachments(read);
  if ("refused" in taken) return createFailedResult(say(scope.duet.locale, taken.refused));
  const { input, attachments } = taken;
  const { connection } = scope;
  // The same question may have been asked of a process that has ended.
  const resuming = scope.resumer.resumeAll();
  if (resuming !== undefined) await resuming;
  const preparing = scope.runs.prepare(scope.caller);
  if (preparing !== undefined) await preparing;
  const chain = readChain(context.mcpReq._meta, input.duet_chain, context.http?.req?.headers);
  const host = readHost(connection.server, context);
  const locale = scope.duet.localeFor(input.question);
  const hostRequest = toHostRequest(scope, context.mcpReq.id);
  const asked: RunQuestionRequest = { scope, input, attachments, chain, host, locale, hostRequest };
  if (input.output_schema !== undefined)
    try {
      asked.answerForm = await openOutputSchema(input.output_schema, outputSchemaPlace);
    } catch (thrown) {
      return toFailedResult(thrown, locale);
    }
  asked.input = await leaveAfterSwitch(asked);
  if (canUseTasks(host) && !input.confirmation) return beginTask(scope, asked, context.mcpReq.signal);
  const { wait_s: waitS, detail, include } = input;
  return serveRun(
    scope,
    { kind: "agent_ask", context, host, chain, locale, hostRequest, waitS, detail, include },
    async (waiter) => {
      if (input.confirmation) return confirmRun(asked, input.confirmation);
      const session = getSession(scope, waiter);
      const run = await joinOrBeginRun(asked, { session, signal: context.mcpReq.signal });
      run.asked ??= { input: asked.input, chain };
      run.addWaiter(waiter, session);
      return run;
    },
  );
}

/** The host fetches the result later, by the task's id. */
async function beginTask(
  scope: ConnectionScope,
  asked: RunQuestionRequest,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    return toTask(await joinOrBeginRun(asked, { session: getSession(scope, asked), signal }), scope);
  } catch (thrown) {
    return toFailedResult(thrown, asked.locale);
  }
}

/** Returns the run that is requested again, or begins a new one. Rejects when there are too many runs. */
async function joinOrBeginRun(
  asked: RunQuestionRequest,
  { session, signal }: { session: object; signal: AbortSignal },
): Promise<RunHandle> {
  const own = findSameRun(asked, session);
  if (own) return own;
  const finding = findSameElsewhere(asked, session, signal);
  // Nothing is waited for where there is no other process: of two same questions at once the second one has to find the first.
  if (finding === undefined) return beginRun(asked);
  const found = await ignoreRejection(finding, "the run that begins reports what is wrong with the store");
  signal.throwIfAborted();
  // Meanwhile one may have begun here, or have been taken over.
  return found ?? findSameRun(asked, session) ?? beginRun(asked);
}
