import type { UserReply } from "../../../core/questions/user-question.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { createPageRunState } from "../run/page-run-state.ts";
import type { Confirmation } from "../run/run-view.ts";
import { type Api, type AttachedFile, type QuestionRequest, readRunId } from "./api/api.ts";
import { ApiError, isMissing } from "./api/api-error.ts";
import { followRun, type RunUpdate } from "./api/follow-run.ts";
import type { OpenQuestion } from "./api/question.ts";
import { createKey } from "./create-key.ts";
import { measureBase64 } from "./measure-base64.ts";
import { createRunStops } from "./run-stops.ts";
import {
  addTurn,
  type ChatState,
  changeRun,
  changeTurn,
  createTurn,
  removeGoneTurns,
  removeRefused,
  removeTurn,
  type ShownFile,
  type Store,
  type Turn,
} from "./state/chat-state.ts";
import { chatTexts, sideTexts } from "./state/chat-texts.ts";
import { cutAt, findParent, findParentOf } from "./state/talk-tree.ts";
import type { ReportConnectivity } from "./watch/connectivity.ts";

export interface ChatRuns {
  /** Asks the text in the conversation that is shown, as it has been chosen. */
  ask(text: string, options?: AskOptions): void;
  /** Follows a run that goes on, all of it; in sight where its conversation is. */
  resume(runId: string, question: string, conversationId: string | undefined): void;
  /** Rejects where the run could not be stopped. */
  stop(key: string): Promise<void>;
  /** Rejects where the answer was not taken. */
  reply(key: string, question: OpenQuestion, reply: UserReply): Promise<void>;
}

export interface AskOptions {
  /** Makes the run go on with the last one. */
  readonly goesOn?: boolean | undefined;
  readonly files?: readonly AttachedFile[] | undefined;
  /** Is the turn that is asked anew. It and what follows it are left on their branch. */
  readonly instead?: Turn | undefined;
  /** Is the question that is asked once more, of which nobody knows whether the server has it. */
  readonly again?: { readonly key: string; readonly request: QuestionRequest } | undefined;
}

export interface RunsOptions {
  readonly api: Api;
  readonly store: Store;
  locale(): Locale;
  readonly reportConnectivity: ReportConnectivity;
  /** Resolves when it is known how the server is set: until then nothing is asked. */
  readonly ready: Promise<void>;
  /** Runs when a run starts, ends or asks something, because the list of conversations then changes. */
  onListChange(): void;
  onEnd(): void;
}

/** Manages the runs of this page, in the shown conversation and in others. */
export function createChatRuns({
  api,
  store,
  locale,
  reportConnectivity,
  ready,
  onListChange,
  onEnd,
}: RunsOptions): ChatRuns {
  const stops = createRunStops(api, store);
  const runIdAt = (key: string): string | undefined => store.state.turns[key]?.run.runId;

  /** Returns true where another turn shows the run already. */
  function isListed(key: string, runId: string): boolean {
    return Object.values(store.state.turns).some((turn) => turn.key !== key && turn.run.runId === runId);
  }

  function setRunId(key: string, runId: string): void {
    store.change((chat) => changeRun(chat, key, { type: "told", runId, events: [] }));
    stops.settle(key, runId);
  }

  /** Follows the run of a turn; one that has no name yet is begun by `ask`. What goes wrong is shown in its turn. */
  async function follow(key: string, ask?: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    let runId = runIdAt(key);
    let isOver = true;
    try {
      await followRun({
        reportConnectivity: (isLost) => reportConnectivity(key, isLost),
        mayPass: ({ status }) => (runId === undefined ? isGatewayError(status) : status === 429 || status >= 500),
        async open(after, signal) {
          if (runId !== undefined || ask === undefined) return api.events(runId ?? "", after, signal);
          const response = await ask(signal);
          runId = readRunId(response);
          if (runId !== undefined && isListed(key, runId)) {
            stops.settle(key, runId);
            store.change((chat) => removeTurn(chat, key));
            return new Response(null, { status: 204 });
          }
          if (runId !== undefined) setRunId(key, runId);
          return response;
        },
        handle(update) {
          store.change((chat) => applyEvents(chat, key, update));
          if (update.events.some(({ type }) => type === "run-start")) onListChange();
        },
      });
    } catch (thrown) {
      if (runId !== undefined && isMissing(thrown)) reportLostRun(key);
      else fail(key, thrown);
      // A run goes on where the server only does not let it be followed.
      isOver = runId === undefined || isMissing(thrown);
    }
    if (isOver) stops.end(key);
    onEnd();
  }

  function fail(key: string, thrown: unknown): void {
    const { message, hint } = thrown instanceof ApiError ? thrown : { message: String(thrown), hint: null };
    endRun(key, [message, hint].filter(Boolean).join("\n"));
  }

  /** Marks a run that the server no longer knows. */
  function reportLostRun(key: string): void {
    endRun(key, say(locale(), sideTexts.goneRun));
    store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, isGone: true })));
  }

  function endRun(key: string, text: string): void {
    store.change((chat) => changeRun(closeQuestion(chat, key), key, { type: "plain", text, isFailed: true }));
  }

  return {
    ask(text, { goesOn, files: added = [], instead, again } = {}) {
      const { conversationId } = store.state;
      const parent = instead === undefined ? findParent(store.state) : findParentOf(store.state, instead);
      const { files_of, files, shownFiles } = gatherFiles(conversationId, instead, added);
      const attachments = files.length > 0 ? files : undefined;
      const own = { attached: attachments, filesOf: files_of };
      const { key, ...turn } = { ...createTurn(again?.key ?? createKey(), text, shownFiles), ...own };
      let asking = again?.request;
      store.change((chat) => {
        const rest = removeRefused(removeGoneTurns(cutAt(chat, instead?.key), text), instead?.key);
        return addTurn({ ...rest, problem: undefined }, { ...turn, key, conversationId, request: asking });
      });
      void follow(key, async (signal) => {
        await ready;
        asking ??= {
          ...toQuestion({ ...store.state, conversationId }, text, locale()),
          ...{ go_on: goesOn, parent, files_of, make_title: true },
        };
        // It is kept before it is sent: the page may be gone before the answer is there.
        const request = asking;
        store.change((chat) => changeTurn(chat, key, (asked) => ({ ...asked, request })));
        return api.ask({ ...request, attachments }, key, signal).catch((thrown: unknown) => {
          if (thrown instanceof ApiError && !isGatewayError(thrown.status))
            store.change((chat) => changeTurn(chat, key, (refused) => ({ ...refused, isRefused: true })));
          throw thrown;
        });
      });
    },
    resume(runId, question, conversationId) {
      const known = Object.values(store.state.turns).find(({ run }) => run.runId === runId);
      if (known !== undefined) return;
      const turn: Turn = {
        ...createTurn(runId, question),
        conversationId,
        run: { ...createPageRunState(question), runId },
      };
      store.change((chat) =>
        conversationId === chat.conversationId
          ? addTurn(chat, turn)
          : { ...chat, turns: { ...chat.turns, [turn.key]: turn } },
      );
      void follow(runId);
    },
    stop: stops.stop,
    async reply(key, question, reply) {
      const runId = runIdAt(key);
      if (runId === undefined) return;
      const close = (): void =>
        store.change((chat) => (chat.turns[key]?.question?.id === question.id ? closeQuestion(chat, key) : chat));
      await api.reply(runId, question.id, reply).catch((thrown: unknown) => {
        // It has been answered elsewhere, or waits no more.
        if (!(thrown instanceof ApiError) || thrown.status !== 409) throw thrown;
        close();
        throw new ApiError(thrown.status, chatTexts.waitsNoMore[locale()], null);
      });
      close();
    },
  };
}

interface GatheredFiles {
  /** Is the turn whose files the server has. */
  readonly files_of: number | undefined;
  readonly files: readonly AttachedFile[];
  readonly shownFiles: readonly ShownFile[];
}

/** Gathers what comes with a question: the files of the turn that is asked anew, and those that are added. */
function gatherFiles(
  conversationId: string | undefined,
  instead: Turn | undefined,
  added: readonly AttachedFile[],
): GatheredFiles {
  const isHere = instead !== undefined && instead.conversationId === conversationId;
  const own = instead?.attached ?? [];
  // What this page sent is sent again as it was; of other turns the server has the files, and in their conversation alone.
  const isElsewhere = isHere && own.length === 0 && instead.files.length > 0;
  const files_of = isHere ? (instead.filesOf ?? (isElsewhere ? instead.node?.n : undefined)) : undefined;
  const files = [...own, ...added];
  const shownFiles = isHere ? [...instead.files, ...added.map(toShownFile)] : files.map(toShownFile);
  return { files_of, files, shownFiles };
}

function toShownFile({ name, media_type, data }: AttachedFile): ShownFile {
  return { name, mediaType: media_type, size: measureBase64(data) };
}

/** A proxy in front of the server sends these statuses. Sending the question again with the same key does not ask it twice. */
function isGatewayError(status: number): boolean {
  return status === 502 || status === 504;
}

/** Builds a question for the shown conversation with the chosen settings. The search switch applies to chat mode only. */
export function toQuestion(
  { choices, settings, conversationId }: ChatState,
  message: string,
  locale: Locale,
): QuestionRequest {
  const { agent, search, models, parameters } = choices;
  const mode = agent ? undefined : choices.mode;
  const hasSearch = mode === "chat" && settings?.search.available === true;
  return {
    message,
    mode,
    agent,
    locale,
    models,
    parameters,
    conversation_id: conversationId,
    search: hasSearch ? search : undefined,
  };
}

/** Applies the events of a turn's run to the chat. A run that begins names its conversation. */
export function applyEvents(chat: ChatState, key: string, { events, question }: RunUpdate): ChatState {
  const turn = chat.turns[key];
  if (turn === undefined) return chat;
  const began = events.find((event) => event.type === "run-start");
  const isEnd = events.some(({ type }) => type === "run-end");
  const now = isEnd ? undefined : question === undefined ? turn.question : (question ?? undefined);
  const conversationId = began?.conversationId ?? turn.conversationId;
  const changed = changeTurn(chat, key, (before) => ({ ...before, conversationId, question: now }));
  const next = changeRun(changed, key, {
    type: "told",
    runId: began?.runId ?? turn.run.runId ?? "",
    events,
    confirmation: now && toConfirmation(now),
  });
  const isShown = chat.items.some((item) => item.key === key);
  return isShown && began !== undefined ? { ...next, conversationId } : next;
}

/** Removes the open question of the turn, if it has one. */
export function closeQuestion(chat: ChatState, key: string): ChatState {
  return chat.turns[key]?.question === undefined ? chat : applyEvents(chat, key, { events: [], question: null });
}

function toConfirmation(question: OpenQuestion): Confirmation {
  const kind = question.kind === "call" || question.kind === "plan" ? question.kind : "question";
  return { kind, tool: question.kind === "call" ? question.tool : "", arguments: undefined, message: "" };
}
