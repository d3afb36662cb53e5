import { countAgentsAbove, deepestChain, tooDeepError } from "../../core/chain.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import type { Notice } from "../../core/run/events.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import type { AskRequest } from "../ask/ask-request.ts";
import { toAgentTool } from "./agent-tools.ts";

/** Says how a question goes straight to another program. */
export interface DirectRequest {
  /** Is the agent's tool, which answers in place of the models. */
  answeredBy: string;
  /** Tells what the question asks for that the agent is not told. */
  listNotices(locale: Locale): Notice[];
}

/** Throws `invalid_request` for a question that the agent would answer otherwise than it asks, and where the chain of agents is too long. */
export function toDirectRequest(name: string, request: AskRequest, config: { depth: number }): DirectRequest {
  const depth = countAgentsAbove(request.chain, config);
  if (depth >= deepestChain) throw tooDeepError(depth + 1);
  const { mode = "agent", history = [] } = request;
  if (mode !== "agent") throw otherModeError(name, mode);
  if (history.length > 0) throw historyError(name);
  const left = Object.entries(untold).filter(([, row]) => row.isGiven(request));
  return {
    answeredBy: toAgentTool(name),
    listNotices: (locale) => {
      if (left.length === 0) return [];
      const zh = left.map(([, { text }]) => text.zh).join("、");
      const en = left.map(([, { text }]) => text.en).join(", ");
      return [noticeKinds.agentNotTold({ name, what: { zh, en } }, locale)];
    },
  };
}

interface UntoldRow {
  isGiven(request: AskRequest): boolean;
  text: Text;
}

/** Lists what a question may ask of our models, and no agent can be told. */
const untold = {
  clientTools: {
    isGiven: ({ clientTools, earlierSteps = [] }) => (clientTools?.tools.length ?? 0) + earlierSteps.length > 0,
    text: { zh: "调用方的工具", en: "the caller's tools" },
  },
  toolChoice: {
    isGiven: ({ toolChoice = "auto" }) => toolChoice !== "auto",
    text: { zh: "tool_choice", en: "tool_choice" },
  },
  stop: { isGiven: ({ stop = [] }) => stop.length > 0, text: { zh: "stop", en: "stop" } },
  search: { isGiven: ({ search }) => search === true, text: { zh: "联网搜索", en: "the web search" } },
} satisfies Record<string, UntoldRow>;

function otherModeError(name: string, mode: string): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `智能体 ${name} 不能用模式 ${mode} 回答（允许：agent；它自己的模式由 agents.${name}.acp.mode 设置）`,
      en: `the agent ${name} cannot answer in mode ${mode} (allowed: agent; agents.${name}.acp.mode sets its own)`,
    },
  });
}

function historyError(name: string): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `智能体 ${name} 不接受由调用方保存的历史（允许：conversation_id，或没有先前轮次的问题）`,
      en: `the agent ${name} takes no history that the caller keeps (allowed: a conversation_id, or a question without earlier turns)`,
    },
  });
}
