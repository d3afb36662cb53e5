import type { Mode, ModelBill } from "../../core/outcome.ts";
import type { ConversationStore } from "../../core/store/store.ts";

/** Holds the mode of the last run of a conversation, and its models as `provider/model`. */
export interface LastChoices {
  mode: Mode;
  models: { functionCall: string; answer: string };
}

/** Returns undefined for a conversation that has no run which has ended. */
export async function readLastChoices(
  store: Pick<ConversationStore, "runs" | "trace">,
  conversationId: string,
): Promise<LastChoices | undefined> {
  const last = (await store.runs({ conversationId })).at(-1);
  const trace = last && (await store.trace(last.id));
  if (trace === undefined) return undefined;
  const { function_call, answer } = trace.models;
  return { mode: trace.mode, models: { functionCall: toName(function_call), answer: toName(answer) } };
}

function toName({ provider, model }: ModelBill): string {
  return `${provider}/${model}`;
}
