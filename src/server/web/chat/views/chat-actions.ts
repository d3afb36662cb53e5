import type { Mode } from "../../../../core/outcome.ts";
import type { UserReply } from "../../../../core/questions/user-question.ts";
import type { Locale } from "../../../../kit/locale.ts";
import type { OpenQuestion } from "../api/question.ts";
import type { ModelKey, ParameterName } from "../api/server-settings.ts";

/** Lists all user actions on the page. None of them rejects: errors are shown on the page. */
export interface ChatActions {
  /** Asks what was written; false where it cannot be asked now. */
  send(text: string): boolean;
  /** Asks again, in this mode where one is named, or so that it goes on with the last run; while a run goes on, it is only written where one writes. */
  askAgain(text: string, mode?: Mode, goesOn?: boolean): void;
  /** Stops the run that is in sight; false where none goes on. */
  stop(): boolean;
  /** Resolves to true when the server accepted the answer. */
  reply(key: string, question: OpenQuestion, reply: UserReply): Promise<boolean>;
  loadSteps(key: string): void;
  chooseMode(mode: Mode): void;
  chooseAgent(name: string): void;
  chooseSearch(isOn: boolean): void;
  chooseModel(role: ModelKey, name: string): void;
  chooseParameter(role: ModelKey, name: ParameterName, value: number | undefined): void;
  chooseLocale(locale: Locale): void;
  newChat(): void;
  /** Opens a conversation, in its mode and with its models unless those of the page stay. */
  open(conversationId: string, keepsChoices?: boolean): void;
  remove(conversationId: string): void;
  more(): void;
}
