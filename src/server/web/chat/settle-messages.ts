import { describeDelivered } from "../../../core/message-delivered.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { StoredSteps } from "../run/page-run-state.ts";
import type { Api } from "./api/api.ts";
import { ApiError } from "./api/api-error.ts";
import type { Store } from "./state/chat-state.ts";
import { removeUnsent } from "./state/unsent.ts";

/** Looks at what was said to runs that are over: what their models read is forgotten, and everything else can be sent again. Never rejects. */
export async function settleMessages(api: Pick<Api, "outcome" | "trace">, store: Store): Promise<void> {
  const runs = new Set(store.state.unsent.flatMap(({ saidTo }) => saidTo ?? []));
  for (const id of runs)
    await ignoreRejection(settleRun(api, store, id), "the next change of a run, or the next page, looks again");
}

async function settleRun(api: Pick<Api, "outcome" | "trace">, store: Store, id: string): Promise<void> {
  const outcome = await api.outcome(id).catch(ignoreMissing);
  if (outcome?.status === "running") return;
  const read = listNotices(await api.trace(id).catch(ignoreMissing));
  for (const { key, text, saidTo } of store.state.unsent) {
    if (saidTo !== id) continue;
    const { zh, en } = describeDelivered(text);
    store.change((chat) =>
      read.has(zh) || read.has(en)
        ? removeUnsent(chat, key)
        : { ...chat, unsent: chat.unsent.map((each) => (each.key === key ? { ...each, saidTo: undefined } : each)) },
    );
  }
}

function listNotices(steps: StoredSteps | undefined): ReadonlySet<string> {
  const items = [...(steps?.notices ?? []), ...(steps?.steps.flatMap((step) => step.items) ?? [])];
  return new Set(items.flatMap((item) => (item.kind === "notice" ? [item.message] : [])));
}

/** Nothing is known of a run that did not outlive its server. */
function ignoreMissing(thrown: unknown): undefined {
  if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
  return undefined;
}
