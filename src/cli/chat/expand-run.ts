import type { Duet, LimitChanges, ModelChanges } from "../../app/open-duet.ts";
import type { Config } from "../../config/load-config.ts";
import type { Mode } from "../../core/outcome.ts";
import { type Locale, say } from "../../kit/errors.ts";
import type { Reader } from "../questions/reader.ts";
import type { SearchSwitch } from "../search-switch.ts";
import type { Line } from "../terminal/text/width.ts";
import type { SessionBill } from "./session-bill.ts";
import { expandAll, type StepLog } from "./steps/step-words.ts";

/** Opens every step of the last run again. */
export function expandRun({ steps, settings: { locale }, write }: Pick<Chat, "steps" | "settings" | "write">): void {
  const ofRun = steps.ofRun();
  if (ofRun.length === 0) write(say(locale, { zh: "还没有可以展开的步骤。", en: "There is no step to open yet." }));
  else write(...expandAll(ofRun, locale));
}

/** What a chat goes by, and its commands change. */
export interface ChatSettings {
  /** Of what the chat says. */
  locale: Locale;
  /** Of answers; undefined: the configuration's, else each question's own. */
  language?: Locale | undefined;
  mode: Mode;
  readonly search: SearchSwitch;
  /** Over the configured models. */
  models: ModelChanges;
  /** Over the configured limits. */
  limits: LimitChanges;
}

/** A chat as its commands see it. */
export interface Chat {
  readonly duet: Duet;
  readonly config: Config;
  readonly settings: ChatSettings;
  readonly steps: StepLog;
  readonly bill: SessionBill;
  /** The conversation that goes on; undefined before the first question of a new one. */
  readonly conversationId: string | undefined;
  /** The last run of this chat; undefined where none has begun since it goes on with another conversation. */
  readonly runId: string | undefined;
  /** Somebody who can be asked or shown a picker; undefined where the input is a pipe. */
  readonly reader: Reader | undefined;
  write(...lines: (string | Line)[]): void;
  /** Of the newest answer: see `ChatFace`. */
  toggleSteps(): boolean | undefined;
  /** Begins a new conversation: what was said, found and agreed to is left behind. */
  startAnew(): void;
  /** Goes on with this one, and shows how it ended. Rejects when there is none. */
  goOn(conversationId: string): Promise<void>;
  /** Asks as if it had been typed, in a mode of its own. */
  ask(question: string, mode: Mode): Promise<void>;
  /** The mode, the models or the language have changed. */
  refresh(): void;
}
