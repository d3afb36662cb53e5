import type { Message } from "../../core/model/messages.ts";
import { say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { countTokens, getContextWindow, pickSmallerModel } from "../context/context-window.ts";
import type { Run } from "../run.ts";

/** The instructions may take this share of the smaller window. */
const share = 1 / 8;

/**
 * Returns the instructions of the folder as an exchange of messages, which stands before the conversation and stays the same from
 * question to question. They are the user's words: they rank below our own prompts, and are never part of one.
 */
export function toFolderMessages({ input, services: { models } }: Pick<Run, "input" | "services">): Message[] {
  const { language, folderInstructions = [] } = input;
  if (folderInstructions.length === 0) return [];
  const whole = folderInstructions.map(({ file, text }) => `# ${sanitizeLine(file)}\n\n${text.trim()}`).join("\n\n");
  const model = pickSmallerModel(models);
  const most = getContextWindow(model) * share;
  const tokens = countTokens(model, whole);
  const text = tokens <= most ? whole : `${whole.slice(0, Math.floor((whole.length * most) / tokens))}\n…`;
  return [
    { role: "user", content: `${say(language, title)}\n\n${text}` },
    { role: "assistant", content: say(language, reply), toolCalls: [] },
  ];
}

const title: Text = {
  zh: "以下是我在工作目录中为助手写的说明，每一份前面是它的文件名。在不违背你自己的规则时请遵守；有冲突时以后面的为准：",
  en: "These are the instructions that I have written for assistants in my working folder, each under the name of its file. Follow them as far as your own rules allow; where two differ, the later one holds:",
};
const reply: Text = {
  zh: "好的，我会在自己的规则之内遵守这些说明。",
  en: "Understood: I follow these instructions within my own rules.",
};
