import type { CompleteRequestParams, CompleteResult } from "@modelcontextprotocol/server";
import type { Duet } from "../../../app/duet.ts";
import type { Caller } from "../../../core/caller.ts";
import { modes } from "../../../core/run/modes.ts";
import type { ConversationStore } from "../../../core/store/store.ts";
import type { Capabilities } from "../capabilities.ts";
import { listUsableServers } from "./describe-agent.ts";
import { isPromptName, promptArguments } from "./prompts.ts";
import { conversationTemplate, runPartTemplate, runTemplate } from "./resources.ts";

export interface AgentCompletionOptions {
  duet: Pick<Duet, "store" | "inventory">;
  caller: Caller;
}

/** MCP allows no more values in one answer. */
const most = 100;

/**
 * Is how many conversations are searched at a time for ids that begin with the typed text. At most `longestSearch` are searched
 * in all.
 */
const pageSize = 1000;
const longestSearch = 10_000;

type Completion = CompleteResult["completion"];

/** Completes the arguments of our prompts and templates with what is the caller's own: by its beginning, the newest first. */
export function createAgentCompletion({ duet, caller }: AgentCompletionOptions): NonNullable<Capabilities["complete"]> {
  return async ({ ref, argument: { name, value } }, { mcpReq: { signal } }) => {
    const names = listArguments(ref);
    if (names === undefined) return undefined;
    const known = names.find((each) => each === name);
    return { completion: await complete(known, value, signal) };
  };

  async function complete(name: string | undefined, typed: string, signal: AbortSignal): Promise<Completion> {
    if (name === "mode") return createFittingCompletion(modes, typed);
    if (name === "server") return createFittingCompletion(await listUsableServers({ duet, caller }, signal), typed);
    if (name === "conversation_id") return completeConversationId(await duet.store(caller), typed);
    if (name === "run_id") return runIds(await duet.store(caller), typed);
    return createWholeCompletion([]);
  }
}

/** Returns the arguments of one of our prompts or templates, or undefined for anything else. */
function listArguments(ref: CompleteRequestParams["ref"]): readonly string[] | undefined {
  if (ref.type === "ref/prompt") return isPromptName(ref.name) ? promptArguments[ref.name] : undefined;
  if (ref.uri === conversationTemplate) return ["conversation_id"];
  return ref.uri === runTemplate || ref.uri === runPartTemplate ? ["run_id"] : undefined;
}

function createFittingCompletion(values: readonly string[], typed: string): Completion {
  return createWholeCompletion(values.filter((each) => each.startsWith(typed)));
}

function createWholeCompletion(values: readonly string[]): Completion {
  return { values: values.slice(0, most), total: values.length, hasMore: values.length > most };
}

/** Reports that there are more values, which were not counted. */
function createPartialCompletion(values: readonly string[]): Completion {
  return { values: values.slice(0, most), hasMore: true };
}

async function completeConversationId(store: ConversationStore, typed: string): Promise<Completion> {
  const found: string[] = [];
  for (let offset = 0; offset < longestSearch; offset += pageSize) {
    const page = await store.list({ limit: pageSize, offset });
    found.push(...page.map(({ id }) => id).filter((id) => id.startsWith(typed)));
    if (page.length < pageSize) return createWholeCompletion(found);
    if (found.length > most) break;
  }
  return createPartialCompletion(found);
}

async function runIds(store: ConversationStore, typed: string): Promise<Completion> {
  const found = (await store.runs({ newest: most + 1, beginning: typed })).map(({ id }) => id);
  return found.length > most ? createPartialCompletion(found) : createWholeCompletion(found);
}
