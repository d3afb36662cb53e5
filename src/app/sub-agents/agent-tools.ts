import type { SubAgentSettings } from "../../config/config.ts";
import { countAgentsAbove, deepestChain } from "../../core/chain.ts";
import { toUser, type User } from "../../core/questions/user.ts";
import { sumKnownCost } from "../../core/run/add-bills.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Outcome, OutcomeMeta } from "../../core/run/outcome.ts";
import type { SourceList } from "../../core/store/conversations/conversation.ts";
import {
  type AgentUsage,
  createFailure,
  type Source,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../core/tools/tool.ts";
import { toText } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { renderEvent, renderPartial } from "../../render/event-lines.ts";
import { createTool } from "../../tools/create-tool.ts";
import type { AskRequest } from "../ask/ask-request.ts";
import type { AgentSessions } from "./agent-sessions.ts";
import type { OtherAgents } from "./other-agents.ts";

/** Runs a question of an agent below another. Its run is part of the one above and is not kept by itself. */
export type AskSubAgent = (
  request: AskRequest & { agent: string; signal: AbortSignal },
  onEvent: (event: AgentEvent) => void,
) => Promise<void>;

export interface AgentToolParts {
  agents: readonly SubAgentSettings[];
  /** Is what the question above asks, whose caller, tools and language hold for the agents below it. */
  above: Pick<AskRequest, "caller" | "ceilings" | "tools" | "within" | "budget" | "chain" | "folderInstructions">;
  /** Counts the agents above this process. */
  depth: number;
  locale: Locale;
  /** Numbers the sources of the conversation above, which the agents below share. */
  findSources(): SourceList;
  ask: AskSubAgent;
  /** Asks those that are other programs. */
  others: OtherAgents;
  sessions: AgentSessions;
}

/** Creates a tool for each agent that may be asked. There are none where a chain of agents may grow no longer. */
export function createAgentTools({
  agents,
  above,
  depth,
  locale,
  findSources,
  ask,
  others,
  sessions,
}: AgentToolParts): Tool[] {
  if (countAgentsAbove(above.chain, { depth }) >= deepestChain) return [];
  return agents.map((settings) => {
    const tool = createTool({
      name: toAgentTool(settings.name),
      description: settings.description,
      source: "agents",
      inputSchema: {
        type: "object",
        properties: {
          message: { type: "string", minLength: 1, description: say(locale, settings.acp ? otherHelp : messageHelp) },
        },
        required: ["message"],
        additionalProperties: false,
      },
      annotations: { openWorld: true },
      run: ({ message }, context) =>
        settings.acp
          ? others.ask(settings, toText(message), sessions, context)
          : runAgentTool(toText(message), context, settings),
    });
    return { ...tool, isAgent: true };
  });

  async function runAgentTool(question: string, context: ToolContext, settings: SubAgentSettings): Promise<ToolResult> {
    const sources = findSources();
    let outcome: Outcome | undefined;
    const request = {
      agent: settings.name,
      question,
      ...{ caller: above.caller, budget: above.budget, mode: settings.mode },
      ceilings: above.ceilings,
      within: [...(above.within ?? []), ...(above.tools ? [above.tools] : [])],
      folderInstructions: above.folderInstructions,
      history: [],
      sources,
      sending: context.sending,
      user: toUserAbove(context),
      locale: context.locale,
      chain: context.chain && { ...context.chain, trace: context.trace },
      signal: context.signal,
    };
    await ask(request, (event) => {
      if (event.type === "run-end") outcome = event.outcome;
      else reportStep(event, context);
    });
    if (outcome === undefined) return createFailure("cancelled", "");
    // Its turns have the budget of the run above.
    return toResult(outcome, { sources, isCounted: above.budget !== undefined, locale: context.locale });
  }
}

/** Returns the name of an agent's tool. */
export function toAgentTool(name: string): string {
  return `agent_${name}`;
}

const messageHelp = {
  zh: "交给它的任务或问题，写全所需的信息：它看不到这次对话",
  en: "The task or question, with all that it needs to know: it does not see this conversation.",
};

const otherHelp = {
  zh: "交给它的任务或问题，写全所需的信息：它看不到这次对话，但记得之前交给它的内容",
  en: "The task or question, with all that it needs to know: it does not see this conversation, and remembers what it was told in it before.",
};

const stepTypes: ReadonlySet<AgentEvent["type"]> = new Set(["tool-start", "tool-end", "notice"]);

/** Its calls and notices are steps that are kept; what it is about to do replaces what was told before. */
function reportStep(event: AgentEvent, context: ToolContext): void {
  const line = renderEvent(event, context.locale);
  if (line === undefined) return;
  if (stepTypes.has(event.type)) context.reportStep?.(line);
  else context.progress(line);
}

/** Returns the user whom the run above may ask, through whom the clock of that run stops while a person thinks. */
function toUserAbove({ approve, elicit }: ToolContext): User | undefined {
  if (approve === undefined && elicit === undefined) return undefined;
  const user = toUser({
    approveCall: approve && ((request, signal) => approve(request, signal)),
    elicit: elicit && (async (question, signal) => (await elicit(question, signal)) ?? { action: "cancel" }),
  });
  return { ...user, person: elicit?.person ?? user.person, owner: elicit?.owner };
}

function toResult(
  outcome: Outcome,
  { sources: list, isCounted, locale }: { sources: SourceList; isCounted: boolean; locale: Locale },
): ToolResult {
  const { status, response, error, citations } = outcome;
  const usage = { ...toUsage(outcome), isCounted };
  if (status === "failed" || status === "cancelled" || response.trim() === "") {
    const message = error?.message ?? response;
    return { ...createFailure(status === "cancelled" ? "cancelled" : "tool", message), usage };
  }
  const sources = citations.flatMap(({ n }): Source[] => {
    const source = list.get(n);
    return source ? [source] : [];
  });
  // Which setting raises the limit is of no use to the models above.
  const partial = renderPartial({ ...outcome, limit: undefined }, locale);
  const text = partial === undefined ? response : `${response.trimEnd()}\n\n${partial}`;
  // The numbers in its text are those of the conversation, so that the answer above can cite them.
  return { ok: true, text, usage, ...(sources.length > 0 && { kind: "cited" as const, sources }) };
}

function toUsage({ run_id, meta }: Outcome): AgentUsage {
  const { total_tokens, agents } = meta;
  return {
    runId: run_id,
    runs: 1 + (agents?.runs ?? 0),
    tokens: total_tokens + (agents?.total_tokens ?? 0),
    cost: sumKnownCost(meta),
    isCostKnown: isCostKnown(meta) && (agents === undefined || isCostKnown(agents)),
    isOver: true,
  };
}

/** Returns true also where no tokens were used: who has asked no model has no price to know. */
function isCostKnown({ cost_usd, total_tokens }: Pick<OutcomeMeta, "cost_usd" | "total_tokens">): boolean {
  return cost_usd !== null || total_tokens === 0;
}
