import type { Message } from "../../../core/model/messages.ts";
import { toInstructionMessages } from "../../prompts/instruction-messages.ts";
import type { Run } from "../../run.ts";
import type { ClientInstruction } from "./client-session.ts";

/** Takes the program's instruction from its reply, and tells it to whatever reads the history from now on. */
export function changeInstruction({ state, input: { language } }: Run, instruction: string | undefined): void {
  const { client } = state;
  if (client?.instruction === undefined) return;
  const { messages: current, outdated, messageBefore } = client.instruction;
  const messages = toInstructionMessages({ language, instruction });
  if (messages[0]?.content === current[0]?.content) return;
  const changed = { messageBefore, messages, outdated: new Set([...outdated, ...current]) };
  client.instruction = changed;
  state.history = placeInstruction(state.history, changed);
  state.plainHistory = placeInstruction(state.plainHistory, changed);
}

/** Puts the program's instruction as it is now into messages that were made before its last reply. */
export function updateInstruction({ state }: Run, messages: Message[]): void {
  const instruction = state.client?.instruction;
  if (instruction === undefined || !isOutdated(messages, instruction)) return;
  messages.splice(0, messages.length, ...placeInstruction(messages, instruction));
}

function isOutdated(list: readonly Message[], { messages: [first], outdated }: ClientInstruction): boolean {
  return list.some((one) => outdated.has(one)) || (first !== undefined && !list.includes(first));
}

function placeInstruction(
  list: readonly Message[],
  { messageBefore, messages, outdated }: ClientInstruction,
): readonly Message[] {
  const others = list.filter((one) => !outdated.has(one));
  const before = messageBefore === undefined ? -1 : others.indexOf(messageBefore);
  const start = Math.max(
    before + 1,
    others.findIndex(({ role }) => role !== "system"),
  );
  return [...others.slice(0, start), ...messages, ...others.slice(start)];
}
