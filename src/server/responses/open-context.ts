import type { Caller } from "../../core/caller.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { toText } from "../../kit/json.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { AnswerRequest, ModelMessage } from "../model-api/answer/answer-request.ts";
import { toConversation } from "../model-api/to-conversation.ts";
import { createFinder, type FindResponse, type ResponsesContext } from "./find-response.ts";
import { findResponseOfItem, itemPrefixes, readResponseId, toResponseId } from "./ids.ts";
import { readItems, type WireItem } from "./read-items.ts";
import type { ResponsesRequest } from "./read-request.ts";
import { isOver, type StoredResponse } from "./stored-response.ts";

/** Says what a request is asked in: a conversation of ours, or the history that it brings. */
export interface OpenedContext extends Pick<AnswerRequest, "conversation" | "storage"> {
  /** Is the conversation that the client has named, in this request or in one that it goes on from. */
  namedId?: string | undefined;
}

/** Limits how many responses before the last one are read for their items. */
const mostBefore = 1000;

/**
 * Reads the items of a request with what they refer to. A response that comes after the last one of its conversation goes on with that
 * conversation; one that branches off earlier, or brings messages of the assistant's, is asked with its history and stands in none.
 * Throws `HttpRefusalError` for what cannot be read, and for what is not there.
 */
export async function openContext(
  context: ResponsesContext,
  request: ResponsesRequest,
  caller: Caller,
): Promise<OpenedContext> {
  const find = createFinder(context, caller);
  const items = await resolveReferences(find, request.items);
  const own = readItems(items, "input");
  const instructions = toInstruction(request.instructions);
  const isPlain = own.every(({ role }) => role === "user" || role === "instruction");
  // The results of calls belong to the question before them, which its instructions were for.
  const isReply = own.every(({ role }) => role === "tool");
  const { previousId, conversationId, fields } = request;
  if (conversationId !== undefined) await checkConversation(context, conversationId, caller);
  if (previousId === undefined) {
    const { standing, before } = isReply ? await findQuestion(context, caller, { find, results: own }) : nothingBefore;
    const said = instructions.length > 0 ? instructions : toInstruction(standing);
    const conversation = toConversation([...said, ...before, ...own], fields);
    const isKept = conversationId !== undefined || (request.isStored && isPlain);
    return { conversation, storage: isKept ? { conversationId } : undefined, namedId: conversationId };
  }
  const previous = await findPrevious(find, previousId);
  const before = readItems(await collectItems(find, previous), "previous_response_id");
  const standing = isReply && instructions.length === 0 ? toInstruction(previous.body.instructions) : instructions;
  if (request.isStored && isPlain && (await isLast(context, caller, previous))) {
    const said = before.filter(({ role }) => role === "instruction");
    const conversation = toConversation([...instructions, ...said, ...own], fields);
    const namedId = previous.response.conversation?.id;
    return { conversation, storage: { conversationId: previous.conversationId }, namedId };
  }
  return { conversation: toConversation([...standing, ...before, ...own], fields), storage: undefined };
}

/** Holds what was said before the results of calls, for which the client need name no response. */
interface ReadQuestion {
  /** Holds the instructions that the question came with. */
  standing: string | undefined;
  before: readonly ModelMessage[];
}

const nothingBefore: ReadQuestion = { standing: undefined, before: [] };

/** Reads the question of the run that has asked for these results, with the calls that it has made since. */
async function findQuestion(
  context: ResponsesContext,
  caller: Caller,
  { find, results }: { find: FindResponse; results: readonly ModelMessage[] },
): Promise<ReadQuestion> {
  const ids = results.flatMap((message) => (message.role === "tool" ? [message.result.callId] : []));
  const [run] = ids.flatMap((id) => context.service.runs.findByClientCall(id, caller) ?? []);
  if (run === undefined) return nothingBefore;
  const asked = run.clientCalls.rounds.findIndex(({ calls }) => calls.some(({ id }) => ids.includes(id)));
  const answered: StoredResponse[] = [];
  for (let roundIndex = 0; roundIndex <= asked; roundIndex += 1) {
    const found = await find(toResponseId(run.id, roundIndex));
    if (found) answered.push(found.stored);
  }
  const items = answered.flatMap(({ input, response }) => [...input, ...response.output.map((item) => ({ ...item }))]);
  const before = readItems(await resolveReferences(find, items), "input");
  return { standing: answered[0]?.body.instructions ?? undefined, before };
}

function toInstruction(text: string | null | undefined): ModelMessage[] {
  return text ? [{ role: "instruction", text }] : [];
}

async function findPrevious(find: FindResponse, id: string): Promise<StoredResponse> {
  const found = await find(id);
  const shown = showValue(id);
  if (found === undefined)
    throw new HttpRefusalError({
      status: 400,
      param: "previous_response_id",
      openAiCode: "previous_response_not_found",
      text: {
        zh: `previous_response_id：没有编号为 ${shown} 的响应（允许：本调用方未以 store: false 请求、且未删除的响应的 id）`,
        en: `previous_response_id: there is no response ${shown} (allowed: the id of a response of this caller that was not asked for with store: false and not deleted)`,
      },
    });
  if (isOver(found.stored.response)) return found.stored;
  throw new HttpRefusalError({
    status: 400,
    param: "previous_response_id",
    text: {
      zh: `previous_response_id：响应 ${shown} 尚未结束（允许：已结束的响应）`,
      en: `previous_response_id: the response ${shown} has not ended (allowed: one that has)`,
    },
  });
}

/** Returns the items of a response and of all before it, oldest first. One that was deleted ends the list. */
async function collectItems(find: FindResponse, last: StoredResponse): Promise<readonly WireItem[]> {
  const lists: (readonly WireItem[])[] = [];
  let next: StoredResponse | undefined = last;
  while (next !== undefined && lists.length < mostBefore) {
    lists.unshift([...next.input, ...next.response.output.map((item) => ({ ...item }))]);
    const id: string | null = next.response.previous_response_id;
    next = id === null ? undefined : (await find(id))?.stored;
  }
  const items = lists.flat();
  return resolveReferences(find, items);
}

/** Returns true where nothing has been said in the conversation of a response since. */
async function isLast(
  { service: { duet, runs, followed } }: ResponsesContext,
  caller: Caller,
  { conversationId, response }: StoredResponse,
): Promise<boolean> {
  const isPause = response.output.some(({ type }) => type === "function_call" || type === "custom_tool_call");
  if (conversationId === undefined || isPause) return false;
  const isGoing = [...runs.listRuns(caller), ...(await followed.list(caller))].some(
    (run) => run.conversationId === conversationId && run.outcome === undefined,
  );
  if (isGoing) return false;
  const store = await duet.store(caller);
  const last = (await store.runs({ conversationId })).at(-1);
  return last !== undefined && last.id === readResponseId(response.id)?.runId;
}

async function checkConversation({ service: { duet } }: ResponsesContext, id: string, caller: Caller): Promise<void> {
  const store = await duet.store(caller);
  if ((await store.load(id)) !== undefined) return;
  const shown = showValue(id);
  throw new HttpRefusalError({
    status: 404,
    param: "conversation",
    text: {
      zh: `conversation：没有编号为 ${shown} 的对话（允许：GET /agent/conversations 列出的编号）`,
      en: `conversation: there is no conversation ${shown} (allowed: an ID that GET /agent/conversations lists)`,
    },
  });
}

/** Puts the items of earlier responses in place of what only names them. What a model thought is not read again, so it may be missing. */
async function resolveReferences(find: FindResponse, items: readonly WireItem[]): Promise<readonly WireItem[]> {
  async function findItem(id: string): Promise<WireItem | undefined> {
    const responseId = findResponseOfItem(id);
    const stored = responseId === undefined ? undefined : (await find(responseId))?.stored;
    const found = stored?.response.output.find((item) => item.id === id);
    return found ? { ...found } : stored?.input.find((item) => item.id === id);
  }

  const found: WireItem[] = [];
  for (const item of items) {
    // A program may leave out the kind of an item that has an ID alone.
    const isReference = item.type === "item_reference" || (item.type === undefined && item.role === undefined);
    const id = toText(item.id);
    if (!isReference) found.push(item);
    else if (!id.startsWith(`${itemPrefixes.reasoning}_`)) found.push((await findItem(id)) ?? refuseItem(id));
  }
  return found;
}

function refuseItem(id: string): never {
  const shown = showValue(id);
  throw new HttpRefusalError({
    status: 404,
    param: "input",
    text: {
      zh: `input：没有编号为 ${shown} 的条目（允许：本调用方未以 store: false 请求的响应中的条目）`,
      en: `input: there is no item ${shown} (allowed: an item of a response of this caller that was not asked for with store: false)`,
    },
  });
}
