import type { Mode, ModelBill } from "../../core/run/outcome.ts";
import type { ConversationStore } from "../../core/store/store.ts";

/** Holds the mode of a run, and its models as `provider/model`. */
export interface RunChoices {
  mode: Mode;
  models: { functionCall: string; answer: string };
}

/** Returns undefined for a run that is not stored. */
export async function readChoices(
  store: Pick<ConversationStore, "trace">,
  runId: string,
): Promise<RunChoices | undefined> {
  const trace = await store.trace(runId);
  if (trace === undefined) return undefined;
  const { function_call, answer } = trace.models;
  return { mode: trace.mode, models: { functionCall: toName(function_call), answer: toName(answer) } };
}

function toName({ provider, model }: ModelBill): string {
  return `${provider}/${model}`;
}

/** Returns those of the last run of a conversation, and undefined where it has none that has ended. */
export async function readLastChoices(
  store: Pick<ConversationStore, "runs" | "trace">,
  conversationId: string,
): Promise<RunChoices | undefined> {
  const last = (await store.runs({ conversationId })).at(-1);
  return last && readChoices(store, last.id);
}
