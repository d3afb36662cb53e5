import { isSpecType } from "@modelcontextprotocol/server";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { User } from "../../core/questions/user.ts";
import type { QuestionKind, UserQuestion } from "../../core/questions/user-question.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { findReplyProblem, fromElicitationReply, toElicitation } from "../../render/questions/elicitation-wording.ts";
import type { Host } from "../input/host.ts";
import type { HostQuestion } from "../input/host-question.ts";
import type { AskHost } from "../input/pending-work.ts";
import type { OpenQuestion } from "./open-question.ts";

/** A host that answers this often with what the question does not offer has given no answer. */
export const mostInvalidReplies = 3;

export interface QuestionAudience {
  /** Is the run's id. */
  id: string;
  locale: Locale;
  isModern: boolean;
  /** Says why the host's last reply, which another process has asked for, is not valid. */
  problem?: Text | undefined;
}

/**
 * Puts a run's question to the host's user, and the answer to the run. When the signal aborts first, the question is free
 * for the next request; when it is closed meanwhile, it is withdrawn.
 */
export async function askQuestion(
  open: OpenQuestion,
  { id: runId, locale, isModern, problem }: QuestionAudience,
  ask: AskHost,
  signal: AbortSignal,
): Promise<void> {
  const shown = toHostQuestion(open.question, locale);
  if (shown === undefined) return open.withdraw();
  const release = open.show({ isInResult: isModern });
  const askOnce = (asked: HostQuestion) =>
    ask({ ...asked, origin: { runId, questionId: open.id } }, signal, open.closed);
  const reply = await askUntilValid(open.question, { shown, locale, problem, ask: askOnce });
  if (open.closed.aborted) return;
  if (signal.aborted && reply === undefined) return release();
  await applyHostReply(open, reply);
}

/** Asks again where the reply holds a value that the question does not offer, and says so. The last reply may still be invalid. */
async function askUntilValid<K extends QuestionKind>(
  question: UserQuestion<K>,
  options: { shown: HostQuestion; locale: Locale; problem?: Text | undefined; ask: AskHost },
): Promise<ElicitationReply | undefined> {
  const { shown, locale, ask } = options;
  let { problem } = options;
  for (let count = 1; ; count++) {
    const message = problem === undefined ? shown.message : `${say(locale, toAskAgain(problem))}\n${shown.message}`;
    const reply = await ask({ ...shown, message });
    problem = reply && findReplyProblem(question, reply);
    if (problem === undefined || count === mostInvalidReplies) return reply;
  }
}

function toAskAgain({ zh, en }: Text): Text {
  return { zh: `上一次的答复未被采用：${zh}`, en: `The last reply does not count: ${en}` };
}

/** Gives a run what the host's user has said. Returns false where another reply counts. */
export async function applyHostReply<K extends QuestionKind>(
  open: OpenQuestion<K>,
  reply: ElicitationReply | undefined,
): Promise<boolean> {
  return open.answer(reply && fromElicitationReply(open.question, reply));
}

/** Returns true when the host can show the question: a form, or an address where it asks to open one. */
export function canAsk({ asksForms, asksUrls }: Host, { kind }: OpenQuestion): boolean {
  return kind === "url" ? asksUrls : asksForms;
}

/**
 * Converts a question to the form that a host's user sees. Returns undefined when a downstream server asked for something that
 * MCP does not know.
 */
export function toHostQuestion<K extends QuestionKind>(
  question: UserQuestion<K>,
  locale: Locale,
): HostQuestion | undefined {
  const words = toElicitation(question, locale);
  if (words.kind === "url") return words;
  const params = { message: words.message, requestedSchema: words.schema };
  if (!isSpecType.ElicitRequestFormParams(params)) return undefined;
  return { kind: "form", message: words.message, form: params.requestedSchema };
}

export interface HostUserOptions {
  locale: Locale;
  /** Stands for the host's user. */
  person: object;
  owner: string | undefined;
  canAsk(kind: QuestionKind): boolean;
}

/** Creates the user behind a host, who is asked at once. */
export function createHostUser(askHost: AskHost, { locale, person, owner, canAsk: canAskKind }: HostUserOptions): User {
  return {
    canAsk: canAskKind,
    person,
    owner,
    async ask(question, signal) {
      const shown = toHostQuestion(question, locale);
      const ask: AskHost = (asked) => askHost(asked, signal);
      const reply = shown && (await askUntilValid(question, { shown, locale, ask }));
      return reply && fromElicitationReply(question, reply);
    },
  };
}
