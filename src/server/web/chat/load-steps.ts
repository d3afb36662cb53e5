import type { Api } from "./api/api.ts";
import { RefusedError } from "./api/refused.ts";
import { type ChatState, changeTurn } from "./state/chat-state.ts";
import type { Store } from "./state/store.ts";

/** Of a conversation that is opened, so many runs that gave no answer tell why by themselves. */
const mostTold = 10;

/**
 * Gives what an older run did and how it ended; what is known of it stays in sight until there is more. Rejects with `Refused`
 * where it is not kept any more.
 */
export async function loadSteps(api: Api, store: Store, key: string): Promise<void> {
  const { keptRunId } = store.state.turns[key] ?? {};
  if (keptRunId === undefined) return;
  store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, keptRunId: undefined })));
  const [outcome, told] = await Promise.all([api.outcome(keptRunId), api.trace(keptRunId).catch(passMissing)]);
  store.change((chat) =>
    changeTurn(chat, key, (turn) => {
      if (outcome === undefined) return { ...turn, run: { ...turn.run, ...told } };
      // An older run's sources are not kept with it but with its conversation.
      const citations = outcome.citations.length > 0 ? outcome.citations : [...turn.run.cited];
      return { ...turn, run: { ...turn.run, ...told, outcome: { ...outcome, citations }, plain: undefined } };
    }),
  );
}

/** Runs in sight that failed, were stopped or gave half an answer tell what they came to. Never rejects. */
export async function loadReasons(api: Api, store: Store): Promise<void> {
  const keys = unexplained(store.state).slice(-mostTold);
  await Promise.all(keys.map((key) => loadSteps(api, store, key).catch(() => {})));
}

function unexplained({ items, turns }: ChatState): string[] {
  return items.map(({ key }) => key).filter((key) => turns[key]?.keptRunId && turns[key].run.plain?.status);
}

/** A run that never began has no trace. */
function passMissing(thrown: unknown): undefined {
  if (!(thrown instanceof RefusedError) || thrown.status !== 404) throw thrown;
  return undefined;
}
