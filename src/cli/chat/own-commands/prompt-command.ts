import { matchPromptArguments, readServerPrompt, toPromptQuestion } from "../../../app/own-commands/server-prompts.ts";
import type { Gateway } from "../../../app/tools/gateway.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitize } from "../../../kit/text/sanitize.ts";
import { pickOne } from "../../questions/pick-one.ts";
import type { Reader } from "../../questions/reader.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import type { ChatCommand } from "../commands/chat-command.ts";

/** Limits how many lines of a server's text are shown at first. */
const mostLines = 20;

/** Lists the prompts of the MCP servers as commands, named `/server__prompt`. Rejects where the servers cannot be asked. */
export async function listPromptCommands(gateway: Gateway, signal: AbortSignal): Promise<ChatCommand[]> {
  const prompts = await gateway.prompts(signal);
  return prompts.map((listed) => {
    const { name, description, hint, known } = readServerPrompt(listed);
    return {
      name: `/${name}`,
      argument: hint,
      help: { zh: `${description}（MCP 提示词）`, en: `${description} (MCP prompt)` },
      async run(chat, argument, stop) {
        const args = matchPromptArguments(argument, known, name);
        const given = await gateway.getPrompt(name, args, { signal: stop, onProgress: () => {} });
        await askPrompt(chat, { name, messages: given?.messages }, stop);
        return undefined;
      },
    };
  });
}

/**
 * Asks what the server has written, after showing it: it goes to the models as if it had been typed, but names no files of this
 * machine. Of a long text the rest is shown on request, before it is sent.
 */
async function askPrompt(
  chat: Chat,
  { name, messages }: { name: string; messages: unknown },
  signal: AbortSignal,
): Promise<void> {
  const question = toPromptQuestion(name, messages);
  const lines = sanitize(question)
    .split("\n")
    .map((line) => createLine(`  ${line}`, "dim"));
  if (chat.reader && lines.length > mostLines) {
    if (!(await isAgreedTo({ chat, reader: chat.reader, name, lines }, signal))) return;
  } else chat.write(...lines);
  signal.throwIfAborted();
  await chat.ask(question, chat.settings.mode, { attachesFiles: false });
}

/** Shows the beginning of a long text, and is true where somebody wants it to be sent. */
async function isAgreedTo(
  { chat, reader, name, lines }: { chat: Chat; reader: Reader; name: string; lines: readonly Line[] },
  signal: AbortSignal,
): Promise<boolean> {
  const { locale } = chat.settings;
  const more = lines.length - mostLines;
  const rest = say(locale, { zh: `  … 还有 ${more} 行`, en: `  … ${more} more lines` });
  chat.write(...lines.slice(0, mostLines), createLine(rest, "dim"));
  const title = say(locale, {
    zh: "发送这段由服务器给出的文字吗？",
    en: "Send this text, which the server has written?",
  });
  const choices = sendChoices.map(({ value, label, words }) => ({ value, label: say(locale, label), words }));
  let choice = await pickOne(reader, { title, choices }, signal);
  while (choice === "show") {
    chat.write(...lines.slice(mostLines));
    choice = await pickOne(reader, { title, choices: choices.filter(({ value }) => value !== "show") }, signal);
  }
  if (choice !== "yes") chat.write(say(locale, { zh: `没有执行 /${name}。`, en: `/${name} was not run.` }));
  return choice === "yes";
}

const sendChoices: readonly { value: "yes" | "no" | "show"; label: Text; words: string[] }[] = [
  { value: "yes", label: { zh: "是", en: "Yes" }, words: ["y", "yes", "是"] },
  { value: "no", label: { zh: "否", en: "No" }, words: ["n", "no", "否"] },
  { value: "show", label: { zh: "先看其余部分", en: "Show the rest first" }, words: ["s", "show", "看"] },
];
