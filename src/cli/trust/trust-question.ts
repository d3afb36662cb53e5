import type { Locale } from "../../kit/locale.ts";
import { type Console, writeSafely } from "../console.ts";
import { askYesNo } from "../questions/ask-yes-no.ts";
import { canBeAsked, openTerminalQuestions } from "../questions/reader.ts";

export interface TrustQuestion {
  /** Resolves to true when the user says yes; the end of the input is a no. Rejects when the signal aborts. */
  confirm(query: string, locale: Locale): Promise<boolean>;
  close(): void;
}

/** Returns undefined when no user can be asked. The caller has to close it. */
export function openTrustQuestion(console: Console, signal: AbortSignal): TrustQuestion | undefined {
  if (!canBeAsked(console)) return undefined;
  const { ask, close } = openTerminalQuestions(console);
  const write = (line: string): void => writeSafely(console.stderr, `${line}\n`);
  return {
    confirm: async (query, locale) => (await askYesNo({ locale, ask, write }, query, signal)) === true,
    close,
  };
}
