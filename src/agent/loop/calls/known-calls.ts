import { fillDefaults } from "../../../core/tools/fill-defaults.ts";
import type { Run } from "../../run.ts";

/** Has a run that goes on with the last one refuse the calls that succeeded there: their results are part of the conversation. */
export function rememberEarlierCalls({ input, state, services }: Run): void {
  if (input.goesOn !== true) return;
  for (const { message, results } of input.conversation.turns.at(-1)?.steps ?? []) {
    const done = new Set(results.flatMap(({ callId, ok }) => (ok ? [callId] : [])));
    for (const call of message.toolCalls) {
      const tool = services.catalog.findTool(call.name);
      const args = tool && call.arguments && fillDefaults(call.arguments, tool.inputSchema);
      if (done.has(call.id)) state.repetition.know({ ...call, arguments: args ?? call.arguments });
    }
  }
}
