import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { fromMeta } from "../../core/chain.ts";
import { say, type Text } from "../../core/locale.ts";
import { timeLimit, timeoutError } from "../../core/waiting.ts";
import { hostOf } from "../asking/host.ts";
import { failedResult } from "../gateway/tool-result.ts";
import { readInput } from "../input.ts";
import type { HeldRun } from "../runs/held-run.ts";
import { toResult } from "./ask-result.ts";
import { cancelInput, resultInput } from "./ask-schema.ts";
import { keptOutcome } from "./kept-outcome.ts";
import type { AgentSeat } from "./room.ts";
import { serveRun } from "./serve-run.ts";

/** `agent_result`: waits for a run that goes on, or gives how it ended. */
export async function giveResult(
  seat: AgentSeat,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { duet, runs, connection } = seat;
  const input = readInput(resultInput, args, duet.locale);
  if (typeof input === "string") return failedResult(input);
  const { run_id: id, wait_s: waitS } = input;
  const run = runs.find(id, connection.caller);
  const locale = run?.locale ?? duet.locale;
  const host = hostOf(connection.server, context);
  const chain = fromMeta(context.mcpReq._meta);
  const request = { kind: "agent_result", context, host, chain, locale, waitS } as const;
  return serveRun(seat, request, async () => run ?? keptResult(seat, id));
}

/** How long a run that is cancelled is waited for, in milliseconds. */
const patienceMs = 2000;

/** `agent_cancel`: stops a run and gives what it came to. */
export async function cancel(seat: AgentSeat, args: unknown, { mcpReq }: ServerContext): Promise<CallToolResult> {
  const { duet, runs, connection } = seat;
  const input = readInput(cancelInput, args, duet.locale);
  if (typeof input === "string") return failedResult(input);
  const run = runs.find(input.run_id, connection.caller);
  if (run === undefined) return keptResult(seat, input.run_id);
  run.cancel();
  return toResult(await ending(run, mcpReq.signal), run.locale);
}

async function ending(run: HeldRun, signal: AbortSignal) {
  const limit = timeLimit(patienceMs, () => timeoutError("agent_cancel", patienceMs), signal);
  while (run.outcome === undefined && !limit.signal.aborted) await run.happened(limit.signal);
  limit.clear();
  return run.soFar();
}

/** Of a run that this process does not know any more. */
async function keptResult({ duet, connection }: AgentSeat, runId: string): Promise<CallToolResult> {
  const store = await duet.store(connection.caller);
  const trace = await store.trace(runId);
  if (trace === undefined) return failedResult(say(duet.locale, unknownRun(runId)));
  return toResult(keptOutcome(trace), duet.localeFor(trace.question));
}

function unknownRun(runId: string): Text {
  const shown = JSON.stringify(runId.slice(0, 100));
  return {
    zh: `没有编号为 ${shown} 的运行（允许：agent_ask 的结果中的 run_id）。`,
    en: `There is no run ${shown} (allowed: the run_id of a result of agent_ask).`,
  };
}
