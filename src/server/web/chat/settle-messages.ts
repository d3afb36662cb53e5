import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { Api } from "./api/api.ts";
import { ignoreMissing } from "./api/api-error.ts";
import type { Store } from "./state/chat-state.ts";
import { listNotices, takeNotice } from "./state/said-messages.ts";
import { offerAgain, removeUnsent } from "./state/unsent.ts";

/** Looks at what was said to runs that are over: what their models read is forgotten, and everything else can be sent again. Never rejects. */
export async function settleMessages(api: Pick<Api, "outcome" | "trace">, store: Store): Promise<void> {
  const runs = new Set(store.state.unsent.flatMap(({ saidTo }) => saidTo ?? []));
  for (const id of runs)
    await ignoreRejection(settleRun(api, store, id), "the next change of a run, or the next page, looks again");
}

async function settleRun(api: Pick<Api, "outcome" | "trace">, store: Store, id: string): Promise<void> {
  // Nothing is known of a run that did not outlive its server.
  const outcome = await api.outcome(id).catch(ignoreMissing);
  if (outcome?.status === "running") return;
  const trace = await api.trace(id).catch(ignoreMissing);
  // It waits for a person and may read the text later, or its trace is not written yet.
  if (outcome !== undefined && trace === undefined) return;
  const notices = trace === undefined ? [] : listNotices(trace);
  const said = store.state.unsent.filter(({ saidTo, isBeingQueued }) => saidTo === id && !isBeingQueued);
  for (const { key, text } of said) {
    // The same text said twice and read once is offered once.
    const isRead = takeNotice(notices, text);
    store.change((chat) => (isRead ? removeUnsent(chat, key) : offerAgain(chat, key)));
  }
}
