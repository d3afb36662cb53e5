import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { chainOf } from "../../../core/chain-text.ts";
import { askInput } from "../../../runs/ask-schema.ts";
import { type Asked, begin, sameRun } from "../../../runs/begin-run.ts";
import { hostOf } from "../../../runs/input/host.ts";
import { confirm } from "../../../runs/questions/confirm.ts";
import type { HeldRun } from "../../../runs/run-handle.ts";
import { failedResult, toFailedResult } from "../failed-result.ts";
import { readInput } from "../read-input.ts";
import type { AgentSeat } from "./connection-scope.ts";
import { serveRun } from "./serve-run.ts";
import { takesTasks, toTask } from "./tasks.ts";

/** `agent_ask`: begins a run, or goes on with the one that is asked for again or confirmed, and waits for it. */
export async function ask(
  seat: AgentSeat,
  args: unknown,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const input = readInput(askInput, args, seat.duet.locale);
  if (typeof input === "string") return failedResult(input);
  const { connection } = seat;
  const chain = chainOf(context.mcpReq._meta, input.duet_chain, context.http?.req?.headers);
  const host = hostOf(connection.server, context);
  const locale = seat.duet.localeFor(input.question);
  const asked: Asked = { seat, input, chain, host, locale };
  if (takesTasks(host) && !input.confirmation) return beginTask(seat, asked);
  return serveRun(seat, { kind: "agent_ask", context, host, chain, locale, waitS: input.wait_s }, async () => {
    if (input.confirmation) return confirm(asked, input.confirmation);
    return runFor(asked);
  });
}

/** The host asks for the rest by the task's id. */
function beginTask(seat: AgentSeat, asked: Asked): CallToolResult {
  try {
    return toTask(runFor(asked), seat);
  } catch (thrown) {
    return toFailedResult(thrown, asked.locale);
  }
}

/** The one that is asked for again, or a new one. Throws where there are too many. */
function runFor(asked: Asked): HeldRun {
  return sameRun(asked) ?? begin(asked);
}
