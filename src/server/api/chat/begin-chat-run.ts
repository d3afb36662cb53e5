import { openOutputSchema, outputSchemaPlace } from "../../../app/ask/answer-form.ts";
import type { Attachment } from "../../../core/attachment.ts";
import type { Caller } from "../../../core/caller.ts";
import { readChain } from "../../../core/chain-text.ts";
import { beginRun, type RunQuestionRequest } from "../../../runs/begin-run.ts";
import { leaveAfterSwitch } from "../../../runs/leave-conversation.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { confirmRun } from "../../../runs/questions/confirm.ts";
import type { CallerScope } from "../../../runs/run-service.ts";
import type { ApiContext } from "../api-context.ts";
import { findEarlierTurns } from "../conversations/earlier-turns.ts";
import { makeTitleAfter } from "../conversations/make-title.ts";
import type { WaitingQuestion } from "../conversations/waiting-question.ts";
import { type ChatInput, toAskInput } from "./chat-input.ts";
import { chooseRunModels } from "./choose-run-models.ts";

/** Browsers say so, and no script can: a person sits at the page. */
export function isFromOwnPage({ headers }: { headers: Headers }): boolean {
  return headers.get("sec-fetch-site") === "same-origin";
}

/** Represents a question as it was sent to one of the routes that take one. */
export interface ChatQuestion {
  caller: Caller;
  headers: Headers;
  input: ChatInput;
  attachments: readonly Attachment[];
  reads: "events" | "answer";
  signal: AbortSignal;
  runId?: string | undefined;
}

/** Returns a question that has waited as one that is asked now. Nobody is there to read its events, so it is finished without. */
export function toChatQuestion(
  { caller, headers, input, attachments, conversationId, reservedRunId: runId }: WaitingQuestion,
  signal: AbortSignal,
): ChatQuestion {
  const asked: ChatInput = { ...input, conversation_id: conversationId, on_disconnect: "finish" };
  return { caller, headers, input: asked, attachments, reads: "events", signal, runId };
}

/** Begins the run of a question. Throws where what it names is not there, and where no run can begin. */
export async function beginChatRun(
  api: ApiContext,
  { caller, headers, input, attachments, reads, signal, runId }: ChatQuestion,
): Promise<RunHandle> {
  const scope: CallerScope = { ...api, caller };
  const asks = input.asks === true;
  const earlier = await findEarlierTurns(scope, input);
  const asked: RunQuestionRequest = {
    scope,
    input: toAskInput(input),
    attachments: [...attachments, ...earlier.attachments],
    after: input.parent,
    onDisconnect: input.on_disconnect,
    chain: readChain(undefined, input.duet_chain, headers),
    host: { asksForms: asks },
    // One answer can hand out what waits for a person; a reader of events who answers nothing is not to wait for it.
    isUnattended: reads === "events" && !asks,
    locale: input.locale ?? scope.duet.localeFor(input.message),
    models: await chooseRunModels(scope.duet, input, signal),
    answerForm: input.output_schema && (await openOutputSchema(input.output_schema, outputSchemaPlace)),
    isInteractive: isFromOwnPage({ headers }),
    runId,
  };
  asked.input = await leaveAfterSwitch(asked);
  // What another mode begins anew follows nothing.
  if (asked.input.conversation_id !== (input.conversation_id || undefined)) asked.after = undefined;
  await scope.runs.prepare(caller);
  const run = input.confirmation ? await confirmRun(asked, input.confirmation) : beginRun(asked);
  if (input.make_title && api.makesTitles) void makeTitleAfter(api, run);
  return run;
}
