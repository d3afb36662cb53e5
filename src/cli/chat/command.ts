import type { Text } from "../../core/locale.ts";
import type { Completion } from "../editor/editor.ts";
import type { Chat } from "./chat-state.ts";

/** One command of the chat. */
export interface ChatCommand {
  /** With its slash. */
  readonly name: `/${string}`;
  /** Its argument as help shows it: `on|off`, `[N]`; empty where it takes none. */
  readonly argument: string;
  readonly help: Text;
  /** What its argument may be. Never rejects. */
  complete?(chat: Chat, argument: string): Promise<readonly Completion[]>;
  /** Gives "exit" to end the chat; what it throws is told as one line. The signal aborts when somebody stops it. */
  run(chat: Chat, argument: string, signal: AbortSignal): Promise<"exit" | undefined> | "exit" | undefined;
}
