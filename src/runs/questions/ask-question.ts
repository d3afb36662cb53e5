import { isSpecType } from "@modelcontextprotocol/server";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { User } from "../../core/questions/user.ts";
import type { QuestionKind, UserQuestion } from "../../core/questions/user-question.ts";
import type { Locale } from "../../kit/locale.ts";
import { fromElicitationReply, toElicitation } from "../../render/questions/elicitation-wording.ts";
import type { Host } from "../input/host.ts";
import type { HostQuestion } from "../input/host-question.ts";
import type { AskHost } from "../input/pending-work.ts";
import type { OpenQuestion } from "./open-question.ts";

/**
 * Puts a run's question to the host's user, and the answer to the run. When the signal aborts first, the question is free
 * for the next request; when it is closed meanwhile, it is withdrawn.
 */
export async function askQuestion(
  open: OpenQuestion,
  { id: runId, locale, isModern }: { id: string; locale: Locale; isModern: boolean },
  ask: AskHost,
  signal: AbortSignal,
): Promise<void> {
  const shown = toHostQuestion(open.question, locale);
  if (shown === undefined) return open.withdraw();
  const release = open.show({ isInResult: isModern });
  const reply = await ask({ ...shown, origin: { runId, questionId: open.id } }, signal, open.closed);
  if (open.closed.aborted) return;
  if (signal.aborted && reply === undefined) return release();
  await applyHostReply(open, reply);
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
      const reply = shown && (await askHost(shown, signal));
      return reply && fromElicitationReply(question, reply);
    },
  };
}
