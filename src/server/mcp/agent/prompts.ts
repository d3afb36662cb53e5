import { type Prompt, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Duet } from "../../../app/duet.ts";
import type { Caller } from "../../../core/caller.ts";
import { modes } from "../../../core/run/modes.ts";
import type { Mode } from "../../../core/run/outcome.ts";
import { findPermitProblem } from "../../../core/tools/tool-pattern.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { PromptCapability } from "../capabilities.ts";

export interface AgentPromptsOptions {
  duet: Pick<Duet, "localeFor" | "inventory">;
  caller: Caller;
  locale: Locale;
}

/** Defines the arguments of each prompt, in the order in which a host asks for them. */
export const promptArguments = {
  ask: ["question", "mode", "conversation_id", "server"],
  plan: ["question", "conversation_id", "server"],
} as const satisfies Record<string, ArgumentName[]>;

type PromptName = keyof typeof promptArguments;

export function isPromptName(name: string): name is PromptName {
  return Object.hasOwn(promptArguments, name);
}

/**
 * Creates the two prompts with which a user has the host's model call `agent_ask`. `get` rejects with one line for arguments
 * that are not allowed.
 */
export function createAgentPrompts({ duet, caller, locale }: AgentPromptsOptions): PromptCapability {
  function refuse({ problem }: { problem: Text }): never {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, say(locale, problem));
  }

  /** A mistyped name would leave the agent without tools. Only callers that may use all tools learn which servers exist. */
  async function checkServer(server: string, signal: AbortSignal): Promise<void> {
    if (caller.tools !== undefined) return;
    const { servers } = await duet.inventory(signal, 0);
    const names = servers.map(({ name }) => name).sort();
    if (!names.includes(server))
      refuse(toArgumentProblem("server", server, toShortLine(names.join(", "), 500) || noServers));
  }

  return {
    list: async () => [toPrompt("ask", locale), toPrompt("plan", locale)],
    async get(name, args, { mcpReq: { signal } }) {
      if (!isPromptName(name)) return undefined;
      const read = readPromptArguments(args, promptArguments[name]);
      if ("problem" in read) return refuse(read);
      if (read.server !== undefined) await checkServer(read.server, signal);
      const asked: PromptArguments = name === "plan" ? { ...read, mode: "plan" } : read;
      const text = say(duet.localeFor(asked.question), request(asked));
      return {
        description: say(locale, words[name].title),
        messages: [{ role: "user", content: { type: "text", text } }],
      };
    },
  };
}

const noServers: Text = { zh: "没有配置 MCP 服务器，请留空", en: "no MCP server is configured, so leave it empty" };

/** Renders the text for the host's model. The question is written as JSON, so that none of it reads as instructions. */
function request({ question, conversation_id, mode, server }: PromptArguments): Text {
  const tools = server === undefined ? undefined : [toServerPattern(server)];
  const call = JSON.stringify({ question, conversation_id, mode, tools }, undefined, 2);
  return {
    zh: `请调用工具 agent_ask，参数与下面完全一致，然后把它的回答连同来源原样告诉我。如果 status 是 running，用它的 run_id 调用 agent_result，直到完成；如果是 needs_confirmation，先把要确认的内容给我看，等我答复。\n\n${call}`,
    en: `Call the tool agent_ask with exactly these arguments, then give me its answer with its sources as they are. If the status is running, call agent_result with its run_id until it is done; if it is needs_confirmation, show me what is to be confirmed and wait for my reply.\n\n${call}`,
  };
}

function toPrompt(name: PromptName, locale: Locale): Prompt {
  const { title, description } = words[name];
  return {
    name,
    title: say(locale, title),
    description: say(locale, description),
    arguments: promptArguments[name].map((argument) => ({
      name: argument,
      description: say(locale, argumentWords[argument]),
      required: argument === "question",
    })),
  };
}

const words: Record<PromptName, { title: Text; description: Text }> = {
  ask: {
    title: { zh: "询问 Duet", en: "Ask Duet" },
    description: {
      zh: "把一个问题交给智能体：它自己选择并调用工具，给出带来源的回答。",
      en: "Gives a question to the agent, which chooses and calls tools by itself and answers with sources.",
    },
  },
  plan: {
    title: { zh: "让 Duet 先计划再行动", en: "Have Duet plan first" },
    description: {
      zh: "智能体先写出每一步的计划，再按计划执行。",
      en: "The agent writes a plan of steps first and then runs it.",
    },
  },
};

const argumentWords: Record<ArgumentName, Text> = {
  question: { zh: "想知道什么，或要做什么。", en: "What you want to know or have done." },
  mode: {
    zh: "agent：自己决定用哪些工具（默认）；plan：先计划；chat：不用工具，直接回答。",
    en: "agent: decides by itself which tools to use (default). plan: plans first. chat: answers without tools.",
  },
  conversation_id: {
    zh: "要继续的对话的编号；不填则开始新对话。",
    en: "The conversation to continue; a new one if empty.",
  },
  server: { zh: "只用这个 MCP 服务器的工具；不填则全部可用。", en: "Only the tools of this MCP server; all if empty." },
};

interface PromptArguments {
  question: string;
  mode?: Mode | undefined;
  conversation_id?: string | undefined;
  server?: string | undefined;
}

type ArgumentName = keyof PromptArguments;

/** Is the same limit as in `agent_ask`. */
const longestQuestion = 100_000;
const longestId = 200;

/** Reads what came from a host, or says what is wrong; only the arguments in `known` are allowed, and an empty one is not there. */
export function readPromptArguments(
  args: Readonly<Record<string, string>>,
  known: readonly ArgumentName[],
): PromptArguments | { problem: Text } {
  for (const [name, value] of Object.entries(args))
    if (!known.some((each) => each === name)) return toArgumentProblem(name, value, known.join(", "));
  // Hosts fill optional arguments with "".
  const readArgument = (name: ArgumentName): string | undefined => args[name]?.trim() || undefined;

  const question = readArgument("question");
  if (question === undefined || question.length > longestQuestion)
    return toArgumentProblem("question", question, describeLengths(longestQuestion));
  const mode = modes.find((each) => each === readArgument("mode"));
  if (mode === undefined && readArgument("mode") !== undefined)
    return toArgumentProblem("mode", readArgument("mode"), modes.join(", "));
  const conversationId = readArgument("conversation_id");
  if (conversationId !== undefined && conversationId.length > longestId)
    return toArgumentProblem("conversation_id", conversationId, describeLengths(longestId));
  const server = readArgument("server");
  if (server !== undefined && !canBePattern(server)) return toArgumentProblem("server", server, nameOfServer);
  return { question, mode, conversation_id: conversationId, server };
}

function toServerPattern(server: string): string {
  return `${server}__*`;
}

function canBePattern(server: string): boolean {
  return (
    !server.includes("*") && server.length <= longestId && findPermitProblem(toServerPattern(server)) === undefined
  );
}

/** Renders one line with the value as it came, cut if it is long, and what is allowed. */
function toArgumentProblem(name: string, value: string | undefined, allowed: Text | string): { problem: Text } {
  const { zh, en } = typeof allowed === "string" ? { zh: allowed, en: allowed } : allowed;
  if (value === undefined)
    return { problem: { zh: `缺少 ${name}（允许：${zh}）`, en: `${name} is missing (allowed: ${en})` } };
  const shown = `${toShortLine(name, 80)}: ${JSON.stringify(toShortLine(value, 80))}`;
  return { problem: { zh: `${shown}（允许：${zh}）`, en: `${shown} (allowed: ${en})` } };
}

function describeLengths(most: number): Text {
  return { zh: `1 到 ${most} 个字符`, en: `1 to ${most} characters` };
}

const nameOfServer: Text = {
  zh: "已配置的 MCP 服务器的名称，不含空格、冒号、括号和 *",
  en: "the name of a configured MCP server, without spaces, colons, brackets and *",
};
