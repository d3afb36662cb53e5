import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { ApiContext } from "../api-context.ts";
import { beginChatRun, isFromOwnPage, toChatQuestion } from "../chat/begin-chat-run.ts";
import { startOnce } from "../chat/keyed-runs.ts";
import { findStoredEntry, unknownConversationError } from "./find-conversation.ts";
import type { WaitingQuestion } from "./waiting-question.ts";

/**
 * Begins the run of a question that has waited; undefined where its request was repeated and has a run that ended long ago. Throws where its conversation has been deleted meanwhile, where its caller may no longer
 * ask, and where no run can begin.
 */
export async function beginWaitingQuestion(
  api: ApiContext,
  question: WaitingQuestion,
  signal: AbortSignal,
): Promise<RunHandle | undefined> {
  await checkCaller(api, question);
  if (question.isStored && !(await isThere(api, question))) throw unknownConversationError(question.conversationId);
  const parent = await findTurn(api, question);
  signal.throwIfAborted();
  const { caller, keyed } = question;
  const asked = toChatQuestion({ ...question, input: { ...question.input, parent } }, signal);
  const open = (): Promise<RunHandle> => beginChatRun(api, asked);
  if (keyed === undefined) return open();
  const id = await startOnce({ ...api, caller }, keyed, { open, isRecordOptional: isFromOwnPage(question) });
  return api.runs.find(id, caller);
}

/**
 * Returns the turn of the run that the question was to follow, whichever branch is the current one by now. Of a run that left no turn,
 * it is the one that this run followed.
 */
async function findTurn(
  { duet, runs }: ApiContext,
  { caller, conversationId, afterRun, input }: WaitingQuestion,
): Promise<number | undefined> {
  if (afterRun === undefined) return input.parent;
  const tree = await (await duet.store(caller)).branches?.read(conversationId);
  const turn = tree?.turns.find(({ runId }) => runId === afterRun)?.n;
  if (turn !== undefined) return turn;
  const run = runs.find(afterRun, caller);
  // An answer that could not be saved is the last of its conversation.
  return (run?.outcome?.success === false ? run.after : undefined) ?? input.parent;
}

async function isThere({ duet }: ApiContext, { conversationId: id, caller }: WaitingQuestion): Promise<boolean> {
  const store = await duet.store(caller);
  // Where the store cannot be written, only the conversation itself has what waits to be saved.
  return (await findStoredEntry(store, id)) !== undefined || (await store.load(id, undefined, 0)) !== undefined;
}

/** The token itself is not kept. Its end and its name are enough to find out whether it would still let its holder in. */
async function checkCaller({ duet }: ApiContext, { validUntil, key }: WaitingQuestion): Promise<void> {
  if (validUntil !== undefined && validUntil * 1000 <= Date.now()) throw signedOutError();
  if (key === undefined || key === "DUET_HTTP_TOKEN") return;
  const { tokens } = await duet.credentials();
  const now = new Date().toISOString();
  const isInForce = (await tokens.list()).some(
    ({ name, revokedAt, expiresAt = now }) => name === key && revokedAt === undefined && expiresAt >= now,
  );
  if (!isInForce) throw signedOutError();
}

function signedOutError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 401,
    text: {
      zh: "提问时使用的登录或令牌已失效，这个问题没有发出",
      en: "the sign-in or the token with which it was asked is no longer valid, so the question was not asked",
    },
    hint: { zh: "请重新登录后再问。", en: "Sign in again and ask once more." },
  });
}
