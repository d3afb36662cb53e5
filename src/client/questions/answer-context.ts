import type { Elicit } from "../../core/forms/elicitation.ts";
import type { Text } from "../../kit/locale.ts";
import type { Redact } from "../redact.ts";

/** Who asks, and how its own secrets are taken out of what it says. */
export interface RequestingServer {
  /** The configured name of the server. */
  from: string;
  redact: Redact;
}

/** For whom a question is answered. */
export interface AnswerContext {
  /** Asks the person of the call that the question belongs to; absent where nobody can be asked. */
  elicit?: Elicit | undefined;
  /** Aborts when the answer is not wanted any more. */
  signal: AbortSignal;
  /** Tells the reader of that call something once: what was written for the server, and what it cost. */
  tell?: Notify | undefined;
}

/** Like the `notice` of a tool's context, in both languages. */
export type Notify = (code: string, message: Text) => void;
