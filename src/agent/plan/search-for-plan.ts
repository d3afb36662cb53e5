import type { Message, ToolCall } from "../../core/messages.ts";
import { say } from "../../kit/locale.ts";
import { fence } from "../context/fence.ts";
import { act } from "../loop/act.ts";
import type { Run } from "../run.ts";
import type { Draft, PlannedStep } from "./plan.ts";
import { createFoundToolsRequest } from "./plan-requests.ts";

/** The steps of a draft that find tools: a plan is made when it is known which there are. */
export function findSearches({ catalog }: Run, { steps }: Draft): PlannedStep[] {
  return catalog.finder === undefined ? [] : steps.filter(({ tool }) => tool === catalog.finder?.name);
}

/** Makes these searches; gives the draft and what was found as the planning model reads them. */
export async function searchForPlan(run: Run, searches: readonly PlannedStep[], draft: string): Promise<Message[]> {
  const calls = searches.map(
    ({ tool, parameters }, index): ToolCall => ({
      id: `search_${run.callIds.size + index}`,
      name: tool,
      argumentsText: JSON.stringify(parameters),
      arguments: parameters,
    }),
  );
  const found = await act(run, calls, run.statistics.iterations, 0);
  run.callerSignal.throwIfAborted();
  const text = fence(found.map((observation) => observation.text).join("\n\n"), run.marker);
  return [
    { role: "assistant", content: draft, toolCalls: [] },
    { role: "user", content: say(run.language, createFoundToolsRequest(text)) },
  ];
}
