import type { AgentAnswer, AgentPool, OtherAgent } from "../../client/acp/agent-pool.ts";
import { findKnownAgent } from "../../config/agents/known-agents.ts";
import type { Config, ServerSettings, SubAgentSettings } from "../../config/config.ts";
import { countAgentsAbove, deepestChain, tooDeepError } from "../../core/chain.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { reportNotice } from "../../core/tools/report-notice.ts";
import { createFailure, type ToolContext, type ToolFailure, type ToolResult } from "../../core/tools/tool.ts";
import { createOnce } from "../../kit/async/once.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { AgentSessions } from "./agent-sessions.ts";

/** Puts questions to agents that are other programs. Their processes start when they are first asked. */
export interface OtherAgents {
  ask(settings: SubAgentSettings, question: string, sessions: AgentSessions, context: ToolContext): Promise<ToolResult>;
  close(limitMs?: number): Promise<void>;
}

export function createOtherAgents(config: Config): OtherAgents {
  const pool = createOnce(() => openPool(config));
  return {
    async ask(settings, question, sessions, context) {
      const agent = toOtherAgent(settings, config.servers);
      if (agent === undefined) return createFailure("config", settings.name);
      if (agent.settings.lacksFolder) throw noFolderError(agent);
      const { name, instructions } = settings;
      const { chain } = context;
      // A call is one agent deeper than its run.
      const depth = countAgentsAbove({ depth: (chain?.depth ?? 1) - 1 }, config) + 1;
      if (depth > deepestChain) throw tooDeepError(depth);
      const { maxExecutionTime = Number.POSITIVE_INFINITY, tokenBudget, costBudget } = settings.limits;
      const elsewhere = sessions.findElsewhere(name);
      if (elsewhere) reportNotice(context, noticeKinds.agentSessionLost, describeLost(name, elsewhere));
      const limit = openLimit(name, maxExecutionTime * 1000, context);
      const answer = await (await pool.get())
        .ask(agent, {
          text: [question, instructions].filter((part) => part?.trim()).join("\n\n"),
          sessionId: sessions.get(name),
          onSession: (id) => sessions.set(name, id),
          onUsage: context.charge,
          budget: {
            tokens: takeSmallest(chain?.budget, tokenBudget) ?? Number.POSITIVE_INFINITY,
            cost: takeSmallest(chain?.cost, costBudget),
          },
          depth,
          context: limit.context,
        })
        .finally(limit.clear);
      if (answer.lost) reportNotice(context, noticeKinds.agentSessionLost, describeLost(name, answer.lost));
      return toResult(name, answer, context.locale);
    },
    async close(limitMs) {
      await (await pool.current)?.close(limitMs);
    },
  };
}

/** Limits the time of a question. The clock stops while a person thinks. */
function openLimit(name: string, ms: number, context: ToolContext): { context: ToolContext; clear(): void } {
  const { approve } = context;
  if (!Number.isFinite(ms)) return { context, clear: () => {} };
  const limit = createTimeLimit(
    ms,
    () => timeoutError({ zh: `智能体 ${name}`, en: `The agent ${name}` }, ms),
    context.signal,
  );
  async function approveInTime(
    ...asked: Parameters<NonNullable<typeof approve>>
  ): ReturnType<NonNullable<typeof approve>> {
    const resume = limit.pause();
    try {
      return await approve?.(...asked);
    } finally {
      resume();
    }
  }
  return {
    context: { ...context, signal: limit.signal, approve: approve && approveInTime },
    clear: limit.clear,
  };
}

function takeSmallest(...budgets: (number | undefined)[]): number | undefined {
  const known = budgets.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

async function openPool(config: Config): Promise<AgentPool> {
  const [{ createAgentPool }, { createAgentFileAccess }, { createFileGuard }, { listProtectedFiles }] =
    await Promise.all([
      import("../../client/acp/agent-pool.ts"),
      import("../../tools/files/agent-file-access.ts"),
      import("../../tools/files/file-guard.ts"),
      import("../tools/protected-files.ts"),
    ]);
  const guard = createFileGuard(await listProtectedFiles(config));
  return createAgentPool({
    environment: config.environment,
    openFiles: async (roots) => createAgentFileAccess({ roots, guard }),
  });
}

function toOtherAgent({ name, acp }: SubAgentSettings, configured: readonly ServerSettings[]): OtherAgent | undefined {
  if (acp === undefined) return undefined;
  const known = findKnownAgent(name);
  const install = known?.command === acp.transport.command ? describeInstall(known.install) : undefined;
  const { mcpServers: wanted = false } = acp;
  const servers = configured.filter((each) => (typeof wanted === "boolean" ? wanted : wanted.includes(each.name)));
  return { name, settings: acp, servers, install, signIn: known?.signIn };
}

function noFolderError({ name, settings }: OtherAgent): DuetError {
  const { zh, en } = describeNoFolder(name, settings.cwd);
  return new DuetError({ code: "config", text: { zh: `智能体 ${name}：${zh}`, en: `agent ${name}: ${en}` } });
}

/** Describes an agent that is not asked because Duet runs in the home directory, or in a folder above it. */
export function describeNoFolder(name: string, folder: string): Text {
  const shown = JSON.stringify(folder);
  return {
    zh: `没有工作目录：Duet 在 ${shown} 中运行，那里的一切它都能读到。请设置 agents.${name}.acp.cwd`,
    en: `it has no folder to work in: Duet runs in ${shown}, with all that lies below it. Set agents.${name}.acp.cwd.`,
  };
}

export function describeInstall(command: string): Text {
  return { zh: `请运行 ${command}`, en: `Run: ${command}` };
}

function describeLost(name: string, why: keyof typeof losses): Text {
  const { zh, en } = losses[why];
  return { zh: `智能体 ${name} ${zh}`, en: `The agent ${name} ${en}` };
}

/** Says why an agent has nothing of what was said before. */
const losses = {
  branch: {
    zh: "先前的会话属于这个对话的另一个分支，它从头开始。",
    en: "begins anew: its earlier session belongs to another branch of this conversation.",
  },
  fork: {
    zh: "先前的会话留在被复制的那个对话中，它从头开始。",
    en: "begins anew: its earlier session stays with the conversation that this one was forked from.",
  },
  unable: {
    zh: "不能继续先前的会话，它从头开始，不记得之前的内容。",
    en: "cannot continue an earlier session: it begins anew, without what was said before.",
  },
  unknown: { zh: "已不记得先前的会话，它从头开始。", en: "no longer knows its earlier session and begins anew." },
} satisfies Record<NonNullable<AgentAnswer["lost"]> | "branch" | "fork", Text>;

/** Says how an agent ended that did not end by itself. */
const stops: Record<Exclude<AgentAnswer["stop"], "end_turn">, { code: ToolFailure["code"]; why: Text }> = {
  max_tokens: { code: "tool", why: { zh: "达到了它的输出上限", en: "it reached its output limit" } },
  max_turn_requests: { code: "tool", why: { zh: "达到了它的轮数上限", en: "it reached its limit of rounds" } },
  refusal: { code: "content_filter", why: { zh: "它拒绝继续", en: "it refused to go on" } },
  // It was not told to: some do so when a permission is refused.
  cancelled: {
    code: "denied",
    why: {
      zh: "它自行停止了，通常是因为没有得到许可",
      en: "it stopped its work, as a rule because it was refused a permission",
    },
  },
  "too-much": { code: "bad_response", why: { zh: "它输出得太多，被停止了", en: "it wrote too much and was stopped" } },
  tokens: { code: "quota", why: { zh: "分给它的 token 已用完", en: "the tokens that it may use were used up" } },
  cost: { code: "quota", why: { zh: "分给它的费用已用完", en: "the money that it may use was used up" } },
};

function toResult(name: string, { text, stop, usage }: AgentAnswer, locale: Locale): ToolResult {
  if (stop === "end_turn" && text !== "") return { ok: true, text, usage };
  const { code, why } = stop === "end_turn" ? saidNothing : stops[stop];
  const line = say(locale, { zh: `智能体 ${name}：${why.zh}。`, en: `The agent ${name}: ${why.en}.` });
  // What was cut is still of use to whoever reads it.
  if (text !== "" && (stop === "max_tokens" || stop === "max_turn_requests"))
    return { ok: true, text: `${text}\n\n${line}`, usage };
  const failure = createFailure(code, line);
  return { ...failure, text: text === "" ? line : `${line}\n\n${text}`, usage };
}

const saidNothing: (typeof stops)["refusal"] = {
  code: "tool",
  why: { zh: "它没有给出回答", en: "it gave no answer" },
};
