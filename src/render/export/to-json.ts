import type { ExportedConversation } from "./exported-conversation.ts";
import { listModels } from "./exported-conversation.ts";
import { type ExportOptions, toExportTitle } from "./to-markdown.ts";

/** Returns a conversation as JSON with the keys of the HTTP API. A step has the tool's whole output, as far as the trace holds it. */
export function toConversationJsonText(exported: ExportedConversation, { now }: ExportOptions): string {
  const turns = exported.runs.map((run, index) => ({
    ...exported.places?.[index],
    run_id: run.run_id,
    question: run.question,
    answer: run.final_answer,
    status: run.status,
    mode: run.mode,
    models: listModels([run]),
    started_at: run.started_at,
    steps: run.steps.map(({ step, thought, action, observation, tool_output, elapsed_ms, error }) => ({
      ...{ step, thought },
      ...(action?.type === "action" && { tool: action.tool, arguments: action.args }),
      ...(action?.type === "action" && { result: tool_output ?? observation, elapsed_ms }),
      error,
    })),
    error: run.error,
    feedback: run.feedback,
  }));
  const { id: conversation_id } = exported;
  const whole = { conversation_id, title: toExportTitle(exported), exported_at: now.toISOString(), turns };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
