import type { DuetError } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import { joinSentences } from "../render/event-lines.ts";

/** Returns the prefix of every message that says a server cannot be used. */
export function describeUnusable(name: string): Text {
  return { zh: `MCP 服务器 ${name} 无法使用：`, en: `MCP server ${name} cannot be used: ` };
}

/** Adds the hint to the text of an error for which a retry would not help, on one line. */
export function withHint({ text, hint }: Pick<DuetError, "text" | "hint">): Text {
  return { zh: joinSentences(text.zh, hint?.zh ?? null), en: joinSentences(text.en, hint?.en ?? null) };
}

/** Returns why a server is not there, also while it is being started once more; null where nothing has failed. */
export function getFailure({ state, error, lastError }: FailureFacts): DuetError | null {
  return error ?? (state === "starting" ? lastError : null);
}

/** Holds what a server's status says of its failures. */
interface FailureFacts {
  state: string;
  error: DuetError | null;
  lastError: DuetError | null;
}
