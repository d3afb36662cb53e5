import { type FormField, readForm } from "../../core/forms/form.ts";
import type { QuestionKind, UserReply } from "../../core/questions/user-question.ts";
import type { ApprovalDecision } from "../../core/tools/tool.ts";
import type { JsonObject, JsonSchema } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { approvalNames, limitReplies } from "../choice-texts.ts";

/** Holds a question in the words of the web page: a title, details, and a button for each reply. */
export interface PageWording<R> {
  title: string;
  details: readonly PageDetail[];
  choices: readonly PageChoice<R>[];
}

export type PageDetail =
  /** `json` is shown as it is written, `words` are a server's own, `facts` is a line about the question, `hint` advises the person. */
  | { kind: "json" | "words" | "facts" | "hint"; text: string }
  | { kind: "address"; url: string }
  | { kind: "fields"; fields: readonly FormField[] };

type Look = "primary" | "danger";

export type PageChoice<R> = { label: string; look?: Look | undefined } & (
  | { kind: "reply"; reply: R }
  /** Sends what is filled into the fields. */
  | { kind: "form"; toReply(content: JsonObject): R }
  /** Opens a field for a text, which its own button sends. */
  | { kind: "text"; field: string; send: string; toReply(words: string): R }
);

/** Holds the fields of a question that the page shows. A field of another kind is empty. It shows a plan's steps elsewhere. */
export interface PageQuestion {
  kind: QuestionKind;
  tool: string;
  arguments: unknown;
  rule: string;
  reason: string;
  onlyOnce: boolean;
  from: string;
  message: string;
  schema: JsonSchema;
  url: string;
}

/** Puts a question into words for the page. */
export function toPageWording(question: PageQuestion, locale: Locale): PageWording<UserReply> {
  return wordings[question.kind](question, locale);
}

/** Returns true for the kinds of questions that the page knows. */
export function isQuestionKind(kind: string): kind is QuestionKind {
  return Object.hasOwn(wordings, kind);
}

const wordings: { [K in QuestionKind]: (question: PageQuestion, locale: Locale) => PageWording<UserReply<K>> } = {
  call: wordCall,
  plan: wordPlan,
  form: wordForm,
  limit: wordLimit,
  url: wordUrl,
};

/** All arguments are shown: what is out of sight would be agreed to unseen. */
function wordCall(
  { tool, rule, reason, arguments: args, onlyOnce }: PageQuestion,
  locale: Locale,
): PageWording<UserReply<"call">> {
  const json = sanitize(JSON.stringify(args, undefined, 2) ?? "null");
  const ruleLine = say(locale, { zh: "规则：", en: "Rule: " }) + sanitizeLine(rule);
  const choose = (reply: ApprovalDecision, look?: Look) => createReply(locale, approvalNames[reply], reply, look);
  return {
    title: `${say(locale, { zh: "允许执行这个工具吗？", en: "Let this tool run?" })} ${sanitizeLine(tool)}`,
    details: [
      { kind: "json", text: json },
      ...(rule === "" ? [] : [{ kind: "facts", text: ruleLine } as const]),
      ...(reason === "" ? [] : [{ kind: "hint", text: sanitize(reason) } as const]),
    ],
    choices: [
      choose("once", "primary"),
      ...(onlyOnce ? [] : [choose("conversation")]),
      choose("no", "danger"),
      ...(onlyOnce ? [] : [choose("never", "danger")]),
    ],
  };
}

function wordLimit({ message }: PageQuestion, locale: Locale): PageWording<UserReply<"limit">> {
  return {
    title: sanitizeLine(message),
    details: [],
    choices: [
      createReply(locale, limitReplies.go_on, "go_on", "primary"),
      createReply(locale, limitReplies.stop, "stop"),
    ],
  };
}

/** The plan itself is already shown above, as a list. */
function wordPlan(_: PageQuestion, locale: Locale): PageWording<UserReply<"plan">> {
  return {
    title: say(locale, { zh: "执行这个计划吗？", en: "Run this plan?" }),
    details: [],
    choices: [
      createReply(locale, { zh: "确认执行", en: "Run it" }, { reply: "yes" }, "primary"),
      {
        kind: "text",
        label: say(locale, { zh: "修改", en: "Change" }),
        field: say(locale, { zh: "要修改什么", en: "What to change" }),
        send: say(locale, { zh: "提交修改", en: "Send the change" }),
        toReply: (words) => ({ reply: "edit", words }),
      },
      createReply(locale, cancel, { reply: "no" }, "danger"),
    ],
  };
}

function wordForm({ from, message, schema }: PageQuestion, locale: Locale): PageWording<UserReply<"form">> {
  const fields = readForm(schema);
  const asks = { zh: "有一个工具在提问", en: "A tool asks" };
  const hint = {
    zh: "对方会看到你输入的内容：不要输入密码或密钥。",
    en: "Whoever asks sees what you type: never type a password or a key.",
  };
  const wording = wordElicitation(asks, from, message, locale);
  // A form that cannot be shown cannot be sent either.
  if (fields === undefined) return wording;
  return {
    title: wording.title,
    details: [...wording.details, { kind: "fields", fields }, { kind: "hint", text: say(locale, hint) }],
    choices: [
      {
        kind: "form",
        label: say(locale, { zh: "提交", en: "Send" }),
        look: "primary",
        toReply: (content) => ({ action: "accept", content }),
      },
      ...wording.choices,
    ],
  };
}

function wordUrl({ from, message, url }: PageQuestion, locale: Locale): PageWording<UserReply<"url">> {
  const asks = { zh: "有一个工具请你打开一个网页", en: "A tool asks you to open a page" };
  const host = URL.canParse(url) ? new URL(url).host : "?";
  const advice = {
    zh: "没有替你打开任何网页；确认主机可信再自行打开。",
    en: "Nothing was opened. Open it yourself if you trust that host.",
  };
  const done = { zh: "我已完成", en: "I have finished there" };
  const { title, details, choices } = wordElicitation(asks, from, message, locale);
  return {
    title,
    details: [
      ...details,
      { kind: "address", url },
      { kind: "facts", text: say(locale, { zh: "主机：", en: "Host: " }) + sanitizeLine(host) },
      { kind: "hint", text: say(locale, advice) },
    ],
    choices: [createReply(locale, done, { action: "accept" }, "primary"), ...choices],
  };
}

/** Returns what all questions of servers have in common. */
function wordElicitation(asks: Text, from: string, message: string, locale: Locale): PageWording<UserReply<"form">> {
  const name = sanitizeLine(from);
  return {
    title: say(locale, asks) + (name && ` · ${name}`),
    details: [{ kind: "words", text: sanitize(message) }],
    choices: [
      createReply(locale, { zh: "拒绝", en: "Decline" }, { action: "decline" }, "danger"),
      createReply(locale, cancel, { action: "cancel" }),
    ],
  };
}

function createReply<R>(locale: Locale, label: Text, reply: R, look?: Look): PageChoice<R> {
  return { kind: "reply", label: say(locale, label), reply, look };
}

const cancel: Text = { zh: "取消", en: "Cancel" };
