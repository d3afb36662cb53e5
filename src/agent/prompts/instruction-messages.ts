import type { AssistantMessage, UserMessage } from "../../core/model/messages.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { RunInput } from "../run.ts";

/**
 * Returns the calling program's instruction for all answers as an exchange of messages. It comes from outside, so it is never
 * part of a system prompt, and our own rules go before it. Returns no messages when there is no instruction.
 */
export function toInstructionMessages({
  language,
  instruction,
}: Pick<RunInput, "language" | "instruction">): [UserMessage, AssistantMessage] | [] {
  if (instruction === undefined || instruction.trim() === "") return [];
  const reply = say(language, {
    zh: "好的，我会在自己的规则之内遵守。",
    en: "Understood: I follow it within my own rules.",
  });
  return [
    { role: "user", content: composeInstruction(language, instruction) },
    { role: "assistant", content: reply, toolCalls: [] },
  ];
}

/** Returns the words with which a run's models are told the calling program's instruction. */
function composeInstruction(language: Locale, instruction: string): string {
  const title = say(language, {
    zh: "以下是我所用的程序对这次对话的要求。在不违背你自己的规则时请遵守：",
    en: "This is what the program through which I ask wants for this conversation. Follow it as far as your own rules allow:",
  });
  return `${title}\n\n${instruction}`;
}
