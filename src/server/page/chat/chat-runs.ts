import type { AgentEvent } from "../../../core/events.ts";
import { type Locale, say } from "../../../core/locale.ts";
import { noRun } from "../run-state.ts";
import type { Confirmation } from "../run-view.ts";
import { type Api, type Asking, runIdOf } from "./api.ts";
import { addTurn, changeRun, changeTurn, newTurn, type Turn } from "./chat-state.ts";
import { chatTexts } from "./chat-texts.ts";
import { followRun, type News } from "./follow-run.ts";
import type { OpenQuestion, Reply } from "./question.ts";
import { Refused } from "./refused.ts";
import type { Store } from "./store.ts";

export interface ChatRuns {
  /** Asks the text in the conversation that is shown, as it has been chosen. */
  ask(text: string): void;
  /** Follows a run that goes on, all of it. */
  resume(runId: string, question: string, conversationId: string | undefined): void;
  /** Rejects where the run could not be stopped. */
  stop(key: string): Promise<void>;
  /** Rejects where the answer was not taken. */
  reply(key: string, question: OpenQuestion, reply: Reply): Promise<void>;
  /** Gets what an older run did. */
  loadSteps(key: string): void;
}

export interface RunsOptions {
  readonly api: Api;
  readonly store: Store;
  locale(): Locale;
  /** A run has begun or is over: the list of conversations is another. */
  onListChange(): void;
  /** The question was not taken. */
  onRefused(text: string): void;
}

/** The runs of the page, of the conversation in sight and of others. */
export function createRuns({ api, store, locale, onListChange, onRefused }: RunsOptions): ChatRuns {
  /** Runs that were to be stopped before they had a name. */
  const toStop = new Set<string>();
  const runIdAt = (key: string): string | undefined => store.state.turns[key]?.run.runId;

  async function follow(key: string, begin?: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    const over = new AbortController();
    await followRun({
      signal: over.signal,
      lose: (isLost) => store.change((chat) => ({ ...chat, isLost })),
      async open(after, signal) {
        const known = runIdAt(key);
        if (known !== undefined || begin === undefined) return api.events(known ?? "", after, signal);
        const response = await begin(signal);
        const runId = runIdOf(response);
        if (runId !== undefined) store.change((chat) => changeRun(chat, key, { type: "told", runId, events: [] }));
        if (runId !== undefined && toStop.delete(key)) void api.cancel(runId).catch(() => {});
        return response;
      },
      take: (news) => take(key, news),
    });
    onListChange();
  }

  function take(key: string, { events, question }: News): void {
    store.change((chat) => {
      const turn = chat.turns[key];
      if (turn === undefined) return chat;
      const began = events.find((event) => event.type === "run-start");
      const isEnd = events.some(({ type }) => type === "run-end");
      const now = isEnd ? undefined : question === undefined ? turn.question : (question ?? undefined);
      const conversationId = began?.conversationId ?? turn.conversationId;
      const isShown = chat.items.some((item) => item.key === key);
      const changed = changeTurn(chat, key, (before) => ({ ...before, conversationId, question: now }));
      const runId = began?.runId ?? turn.run.runId ?? "";
      const confirmation = now && confirmationOf(now);
      const told = changeRun(changed, key, { type: "told", runId, events, confirmation });
      return isShown && began !== undefined ? { ...told, conversationId } : told;
    });
    if (events.some(isStart)) onListChange();
  }

  function fail(key: string, thrown: unknown): void {
    const { message, hint } = thrown instanceof Refused ? thrown : { message: String(thrown), hint: null };
    const text = [message, hint].filter(Boolean).join("\n");
    store.change((chat) => changeRun(chat, key, { type: "plain", text, isFailed: true }));
  }

  return {
    ask(text) {
      const turn = newTurn(newKey(), text);
      const asking = askingOf(store, text, locale());
      store.change((chat) => addTurn({ ...chat, problem: "" }, { ...turn, conversationId: chat.conversationId }));
      follow(turn.key, (signal) => api.ask(asking, turn.key, signal)).catch((thrown: unknown) => {
        if (runIdAt(turn.key) === undefined) onRefused(text);
        fail(turn.key, thrown);
      });
    },
    resume(runId, question, conversationId) {
      const known = Object.values(store.state.turns).find(({ run }) => run.runId === runId);
      if (known !== undefined) return;
      const turn: Turn = { ...newTurn(runId, question), conversationId, run: { ...noRun(question), runId } };
      store.change((chat) => addTurn(chat, turn));
      follow(turn.key).catch((thrown: unknown) => fail(turn.key, thrown));
    },
    async stop(key) {
      const runId = runIdAt(key);
      if (runId === undefined) return void toStop.add(key);
      await api.cancel(runId);
    },
    async reply(key, question, reply) {
      const runId = runIdAt(key);
      if (runId === undefined) return;
      await api.reply(runId, question.id, reply).catch((thrown: unknown) => {
        // It has been answered elsewhere, or waits no more.
        if (!(thrown instanceof Refused) || thrown.status !== 409) throw thrown;
      });
      store.change((chat) => (chat.turns[key]?.question?.id === question.id ? answered(chat, key) : chat));
    },
    loadSteps(key) {
      const { keptRunId, run } = store.state.turns[key] ?? {};
      if (keptRunId === undefined || run === undefined) return;
      const again = { ...noRun(run.question), runId: keptRunId };
      // What is known stays in sight until there is more.
      let isFirst = true;
      const over = new AbortController();
      store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, keptRunId: undefined })));
      followRun({
        signal: over.signal,
        lose: () => {},
        open: (after, signal) => api.events(keptRunId, after, signal),
        take(news) {
          if (isFirst) store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, run: again })));
          isFirst = false;
          take(key, { ...news, question: null });
        },
      }).catch(() => store.change((chat) => ({ ...chat, problem: say(locale(), chatTexts.noSteps) })));
    },
  };

  function answered(chat: Store["state"], key: string): Store["state"] {
    const without = changeTurn(chat, key, (turn) => ({ ...turn, question: undefined }));
    return changeRun(without, key, { type: "told", runId: runIdAt(key) ?? "", events: [] });
  }
}

function isStart({ type }: AgentEvent): boolean {
  return type === "run-start";
}

function confirmationOf(question: OpenQuestion): Confirmation {
  const kind = question.kind === "call" || question.kind === "plan" ? question.kind : "question";
  return { kind, tool: question.kind === "call" ? question.tool : "", arguments: undefined, message: "" };
}

function askingOf({ state }: Store, message: string, locale: Locale): Asking {
  const { mode, search, models, parameters } = state.choices;
  const hasSearch = mode === "chat" && state.settings?.search.available === true;
  return {
    message,
    mode,
    locale,
    models,
    parameters,
    ...(state.conversationId === undefined ? {} : { conversation_id: state.conversationId }),
    ...(hasSearch ? { search } : {}),
  };
}

/** Known to this page alone, and to the server as what tells a question from the same one asked again. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
