import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { ConversationEntry, RunEntry } from "../../../app/open-duet.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/short-line.ts";
import { conversationTemplate, runTemplate, toConversationUri, toRunUri } from "./resource-uri.ts";

export const jsonType = "application/json";

export function toConversationResource({ id, title, turns, updatedAt }: ConversationEntry, locale: Locale): Resource {
  const name = shownName(title || id);
  const time = timeOf(updatedAt);
  const count = say(locale, { zh: `${turns} 轮问答`, en: turns === 1 ? "1 turn" : `${turns} turns` });
  return {
    uri: toConversationUri(id),
    name,
    title: say(locale, { zh: `对话：${name}`, en: `Conversation: ${name}` }),
    description: time ? say(locale, { zh: `${count}，最近一次 ${time}`, en: `${count}, last asked ${time}` }) : count,
    mimeType: jsonType,
    annotations: { ...forBoth, lastModified: time },
  };
}

export function toRunResource({ id, question, status, startedAt }: RunEntry, locale: Locale): Resource {
  const name = shownName(question || id);
  const time = timeOf(startedAt);
  return {
    uri: toRunUri(id),
    name,
    title: say(locale, { zh: `运行：${name}`, en: `Run: ${name}` }),
    description: time ? say(locale, { zh: `${status}，开始于 ${time}`, en: `${status}, begun ${time}` }) : status,
    mimeType: jsonType,
    annotations: { ...forBoth, lastModified: time },
  };
}

export function listResourceTemplates(locale: Locale): ResourceTemplateType[] {
  return [
    {
      uriTemplate: runTemplate,
      name: "run",
      title: say(locale, { zh: "一次运行的记录", en: "The trace of a run" }),
      description: say(locale, {
        zh: "一次运行的每一步：想法、工具调用、结果、用量和费用；仍在进行的运行给出目前的情况。",
        en: "Each step of a run: thoughts, tool calls, results, tokens and cost; of a run that goes on, what is known so far.",
      }),
      mimeType: jsonType,
      annotations: forBoth,
    },
    {
      uriTemplate: conversationTemplate,
      name: "conversation",
      title: say(locale, { zh: "一个对话", en: "A conversation" }),
      description: say(locale, {
        zh: "一个对话的问题与回答、引用的来源和各次运行。",
        en: "What was asked and answered in a conversation, its sources and its runs.",
      }),
      mimeType: jsonType,
      annotations: forBoth,
    },
  ];
}

const forBoth: NonNullable<Resource["annotations"]> = { audience: ["user", "assistant"] };

/** A question may hold anything, and be long. */
function shownName(question: string): string {
  return toShortLine(question, 80);
}

/** As MCP wants times; undefined for what is none. */
function timeOf(time: string): string | undefined {
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}
