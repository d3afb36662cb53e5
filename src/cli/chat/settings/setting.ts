import type { Text } from "../../../kit/errors.ts";
import type { Chat } from "../expand-run.ts";

/** Something that `/set` shows and changes. */
export interface Setting {
  /** As it is typed. */
  readonly key: string;
  /** What it may be. */
  readonly allowed: Text;
  /** What is in force, as it is shown. */
  value(chat: Chat): Promise<string>;
  /** Takes what was typed; undefined: what the configuration says. Throws, with nothing changed, where it cannot be. */
  change(chat: Chat, written: string | undefined): Promise<void>;
}
