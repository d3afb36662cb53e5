import { type RunChoices, readChoices } from "../../../app/conversations/last-choices.ts";
import type { Duet } from "../../../app/duet.ts";
import type { ModelChanges } from "../../../app/models/change-models.ts";
import { toModelName } from "../../../core/model/model.ts";
import { firstBranch } from "../../../core/store/conversations/branches.ts";
import { toConversationTitle } from "../../../core/store/conversations/conversation-title.ts";
import { listTurnRuns } from "../../../core/store/conversations/turn-runs.ts";
import { waitAbortable } from "../../../kit/async/timeout.ts";
import { DuetError, toDuetError } from "../../../kit/errors.ts";
import { say } from "../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { modeNames } from "../../../render/mode-names.ts";
import { toTypedQuestion } from "../../../render/typed-question.ts";
import { createLine } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import type { ChatInterface } from "../interface/chat-interface.ts";
import type { Offers } from "../offers.ts";
import { renderTitle } from "../steps/expand-step.ts";
import { readLastTurn } from "./last-turn.ts";

/** Enters a conversation and shows how it ended. Throws a `config` error when there is none of that id, and rejects at a stop. */
export async function openConversation(
  chat: ShownIn,
  chatInterface: ChatInterface,
  id: string,
  options: OpeningOptions,
): Promise<void> {
  const branch = await showEnd(chat, chatInterface, id, options);
  if (branch !== undefined) return;
  const shown = toShortLine(id, 80);
  throw new DuetError({
    code: "config",
    text: { zh: `没有编号为 ${shown} 的对话`, en: `there is no conversation ${shown}` },
    hint: { zh: "用 /conversations 查看已有的对话。", en: "/conversations lists the saved ones." },
  });
}

/**
 * Enters the conversation with which a chat begins and shows how it ended. Of an ID that nobody has it says that the first question
 * begins a new conversation, and returns false. Rejects at a stop.
 */
export async function showChosen(
  chat: ShownIn,
  chatInterface: ChatInterface,
  id: string,
  options: OpeningOptions,
): Promise<boolean> {
  const branch = await showEnd(chat, chatInterface, id, options);
  if (branch === undefined) {
    const shown = toShortLine(id, 80);
    const text = {
      zh: `⚠ 没有找到对话 ${shown}，第一个问题会用这个编号开始新的对话。`,
      en: `⚠ Conversation ${shown} was not found; the first question starts a new one under that ID.`,
    };
    chatInterface.write(say(chat.settings.locale, text));
  }
  return branch !== undefined;
}

type ShownIn = Pick<Chat, "duet" | "settings" | "steps"> & { offers: Pick<Offers, "make"> };

export interface OpeningOptions {
  /**
   * Has the chat go on with the conversation and in its mode, and returns lines about that. It is called once the rest has been read, and
   * before anything is shown. What it rejects with leaves the chat as it was.
   */
  enter: (branch: number) => Promise<string[]>;
  signal: AbortSignal;
}

/**
 * Enters a conversation and shows its title and its last turn with its steps, which can be expanded again, and offers to go on with
 * that where it has reached a limit. Returns its branch, and undefined when there is no such conversation. Rejects at a stop, and then
 * nothing is shown.
 */
export async function showEnd(
  { duet, settings, steps, offers }: ShownIn,
  chatInterface: ChatInterface,
  id: string,
  { signal, enter }: OpeningOptions,
): Promise<number | undefined> {
  const { locale } = settings;
  const ended = await readLastTurn(duet, id, signal);
  if (ended === undefined) return undefined;
  const { known, trace, offer } = ended;
  const { branch = firstBranch } = known;
  const title = toShortLine(known.title || toConversationTitle(known.turns[0]?.question ?? "") || id, 100);
  const { length } = known.turns;
  const changes = await enter(branch);
  chatInterface.write(
    say(locale, {
      zh: `继续对话：${title}（${length} 轮）`,
      en: `Continuing: ${title} (${length === 1 ? "1 turn" : `${length} turns`})`,
    }),
    ...changes.map((line) => createLine(line, "dim")),
  );
  const last = known.turns.at(-1);
  if (last === undefined) return branch;
  const shown = trace ? steps.restore(trace) : [];
  await chatInterface.writeTurn({
    question: toTypedQuestion(last.question),
    answer: last.answer,
    steps: shown.map((step) => renderTitle(step, locale)),
  });
  if (offer) offers.make(offer);
  return branch;
}

/** Says which choices were made for this chat, so that no conversation changes them. */
export interface KeptChoices {
  readonly mode: boolean;
  readonly models: boolean;
}

/** Names the place whose choices are restored: those of the run, or else of what was asked last on the branch. */
export interface ChoicePlace {
  conversationId: string;
  branch: number | undefined;
  runId?: string | undefined;
}

interface RestoreOptions {
  keeps?: KeptChoices | undefined;
  signal: AbortSignal;
}

/** Has the chat go on in the mode and with the models of a conversation, and says what that changes. At a stop it changes nothing. */
export async function restoreChoices(
  chat: Pick<Chat, "duet" | "settings">,
  place: ChoicePlace,
  options: RestoreOptions,
): Promise<string[]> {
  const last = await waitAbortable(findChoices(chat.duet, place), options.signal);
  return last ? applyChoices(chat, last, options) : [];
}

/** Finds the choices of a place. A run that a crash has interrupted was asked after the turns of its branch. */
async function findChoices(
  duet: Pick<Duet, "store" | "storedRuns">,
  { conversationId, branch, runId }: ChoicePlace,
): Promise<RunChoices | undefined> {
  const store = await duet.store();
  if (runId !== undefined) return readChoices(store, runId);
  const interrupted = (await duet.storedRuns.listInterrupted(conversationId)).findLast(
    ({ owner, header }) => owner === undefined && (header.branch ?? firstBranch) === (branch ?? firstBranch),
  );
  if (interrupted) return interrupted.header;
  const last = (await listTurnRuns(store, conversationId, branch)).at(-1);
  return last === undefined ? undefined : readChoices(store, last);
}

/** Has the chat go on in this mode and with these models, and says what that changes. At a stop it changes nothing. */
export async function applyChoices(
  { duet, settings }: Pick<Chat, "duet" | "settings">,
  choices: RunChoices,
  { keeps = { mode: false, models: false }, signal }: RestoreOptions,
): Promise<string[]> {
  const { locale } = settings;
  const models = keeps.models ? undefined : await restoreModels({ duet, settings }, choices.models, signal);
  if (models) settings.models = models.changes;
  if (keeps.mode || choices.mode === settings.mode) return models?.lines ?? [];
  settings.mode = choices.mode;
  const name = say(locale, modeNames[choices.mode]);
  const line = say(locale, { zh: `使用这个对话的模式：${name}`, en: `In the mode of this conversation: ${name}` });
  return [line, ...(models?.lines ?? [])];
}

/** Returns what is to be in force in place of the models of the chat, and what to say of it. */
async function restoreModels(
  { duet, settings }: Pick<Chat, "duet" | "settings">,
  { functionCall, answer }: RunChoices["models"],
  signal: AbortSignal,
): Promise<{ changes: ModelChanges; lines: string[] } | undefined> {
  const { locale } = settings;
  const inForce = await waitAbortable(duet.models.open(settings.models), signal);
  if (functionCall === toModelName(inForce.functionCall) && answer === toModelName(inForce.answer)) return undefined;
  const names = sanitizeLine(functionCall === answer ? answer : `${functionCall} → ${answer}`);
  const changes = { ...settings.models, functionCall, answer: functionCall === answer ? null : answer };
  try {
    await waitAbortable(duet.models.open(changes), signal);
    const line = say(locale, {
      zh: `使用这个对话的模型：${names}`,
      en: `With the models of this conversation: ${names}`,
    });
    return { changes, lines: [line] };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const why = say(locale, toDuetError(thrown).text);
    const line = say(locale, {
      zh: `⚠ 这个对话的模型 ${names} 现在不能用，继续使用当前的模型：${why}`,
      en: `⚠ The models of this conversation (${names}) cannot be used now; going on with the current ones: ${why}`,
    });
    return { changes: settings.models, lines: [line] };
  }
}
