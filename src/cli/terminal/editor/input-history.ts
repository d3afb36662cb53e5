import { mostTypedTexts, type TypedHistory } from "../../../core/store/typed-history.ts";
import type { InputHistory } from "./editor.ts";

/** Opens the history with what earlier chats have stored. Without a store it lasts as long as the chat. */
export async function openHistory(store: TypedHistory | undefined): Promise<InputHistory> {
  return createHistory(await store?.list(), (text) => void store?.add([text]));
}

/** Creates a history from its first entries, the oldest first; `keep` receives each entry that is added. */
export function createHistory(first: readonly string[] = [], keep: (text: string) => void = () => {}): InputHistory {
  const entries = [...first];
  return {
    entries,
    add(text) {
      if (text.trim() === "" || text === entries.at(-1)) return;
      entries.push(text);
      if (entries.length > mostTypedTexts) entries.shift();
      keep(text);
    },
  };
}
