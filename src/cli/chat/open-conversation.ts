import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { DuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/short-line.ts";
import type { ChatInterface } from "./chat-interface.ts";
import type { Chat } from "./chat-state.ts";

/** Shows how a conversation ended. Throws a `config` error when there is none of that id. */
export async function openConversation(
  chat: Pick<Chat, "duet" | "settings">,
  chatInterface: ChatInterface,
  id: string,
): Promise<void> {
  if (await showEnd(chat, chatInterface, id)) return;
  const shown = toShortLine(id, 80);
  throw new DuetError({
    code: "config",
    text: { zh: `没有编号为 ${shown} 的对话`, en: `there is no conversation ${shown}` },
    hint: { zh: "用 /conversations 查看已有的对话。", en: "/conversations lists those there are." },
  });
}

/** The title and the last turn of a conversation; false where there is none. */
export async function showEnd(
  { duet, settings }: Pick<Chat, "duet" | "settings">,
  chatInterface: ChatInterface,
  id: string,
): Promise<boolean> {
  const known = await (await duet.store()).load(id);
  if (known === undefined) return false;
  const title = toShortLine(toConversationTitle(known.turns[0]?.question ?? "") || id, 100);
  const { length } = known.turns;
  chatInterface.write(
    say(settings.locale, {
      zh: `继续对话：${title}（${length} 轮）`,
      en: `Going on with: ${title} (${length === 1 ? "1 turn" : `${length} turns`})`,
    }),
  );
  const last = known.turns.at(-1);
  if (last) await chatInterface.writeTurn(last);
  return true;
}
