import type { HookEvent, HookReply, HookRunner } from "../../core/hooks.ts";
import type { Message } from "../../core/model/messages.ts";
import { toModelName } from "../../core/model/model.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import type { RunMessage } from "../../core/run/run-inbox.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord, type JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { fence } from "../context/fence.ts";
import type { RunResult } from "../loop/run-result.ts";
import type { Run } from "../run.ts";
import { stoppedByHookError } from "./stop-run.ts";

/** Holds what hooks said at the start of a run. It is recorded with the run. */
interface Start {
  session: string;
  prompt: string;
  /** Is why the question goes to no model. */
  refusal?: string | undefined;
  /** Is why the run ends. */
  stop?: string | undefined;
}

function isStart(value: unknown): value is Start {
  return isRecord(value) && typeof value.session === "string" && typeof value.prompt === "string";
}

/**
 * Runs the hooks before a question, which then has what they add to it. Returns what they add to the conversation as an exchange of
 * messages for its beginning. Throws a `DuetError` where one of them refuses the question.
 */
export async function runStartHooks(run: Run): Promise<Message[]> {
  const { hooks, record } = run.services;
  if (!hooks?.has("SessionStart", "UserPromptSubmit")) return [];
  const start = await record.remember("hooks:start", isStart, () => askStartHooks(run, hooks));
  if (start.stop !== undefined) throw stoppedByHookError(start.stop);
  if (start.refusal !== undefined) throw refusedQuestionError(start.refusal);
  if (start.prompt !== "") run.state.hookNote = renderContext(run, start.prompt);
  if (start.session === "") return [];
  return [
    { role: "user", content: renderContext(run, start.session) },
    { role: "assistant", content: say(run.input.language, contextReply), toolCalls: [] },
  ];
}

async function askStartHooks(run: Run, hooks: HookRunner): Promise<Start> {
  const { question, hookSession = { source: "startup" } } = run.input;
  const { models, clock } = run.services;
  const { decideSignal: signal } = clock;
  if (hookSession.context === undefined) {
    const { source } = hookSession;
    const input = { source, model: toModelName(models.functionCall) };
    const begun = await runAt(run, hooks, { event: "SessionStart", subject: source, input, signal });
    hookSession.context = joinContext(begun);
  }
  return { session: hookSession.context, ...(await askPromptHooks(run, hooks, question)) };
}

async function askPromptHooks(run: Run, hooks: HookRunner, prompt: string): Promise<Heard> {
  const { decideSignal: signal } = run.services.clock;
  const replies = await runAt(run, hooks, { event: "UserPromptSubmit", subject: "", input: { prompt }, signal });
  const blocking = replies.find(({ isBlocking }) => isBlocking);
  return {
    prompt: joinContext(replies),
    refusal: blocking && (blocking.reason ?? ""),
    stop: replies.find(({ stop }) => stop !== undefined)?.stop,
  };
}

/** Holds what hooks said about a message that came during the run. It is recorded with the run. */
type Heard = Omit<Start, "session">;

function isHeard(value: unknown): value is Heard {
  return isRecord(value) && typeof value.prompt === "string";
}

/**
 * Runs the hooks before a message that came during the run, as before a question. Returns what the models read of it, or undefined where
 * a hook refuses it, of which people are told. Throws a `DuetError` where a hook ends the run.
 */
export async function readThroughHooks(run: Run, { id, text }: RunMessage): Promise<string | undefined> {
  const { hooks, record, emit } = run.services;
  if (!hooks?.has("UserPromptSubmit")) return text;
  const heard = await record.remember(`hooks:message:${id}`, isHeard, () => askPromptHooks(run, hooks, text));
  if (heard.stop !== undefined) throw stoppedByHookError(heard.stop);
  if (heard.refusal !== undefined) {
    emit(noticeKinds.messageRefused({ said: text, why: heard.refusal }, run.input.locale));
    return undefined;
  }
  return heard.prompt === "" ? text : `${text}\n\n${renderContext(run, heard.prompt)}`;
}

/**
 * Runs the hooks after a run that was not cancelled. Its answer is already read, so what they say goes to people alone. Never throws.
 */
export async function runEndHooks(run: Run, { error }: RunResult): Promise<void> {
  const { hooks, record, clock } = run.services;
  const event = error === undefined ? "Stop" : "StopFailure";
  const { callerSignal: signal } = clock;
  if (!hooks?.has(event) || signal.aborted) return;
  const input: JsonObject =
    error === undefined
      ? { stop_hook_active: false, last_assistant_message: run.state.answer.kept }
      : { error: error.code, error_details: error.text.en, last_assistant_message: run.state.answer.kept };
  const isDone = (value: unknown): value is true => value === true;
  const end = async (): Promise<true> => {
    const replies = await runAt(run, hooks, { event, subject: error?.code ?? "", input, signal });
    for (const { isBlocking, name, reason = "" } of replies)
      if (isBlocking) run.services.emit(noticeKinds.hookWantsMore({ hook: name, reason }, run.input.locale));
    return true;
  };
  try {
    await record.remember("hooks:end", isDone, end);
  } catch {
    // It ends only because the run was cancelled meanwhile, which its outcome does not depend on any more.
  }
}

interface EventFacts {
  event: HookEvent;
  subject: string;
  input: JsonObject;
  signal: AbortSignal;
}

/** Runs the hooks of an event and tells people what they said to them. */
async function runAt(run: Run, hooks: HookRunner, { input, ...facts }: EventFacts): Promise<HookReply[]> {
  const { conversation, id, mode, locale } = run.input;
  const common = {
    session_id: conversation.id,
    prompt_id: id,
    transcript_path: "",
    permission_mode: mode === "plan" ? "plan" : "default",
  };
  const replies = await hooks.run({ ...facts, input: { ...common, ...input } });
  for (const { name, problem, message, isBlocking, reason = "" } of replies) {
    if (problem) run.services.emit(noticeKinds.hookFailed({ hook: name, why: problem }, locale));
    if (message !== undefined) run.services.emit(noticeKinds.hookMessage({ hook: name, message }, locale));
    // A session cannot be refused, so people alone are told.
    if (facts.event === "SessionStart" && isBlocking)
      run.services.emit(noticeKinds.hookMessage({ hook: name, message: reason }, locale));
  }
  return replies;
}

function joinContext(replies: readonly HookReply[]): string {
  return replies.flatMap(({ context }) => context ?? []).join("\n\n");
}

/** Hooks may give what they have read somewhere, so it is fenced. */
function renderContext({ input: { language, marker } }: Run, text: string): string {
  return `${say(language, contextTitle)}\n\n${fence(text, marker)}`;
}

const contextTitle: Text = {
  zh: "我的程序（钩子）补充了以下情况，供参考：",
  en: "A program of mine (a hook) adds these facts about the situation:",
};
const contextReply: Text = { zh: "好的，我会考虑这些情况。", en: "Understood: I take these facts into account." };

function refusedQuestionError(why: string): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `钩子没有放行这个问题${why === "" ? "。" : `：${why}`}`,
      en: `A hook refused the question${why === "" ? "." : `: ${why}`}`,
    },
  });
}
