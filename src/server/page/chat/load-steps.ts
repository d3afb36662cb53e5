import { noRun } from "../run-state.ts";
import type { Api } from "./api.ts";
import { changeTurn } from "./chat-state.ts";
import { followRun } from "./follow-run.ts";
import type { Store } from "./store.ts";
import { takeNews } from "./take-news.ts";

/**
 * Gets what an older run did; what is known of it stays in sight until there is more. Rejects with `Refused` where it is not
 * kept any more.
 */
export async function loadSteps(api: Api, store: Store, key: string): Promise<void> {
  const { keptRunId, run } = store.state.turns[key] ?? {};
  if (keptRunId === undefined || run === undefined) return;
  store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, keptRunId: undefined })));
  const again = { ...noRun(run.question), runId: keptRunId };
  let isFirst = true;
  await followRun({
    lose: () => {},
    mayPass: () => false,
    open: (after, signal) => api.events(keptRunId, after, signal),
    take(news) {
      if (isFirst) store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, run: again })));
      isFirst = false;
      store.change((chat) => takeNews(chat, key, { ...news, question: null }));
    },
  });
}
