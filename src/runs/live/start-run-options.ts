import type { AskRequest } from "../../app/ask/ask-request.ts";
import type { Caller } from "../../core/caller.ts";
import type { QuestionKind } from "../../core/questions/user-question.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Entrance, HostRequest, TakenRun } from "../../core/store/journal.ts";
import type { Locale } from "../../kit/locale.ts";
import type { RunHandle } from "./run-handle.ts";

export interface StartRunOptions {
  id: string;
  key: string;
  caller: Caller;
  locale: Locale;
  /** Is described at `RunHandle`. */
  isAside?: boolean | undefined;
  request: Omit<AskRequest, "user" | "signal" | "runId" | "caller" | "recording" | "resumed" | "callClient">;
  /** Is the interface whose next process may go on with the run. */
  entrance?: Entrance | undefined;
  /** Holds the records of a run that goes on. */
  resumed?: TakenRun | undefined;
  /** Is described at `RunHandle`. */
  wantedConversationId?: string | undefined;
  onDisconnect?: RunHandle["onDisconnect"];
  /** Is described at `RunHandle`. */
  goesOnWith?: string | undefined;
  /** Is recorded with the run, for its client's cancel that comes to another process. */
  hostRequest?: HostRequest | undefined;
  /** Returns true for the kinds of questions that the run may ask its user. */
  canAsk(kind: QuestionKind): boolean;
  /** Is how long a question waits for its answer, in milliseconds. */
  patienceMs: number;
  /** Is true where the answer itself asks the user about a call, and the next message replies. */
  asksInAnswer?: boolean | undefined;
  /** Is how long the run waits for results of the asking program's tools, in milliseconds. */
  clientPatienceMs?: number | undefined;
  ask(request: AskRequest): AsyncIterable<AgentEvent>;
  /** Is called when the last one who waited for the run in another process has left. */
  onLeft?(run: RunHandle): void;
  onEnd(run: RunHandle): void;
}
