import type { ContextUse } from "../../agent/context/measure-context.ts";
import { type Caller, operator } from "../../core/caller.ts";
import { scopeStore } from "../conversations/scope-store.ts";
import { toConversationKey } from "../conversations/sessions.ts";
import type { DuetParts } from "../duet-parts.ts";
import { noTools } from "../tools/tool-inventory.ts";
import type { AskRequest } from "./ask-request.ts";
import { mergeLimits } from "./merge-limits.ts";

export type MeasureRequest = Pick<
  AskRequest,
  "conversationId" | "branch" | "mode" | "models" | "folderInstructions" | "locale" | "signal"
> & {
  caller?: Caller | undefined;
};

/** Limits how long servers that are starting are waited for, in milliseconds. Tools of those that are not up are not counted. */
const serverWaitMs = 5_000;

/** Says what would fill the windows of the models in the next question of a conversation. No model is asked. */
export async function measureNextContext(
  { config, agent, models, tools, conversations }: DuetParts,
  request: MeasureRequest,
): Promise<ContextUse[]> {
  const { caller = operator, conversationId, mode = "agent", signal } = request;
  const [{ measureContext }, { prompts }, { store: whole }, chosen] = await Promise.all([
    import("../../agent/context/measure-context.ts"),
    agent.get(),
    conversations.store.get(),
    request.models ?? models.open(),
  ]);
  const store = scopeStore(whole, caller);
  const known = conversationId === undefined ? undefined : await store.load(conversationId, request.branch);
  // One that is not there yet is created nowhere.
  const conversation = known ?? (await createEmptyConversation());
  const session = conversations.sessions.of(toConversationKey(caller, conversation.id), known === undefined);
  const wanted = { caller, patienceMs: serverWaitMs, signal };
  const offered = mode === "chat" ? noTools : await tools.inventory.resolveTools(session, wanted);
  return measureContext({
    request: {
      mode,
      conversation,
      limits: mergeLimits(config),
      locale: request.locale ?? config.locale,
      planPolicy: config.agent.plan,
      folderInstructions: request.folderInstructions,
    },
    parts: {
      models: chosen,
      store,
      prompts,
      tools: offered.tools,
      finding: mode === "chat" ? undefined : await tools.search.open(session),
    },
  });
}

async function createEmptyConversation() {
  const { createMemoryStore } = await import("../../store/memory/memory-store.ts");
  return createMemoryStore().create();
}
