import { readLastChoices } from "../../app/conversations/last-choices.ts";
import { toModelName } from "../../core/model.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { modeNames } from "../../render/mode-names.ts";
import type { Chat } from "./chat.ts";
import type { ChatInterface } from "./chat-interface.ts";

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
    hint: { zh: "用 /conversations 查看已有的对话。", en: "/conversations lists the saved ones." },
  });
}

/** Shows the title and the last turn of a conversation. Returns false when there is none. */
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
      en: `Continuing: ${title} (${length === 1 ? "1 turn" : `${length} turns`})`,
    }),
  );
  const last = known.turns.at(-1);
  if (last) await chatInterface.writeTurn(last);
  return true;
}

/** Says which choices were made for this chat, so that no conversation changes them. */
export interface KeptChoices {
  readonly mode: boolean;
  readonly models: boolean;
}

/** Has the chat go on in the mode and with the models of the conversation's last run, and says what that changes. */
export async function restoreChoices(
  { duet, settings }: Pick<Chat, "duet" | "settings">,
  id: string,
  keeps: KeptChoices = { mode: false, models: false },
): Promise<string[]> {
  const { locale } = settings;
  const last = await readLastChoices(await duet.store(), id);
  if (last === undefined) return [];
  const lines: string[] = [];
  if (!keeps.mode && last.mode !== settings.mode) {
    settings.mode = last.mode;
    const name = say(locale, modeNames[last.mode]);
    lines.push(say(locale, { zh: `使用这个对话的模式：${name}`, en: `In the mode of this conversation: ${name}` }));
  }
  if (keeps.models) return lines;
  const { functionCall, answer } = last.models;
  const inForce = await duet.models(settings.models);
  if (functionCall === toModelName(inForce.functionCall) && answer === toModelName(inForce.answer)) return lines;
  const names = sanitizeLine(functionCall === answer ? answer : `${functionCall} → ${answer}`);
  const changes = { ...settings.models, functionCall, answer: functionCall === answer ? null : answer };
  try {
    await duet.models(changes);
    settings.models = changes;
    lines.push(
      say(locale, { zh: `使用这个对话的模型：${names}`, en: `With the models of this conversation: ${names}` }),
    );
  } catch (thrown) {
    const why = say(locale, toDuetError(thrown).text);
    lines.push(
      say(locale, {
        zh: `⚠ 这个对话的模型 ${names} 现在不能用，继续使用当前的模型：${why}`,
        en: `⚠ The models of this conversation (${names}) cannot be used now; going on with the current ones: ${why}`,
      }),
    );
  }
  return lines;
}
