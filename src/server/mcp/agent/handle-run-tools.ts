import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { readChainMeta } from "../../../core/chain.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { cancelInput, type Detail, type IncludedPart, messageInput, resultInput } from "../../../runs/ask-schema.ts";
import { addEarlier, findLastId, readWhole } from "../../../runs/continued-runs.ts";
import { type Host, readHost } from "../../../runs/input/host.ts";
import { describeUnknownRun } from "../../../runs/live/live-run.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { addPlanToken } from "../../../runs/outcomes/outcome-for.ts";
import { sendMessage } from "../../../runs/send-message.ts";
import { createFailedResult, toFailedResult } from "../failed-result.ts";
import { readInput } from "../read-input.ts";
import { toAskResult } from "./ask-result.ts";
import { readRunImages } from "./run-images.ts";
import { type ConnectionScope, chooseResultOptions, serveRun, toHostRequest } from "./serve-run.ts";

/** Handles `agent_result`: waits for an active run, or returns how it ended. */
export async function handleResult(
  scope: ConnectionScope,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { duet, runs, resumer, connection } = scope;
  const input = readInput(resultInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const { run_id: named, wait_s: waitS, detail, include } = input;
  await resumer.resumeAll();
  const id = await findLastId(scope, named);
  const run = runs.find(id, connection.caller) ?? (await resumeRun(scope, id));
  const locale = run?.locale ?? duet.locale;
  const host = readHost(connection.server, context);
  const chain = readChainMeta(context.mcpReq._meta);
  const hostRequest = toHostRequest(scope, context.mcpReq.id);
  const request = { kind: "agent_result", context, host, chain, locale, hostRequest, waitS, detail, include } as const;
  return serveRun(scope, request, async () => run ?? readStoredResult(scope, id, request));
}

/** Goes on with a run that a crash has interrupted, however long ago: somebody asks for its result. Another process may have it. */
async function resumeRun({ resumer, followed, caller }: ConnectionScope, id: string): Promise<RunHandle | undefined> {
  const resuming = resumer.resume(id, caller).then((run) => run ?? followed.find(id, caller));
  return ignoreRejection(resuming, "reading the stored result reports what is wrong with the store");
}

/** Finds a run of this process or of another one, or the last one that goes on with it: a host may know the first ID alone. */
async function findGoing(scope: ConnectionScope, named: string): Promise<{ id: string; run: RunHandle | undefined }> {
  const { runs, followed, caller } = scope;
  const id = await findLastId(scope, named);
  const run = runs.find(id, caller) ?? (await ignoreRejection(followed.find(id, caller), "the store reports it"));
  return { id, run };
}

/** Limits how long a cancelled run is waited for, in milliseconds. */
const cancelPatienceMs = 2000;

/** Handles `agent_cancel`: stops a run and returns its outcome. */
export async function handleCancel(
  scope: ConnectionScope,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult> {
  const { duet, runs, connection } = scope;
  const input = readInput(cancelInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const { id, run } = await findGoing(scope, input.run_id);
  const host = readHost(connection.server, context);
  if (run === undefined)
    return readStoredResult(scope, id, { host }).catch((thrown) => toFailedResult(thrown, duet.locale));
  const { locale } = run;
  try {
    const outcome = await addEarlier(scope, run, await runs.cancel(run, cancelPatienceMs, context.mcpReq.signal));
    const waits = outcome.status === "running" ? say(locale, stopIsKept) : undefined;
    return toAskResult(outcome, { ...chooseResultOptions(scope, { host }), locale, waits });
  } catch (thrown) {
    return toFailedResult(thrown, locale);
  }
}

/** Is told where the process of a run has not answered yet. */
const stopIsKept: Text = {
  zh: "已记下停止请求：执行它的进程一读到就会停止；如果那个进程已经失去联系，接手的进程会停止它。",
  en: "Its stop is recorded: it ends as soon as its process reads that, or the next one that takes it over.",
};

/** Handles `agent_message`: says something to one of the caller's runs while it works. */
export async function handleMessage(scope: ConnectionScope, args: unknown): Promise<CallToolResult> {
  const { duet } = scope;
  const input = readInput(messageInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const { run } = await findGoing(scope, input.run_id);
  if (run === undefined) return createFailedResult(say(duet.locale, describeUnknownRun(input.run_id)));
  try {
    const undelivered = await sendMessage(run, input.message);
    if (undelivered) return createFailedResult(say(run.locale, undelivered.text));
    return { content: [{ type: "text", text: say(run.locale, passedOn) }] };
  } catch (thrown) {
    return toFailedResult(thrown, run.locale);
  }
}

const passedOn: Text = { zh: "下一步开始前转达。", en: "It is passed on at the next step." };

/** Returns the stored result of a run that this process no longer knows. */
async function readStoredResult(
  scope: ConnectionScope,
  runId: string,
  request: { host: Host; detail?: Detail | undefined; include?: readonly IncludedPart[] | undefined },
): Promise<CallToolResult> {
  const { duet } = scope;
  const whole = await readWhole(scope, runId);
  if (whole === undefined) return createFailedResult(say(duet.locale, describeUnknownRun(runId)));
  const { locale } = whole;
  const outcome = await addPlanToken(scope, whole.outcome);
  const images = await readRunImages(scope, { outcome, include: request.include });
  return toAskResult(outcome, { ...chooseResultOptions(scope, request), locale, images });
}
