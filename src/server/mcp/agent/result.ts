import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { readChainMeta } from "../../../core/chain.ts";
import { say } from "../../../kit/locale.ts";
import { cancelInput, resultInput } from "../../../runs/ask-schema.ts";
import { toFinishedOutcome } from "../../../runs/finished-outcome.ts";
import { readHost } from "../../../runs/input/host.ts";
import { withPlanToken } from "../../../runs/outcome-for.ts";
import { describeUnknownRun } from "../../../runs/unknown-run.ts";
import { createFailedResult, toFailedResult } from "../failed-result.ts";
import { readInput } from "../read-input.ts";
import { toResult } from "./ask-result.ts";
import type { ConnectionScope } from "./connection-scope.ts";
import { serveRun } from "./serve-run.ts";

/** `agent_result`: waits for a run that goes on, or gives how it ended. */
export async function handleResult(
  scope: ConnectionScope,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { duet, runs, connection } = scope;
  const input = readInput(resultInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const { run_id: id, wait_s: waitS } = input;
  const run = runs.find(id, connection.caller);
  const locale = run?.locale ?? duet.locale;
  const host = readHost(connection.server, context);
  const chain = readChainMeta(context.mcpReq._meta);
  const request = { kind: "agent_result", context, host, chain, locale, waitS } as const;
  return serveRun(scope, request, async () => run ?? keptResult(scope, id));
}

/** How long a run that is cancelled is waited for, in milliseconds. */
const patienceMs = 2000;

/** `agent_cancel`: stops a run and gives what it came to. */
export async function handleCancel(
  scope: ConnectionScope,
  args: unknown,
  { mcpReq }: ServerContext,
): Promise<CallToolResult> {
  const { duet, runs, connection } = scope;
  const input = readInput(cancelInput, args, duet.locale);
  if (typeof input === "string") return createFailedResult(input);
  const run = runs.find(input.run_id, connection.caller);
  if (run === undefined) return keptResult(scope, input.run_id).catch((thrown) => toFailedResult(thrown, duet.locale));
  return toResult(await runs.cancel(run, patienceMs, mcpReq.signal), run.locale);
}

/** Of a run that this process does not know any more. */
async function keptResult(scope: ConnectionScope, runId: string): Promise<CallToolResult> {
  const { duet, connection } = scope;
  const store = await duet.store(connection.caller);
  const trace = await store.trace(runId);
  if (trace === undefined) return createFailedResult(say(duet.locale, describeUnknownRun(runId)));
  const locale = duet.localeFor(trace.question);
  return toResult(await withPlanToken(scope, toFinishedOutcome(trace, locale)), locale);
}
