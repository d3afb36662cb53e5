import type { Text } from "../../../kit/locale.ts";
import type { Chat } from "../chat-state.ts";

/** Represents a value that `/set` shows and changes. */
export interface Setting {
  /** Is the name as it is typed. */
  readonly key: string;
  /** Describes the allowed values. */
  readonly allowed: Text;
  /** Returns the value in force, as it is shown. */
  value(chat: Chat): Promise<string>;
  /** Takes what was typed; undefined: what the configuration says. Throws, with nothing changed, where it cannot be. */
  change(chat: Chat, written: string | undefined): Promise<void>;
}
