import { describeDelivered } from "../../../core/message-delivered.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { StoredSteps } from "../run/page-run-state.ts";
import type { Api } from "./api/api.ts";
import { ignoreMissing } from "./api/api-error.ts";
import type { Store } from "./state/chat-state.ts";
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
  const notices = listNotices(trace);
  for (const { key, text } of store.state.unsent.filter(({ saidTo }) => saidTo === id)) {
    const read = findNotice(notices, text);
    // The same text said twice and read once is offered once.
    if (read >= 0) notices.splice(read, 1);
    store.change((chat) => (read >= 0 ? removeUnsent(chat, key) : offerAgain(chat, key)));
  }
}

function listNotices(steps: StoredSteps | undefined): string[] {
  const items = [...(steps?.notices ?? []), ...(steps?.steps.flatMap((step) => step.items) ?? [])];
  return items.flatMap((item) => (item.kind === "notice" ? [item.message] : []));
}

/** Returns the place of the notice that a text was read, or -1. A long trace has only the beginning of it. */
function findNotice(notices: readonly string[], text: string): number {
  const { zh, en } = describeDelivered(text);
  const whole = notices.findIndex((notice) => notice === zh || notice === en);
  if (whole >= 0) return whole;
  return notices.findIndex((notice) => {
    const beginning = notice.endsWith("…") ? notice.slice(0, -1) : undefined;
    return beginning !== undefined && (zh.startsWith(beginning) || en.startsWith(beginning));
  });
}
