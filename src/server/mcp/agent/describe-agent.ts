import type { Tool } from "../../../core/tools/tool.ts";
import { findFittingCalls, parseToolPatterns } from "../../../core/tools/tool-pattern.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { type Hints, type KnownServer, toAgentHints } from "./agent-annotations.ts";
import { describeTools } from "./tool-words.ts";

export interface AgentDescription {
  description: string;
  annotations: Hints;
}

export interface DescribeOptions {
  /** The rules of `tools.ask`: which calls need a person's consent. */
  ask: readonly string[];
  locale: Locale;
}

/** UTF-16 units of a whole description; it weighs in each request of the host's model. */
const longest = 1200;

/**
 * What `agent_ask` can do with the tools it has now, for a host's model: the same text for the same tools, in whatever order, and
 * of bounded length. Of tools only names are given: what servers say of theirs is untrusted.
 */
export function describeAgent(
  tools: readonly Tool[],
  servers: readonly KnownServer[],
  { ask, locale }: DescribeOptions,
): AgentDescription {
  const rules = parseToolPatterns(ask);
  const asking = tools.filter((tool) => rules.some((rule) => findFittingCalls(rule, tool) !== "none"));
  const [does, gives] = [say(locale, whatItDoes), say(locale, whatItGives)];
  const room = longest - does.length - gives.length - 2;
  const words = describeTools({ tools, asking, servers, locale }, room);
  return { description: [does, words, gives].join("\n"), annotations: toAgentHints(tools, servers) };
}

const whatItDoes: Text = {
  zh: "向智能体提问。它自己选择并调用工具，可分多步查找、核实和计算，给出带编号来源的回答。请交给它一个完整的问题，包含理解它所需的一切。",
  en: "Asks an agent that chooses and calls tools by itself, over several steps, and answers with numbered sources. Hand over one whole question with all that is needed to understand it.",
};

const whatItGives: Text = {
  zh: "文本就是完整的回答；structuredContent 有各部分：status、citations、tool_calls、conversation_id（传回它以继续同一话题）。status 为 running 表示还没有完成：用它的 run_id 调用 agent_result。为 needs_confirmation 时，先给用户看要确认的内容，再以用户的答复为 question、连同 confirmation 再次调用。",
  en: "The text is the whole answer; structuredContent has its parts: status, citations, tool_calls, conversation_id (pass it back to go on with the topic). Status running: it is not done yet, so call agent_result with its run_id. Status needs_confirmation: show the user what is to be confirmed, then call again with the user's reply as question and with confirmation.",
};

/**
 * The same for a Duet above, which stops a tool whose words change until a person has approved it, and which may be this one: nothing
 * is waited for. It says nothing of destroying: each dangerous call of ours is asked about by itself, through the one above.
 */
export function describeForAgents(locale: Locale): AgentDescription {
  return {
    description: [say(locale, whatItDoes), say(locale, whatItGives)].join("\n"),
    annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
  };
}
