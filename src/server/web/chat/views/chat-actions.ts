import type { UserReply } from "../../../../core/questions/user-question.ts";
import type { Mode } from "../../../../core/run/outcome.ts";
import type { Locale, Text } from "../../../../kit/locale.ts";
import type { AttachedFile, ExportFormat } from "../api/api.ts";
import type { ConversationEntry, Feedback, WaitingQuestion } from "../api/conversation.ts";
import type { OpenQuestion } from "../api/question.ts";
import type { ModelKey, ParameterName } from "../api/server-settings.ts";
import type { Turn, Unsent } from "../state/chat-state.ts";

export interface SendOptions {
  readonly files?: readonly AttachedFile[];
  /** Is true where the person was told why the text was held back, and sends it again. */
  readonly isSure?: boolean;
  /** Waits for the end of the run in place of being passed on to it. */
  readonly isQueued?: boolean;
}

/**
 * Says what became of a text: it was held back for this reason, or sent, with its files or without them. What is held back only to
 * be sure is sent where the person sends it again.
 */
export type SendResult =
  | { readonly kind: "held"; readonly reason: Text; readonly isSentAgain: boolean }
  | { readonly kind: "sent"; readonly hasFiles: boolean };

/** Lists all user actions on the page. None of them rejects: errors are shown on the page. */
export interface ChatActions extends SendActions, ConversationActions, TurnActions, ChoiceActions {
  /** Stops the run that is in sight; false where none goes on. */
  stop(): boolean;
  newChat(): void;
  /** Opens a conversation, in its mode and with its models unless those of the page stay. */
  open(conversationId: string, keepsChoices?: boolean): void;
}

export interface SendActions {
  /** Asks what was written, or does what else `findEnterEffect` says. */
  send(text: string, options?: SendOptions): SendResult;
  /** Takes back a question that waits for the end of the run. */
  withdraw(waiting: WaitingQuestion): void;
  /** Has a question wait anew that could not begin. */
  requeue(waiting: WaitingQuestion): void;
  /** Sends what was not taken. */
  resend(unsent: Unsent): void;
  /** Puts what was not taken where one writes, behind what stands there. */
  takeBack(unsent: Unsent): void;
}

export interface ConversationActions {
  /** Shows what the conversations say of a text; all of them again where it is empty. */
  search(text: string): void;
  rename(entry: ConversationEntry, title: string): void;
  pin(entry: ConversationEntry, isPinned: boolean): void;
  /** Saves a conversation as a file. */
  save(entry: ConversationEntry, format: ExportFormat): void;
  remove(entry: ConversationEntry): void;
  restore(entry: ConversationEntry): void;
  /** Offers no longer that a deleted conversation can be restored. */
  dismiss(entry: ConversationEntry): void;
  more(): void;
}

export interface TurnActions {
  /** Asks the question of a turn in its place with its files, in this mode where one is named. While a run goes on, it says so. */
  retry(turn: Turn, mode?: Mode): void;
  /** Asks so that it goes on with the last run. While a run goes on, it says so. */
  goOn(text: string): void;
  /** Asks in the place of a turn, which stays on its branch. Returns false, and says why, while a run goes on. */
  askInstead(turn: Turn, text: string): boolean;
  /** Shows the branch with the turn of this number. */
  showTurn(n: number): void;
  /** Says what the person thinks of an answer; undefined takes it back. */
  rate(turn: Turn, rating: Feedback | undefined): void;
  /** Says why, beside the rating. Resolves to true when the server has kept it. */
  comment(turn: Turn, comment: string): Promise<boolean>;
  /** Resolves to true when the server accepted the answer. */
  reply(key: string, question: OpenQuestion, reply: UserReply): Promise<boolean>;
  loadSteps(key: string): void;
}

export interface ChoiceActions {
  chooseMode(mode: Mode): void;
  chooseAgent(name: string): void;
  chooseSearch(isOn: boolean): void;
  chooseModel(role: ModelKey, name: string): void;
  chooseParameter(role: ModelKey, name: ParameterName, value: number | undefined): void;
  chooseLocale(locale: Locale): void;
}
