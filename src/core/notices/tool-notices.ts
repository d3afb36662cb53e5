import type { Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { defineNotice } from "./define-notice.ts";

/** Lists the notices about tools, MCP servers and agents that a run lacks or may not use. */
export const toolNotices = {
  nestedTooDeep: defineNotice("nested-too-deep", {
    level: "warning",
    isInResult: false,
    text: (depth: number) => ({
      zh: `Duet 已嵌套启动 ${depth} 层，为避免循环没有启动 MCP 服务器。`,
      en: `Duet is nested ${depth} levels deep; to break the loop, no MCP server was started here.`,
    }),
  }),
  serverUnavailable: defineNotice("server-unavailable", {
    level: "warning",
    isInResult: true,
    text: ({ name, why }: { name: string; why: Text }) => ({
      zh: `MCP 服务器 ${name} 不可用，其余照常：${why.zh}`,
      en: `MCP server ${name} is unavailable; continuing without it: ${why.en}`,
    }),
  }),
  /** Is told where patterns of the question's `tools` match no tool; `why` says so of those that name a server which is missing. */
  toolsUnmatched: defineNotice("tools-unmatched", {
    level: "warning",
    isInResult: true,
    text(patterns: readonly { written: string; why: Text | undefined }[]) {
      const shown = patterns.slice(0, 5).map(({ written, why }) => {
        const name = JSON.stringify(truncate(written, 80));
        return why === undefined ? { zh: name, en: name } : { zh: `${name}（${why.zh}）`, en: `${name} (${why.en})` };
      });
      const rest = patterns.length - shown.length;
      const more = rest === 0 ? { zh: "", en: "" } : { zh: ` 等 ${patterns.length} 项`, en: ` and ${rest} more` };
      return {
        zh: `tools 中的以下条目没有匹配到任何工具：${shown.map(({ zh }) => zh).join("、")}${more.zh}`,
        en: `No tool matches these entries of tools: ${shown.map(({ en }) => en).join(", ")}${more.en}`,
      };
    },
  }),
  resultMisfit: defineNotice("result-misfit", {
    level: "warning",
    isInResult: false,
    text: ({ server, tool, misfit }: { server: string; tool: string; misfit: Text }) => ({
      zh: `MCP 服务器 ${server} 的工具 ${tool} 有缺陷：结果${misfit.zh}。结果照常使用。`,
      en: `The tool ${tool} of the MCP server ${server} has a bug: its result ${misfit.en}. The result is used as it is.`,
    }),
  }),
  /** `rest` counts the findings after the first. */
  serverSuspicious: defineNotice("server-suspicious", {
    level: "warning",
    isInResult: false,
    text: ({ name, first, rest }: { name: string; first: Text; rest: number }) => ({
      zh: `MCP 服务器 ${name} 有需要查看之处${rest === 0 ? "" : `（另有 ${rest} 项）`}：${first.zh}。详见 duet tools`,
      en: `The MCP server ${name} has something to review${rest === 0 ? "" : ` (and ${rest} more)`}: ${first.en}. See duet tools`,
    }),
  }),
  toolsUnapproved: defineNotice("tools-unapproved", {
    level: "warning",
    isInResult: false,
    text: ({ name, waiting }: { name: string; waiting: number }) => ({
      zh: `MCP 服务器 ${name} 有 ${waiting} 个工具是新的或有变化，批准前不会使用：duet tools approve ${name}，在聊天中 /tools approve ${name}`,
      en: `${formatCount(waiting, "tool")} of the MCP server ${name}, new or changed, will not be used until approved: duet tools approve ${name}, or /tools approve ${name} in the chat`,
    }),
  }),
  toolBroken: defineNotice("tool-broken", {
    level: "warning",
    isInResult: false,
    text: (problem: Text) => ({
      zh: `你的一个工具不能使用，其余照常：${problem.zh}`,
      en: `One of your own tools was skipped: ${problem.en}`,
    }),
  }),
  /** Is told by the rules of consent, which know why a call was not run. */
  approvalMissing: defineNotice("approval-missing", { level: "info", isInResult: true, text: (why: Text) => why }),
  /** Is told where another agent does not continue the session that it had for the conversation. */
  agentSessionLost: defineNotice("agent-session-lost", { level: "info", isInResult: true, text: (why: Text) => why }),
  /** Is told where a question asks for something that another agent is not told. */
  agentNotTold: defineNotice("agent-not-told", {
    level: "warning",
    isInResult: true,
    text: ({ name, what }: { name: string; what: Text }) => ({
      zh: `没有告诉智能体 ${name}：${what.zh}`,
      en: `The agent ${name} was not told of: ${what.en}`,
    }),
  }),
};
