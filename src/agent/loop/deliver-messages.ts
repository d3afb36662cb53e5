import type { AssistantMessage, UserMessage } from "../../core/model/messages.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import type { RunMessage } from "../../core/run/run-inbox.ts";
import { isRecord } from "../../kit/json.ts";
import { readThroughHooks } from "../hooks/run-hooks.ts";
import type { Run } from "../run.ts";
import { hasClientTools } from "./calls/client-calls.ts";

/**
 * Opens the inbox of a run. A message is recorded when it comes, so that a process that goes on with the run has it, and again when the
 * models have read it.
 */
export function openInbox(run: Run): void {
  const { input, services, state } = run;
  const { inbox, record } = services;
  const hasAnswerAlone = input.mode === "chat" && !hasClientTools(run);
  if (inbox === undefined) return;
  inbox.attach({
    // Chat mode has the answer alone.
    isAnswering: () => hasAnswerAlone || state.isAnswering || state.answer.written.trim() !== "",
    onArrive: (message) => void record.note(`message:${message.id}`, message),
  });
  // These are recorded already: recorded twice, they would be read twice after another crash.
  inbox.restore(record.listUndelivered(isRunMessage, isDelivered));
}

/** Adds what a person has said since the last step, as messages after the results of this one. */
export async function addMessages(run: Run, step: number, said?: AssistantMessage): Promise<UserMessage[]> {
  const { inbox, record } = run.services;
  if (inbox === undefined) return [];
  const take = (): RunMessage[] | undefined => (inbox.waiting.length > 0 ? inbox.takeAll() : undefined);
  const taken = await record.deliver(`messages:${step}`, isDelivered, take);
  if (taken === undefined) return [];
  const heard: { text: string; read: string }[] = [];
  for (const message of taken) {
    const read = await readThroughHooks(run, message);
    if (read !== undefined) heard.push({ text: message.text, read });
  }
  const messages = heard.map(({ read }): UserMessage => ({ role: "user", content: read }));
  if (messages.length === 0) return [];
  // A model that had closed its work reads them after its last words.
  if (said) run.state.steps.push({ message: said, results: [], read: [], made: [], messages });
  else addToLastStep(run, messages);
  for (const { text } of heard) run.services.emit(noticeKinds.messageDelivered(text, run.input.locale));
  run.state.delivered.push(...heard.map(({ text }) => text));
  return messages;
}

function addToLastStep({ state: { steps } }: Run, messages: readonly UserMessage[]): void {
  const last = steps.at(-1);
  if (last) last.messages = [...(last.messages ?? []), ...messages];
}

/** Closes the inbox when the answer is written. What was said until then is part of the question for whoever writes it. */
export async function closeInbox(run: Run): Promise<void> {
  // Recording takes time, and what comes meanwhile would be read by nobody.
  run.state.isAnswering = true;
  await addMessages(run, 0);
}

/** Tells of messages that no model has read, because the run was over when they could have been delivered. */
export function noticeUndelivered(
  { services: { inbox, emit }, input: { locale } }: Run,
  { status }: Pick<Outcome, "status">,
): void {
  if (inbox?.isAskedLater) return;
  for (const { text: said } of inbox?.waiting ?? []) emit(noticeKinds.messageUndelivered({ said, status }, locale));
}

export function isRunMessage(value: unknown): value is RunMessage {
  return isRecord(value) && typeof value.id === "string" && typeof value.text === "string";
}

export function isDelivered(value: unknown): value is RunMessage[] {
  return Array.isArray(value) && value.every(isRunMessage);
}
