import { type FormField, readForm } from "../../core/forms/form.ts";
import { readPlanReply } from "../../core/questions/plan-reply.ts";
import type { QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { noWords, readYesNo, yesWords } from "../../core/questions/yes-no.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { describeLimitQuestion, limitReplies } from "../choice-texts.ts";
import { renderPlan } from "../plan-lines.ts";
import type { ReviewLine } from "./review-lines.ts";

/** Holds a question in the words of a terminal: lines, then fields to fill in one by one, then one reply. */
export interface TerminalWording<R> {
  lines: readonly (string | ReviewLine)[];
  /** Is true when the lines repeat what an event has shown, so that they are left out where events are shown. */
  repeatsEvent?: boolean;
  fields?: readonly FormField[];
  /** Is shown before the place where the reply is typed. */
  query: string;
  /** Is shown after a line that is no reply. */
  hint: string;
  /** Holds the replies to choose from, where the reply is chosen. A person picks one from a list or types one of its words. */
  list?: { title: string; choices: readonly TerminalChoice<R>[] };
  /** Reads a typed line that is no command of the question; undefined when it is no reply. */
  read?(line: string, content: JsonObject): R | undefined;
  /** Holds what the question's own commands reply, such as `/decline`. They work in the fields as well. */
  commands?: Readonly<Record<string, R>>;
  /** Is the reply when the input ends or `/exit` is typed. */
  left: R;
  /** Is true when that reply ends the run, so that it cannot ask again. */
  endsRun?: boolean;
  /** Is shown when the question is withdrawn. */
  withdrawn?: string;
}

export interface TerminalChoice<R> {
  value: R;
  label: string;
  words: readonly string[];
  /** Asks for words that make the reply, when the choice is taken. Without any words the reply is the value. */
  ask?: { query: string; toReply(words: string): R };
}

/** Names the kinds of questions that need nothing but the question itself; `wordCall` words the others. */
type PlainKind = Exclude<QuestionKind, "call">;

export interface TerminalOptions {
  locale: Locale;
  /** Is true where `/exit` leaves the chat. */
  canLeave: boolean;
}

/** Puts a question into words for a terminal. What a server says stands behind a bar, which marks it as not ours. */
export function toTerminalWording<K extends PlainKind>(
  question: UserQuestion<K>,
  options: TerminalOptions,
): TerminalWording<UserReply<K>> {
  return wordings[question.kind](question, options);
}

const wordings: {
  [K in PlainKind]: (question: UserQuestion<K>, options: TerminalOptions) => TerminalWording<UserReply<K>>;
} = { plan: wordPlan, form: wordForm, limit: wordLimit, url: wordUrl };

function wordLimit(question: UserQuestion<"limit">, { locale }: TerminalOptions): TerminalWording<UserReply<"limit">> {
  const title = say(locale, describeLimitQuestion(question));
  return {
    lines: [],
    list: {
      title,
      choices: [
        { value: "go_on", words: [...yesWords], label: say(locale, limitReplies.go_on) },
        { value: "stop", words: [...noWords], label: say(locale, limitReplies.stop) },
      ],
    },
    query: `${title} [y/n] `,
    hint: say(locale, { zh: "请输入 y 或 n。", en: "Type y or n." }),
    left: "stop",
  };
}

function wordPlan({ steps }: UserQuestion<"plan">, { locale }: TerminalOptions): TerminalWording<UserReply<"plan">> {
  const query = { zh: "确认执行？[y/n/修改意见] ", en: "Run the plan? [y/n/what to change] " };
  const hint = {
    zh: "这里不接受命令：请输入 y、n 或修改意见；/exit 取消计划并退出。",
    en: "Commands do not work here: type y, n or what to change; /exit cancels the plan and exits.",
  };
  return {
    lines: renderPlan(steps, locale),
    repeatsEvent: true,
    query: say(locale, query),
    hint: say(locale, hint),
    read: (line) => (line.startsWith("/") ? undefined : readPlanReply(line)),
    left: { reply: "no" },
    endsRun: true,
  };
}

function wordForm(
  { from: server, message, schema }: UserQuestion<"form">,
  { locale }: TerminalOptions,
): TerminalWording<UserReply<"form">> {
  const fields = readForm(schema) ?? [];
  const from = sanitizeLine(server);
  const head = { zh: `❓ MCP 服务器 ${from} 提问：`, en: `❓ The MCP server ${from} asks:` };
  const advice = {
    zh: `  /decline 拒绝，/cancel 取消。${from} 会看到你输入的内容：不要输入密码或密钥。`,
    en: `  /decline declines, /cancel cancels. ${from} sees what you type: never type a password or a key.`,
  };
  const query =
    fields.length === 0
      ? { zh: `对 ${from} 回答“是”？[y/n] `, en: `Answer yes to ${from}? [y/n] ` }
      : { zh: `把以上内容发送给 ${from}？[y/n] `, en: `Send this to ${from}? [y/n] ` };
  return {
    ...wordElicitation(locale),
    lines: [say(locale, head), ...quoteMessage(message), say(locale, advice)],
    fields,
    query: say(locale, query),
    read: (line, content) => readConsent(line, { action: "accept", content }),
  };
}

/** The address is shown; nothing is opened. */
function wordUrl(
  { from: server, message, url }: UserQuestion<"url">,
  { locale }: TerminalOptions,
): TerminalWording<UserReply<"url">> {
  const from = sanitizeLine(server);
  const host = sanitizeLine(URL.canParse(url) ? new URL(url).host : "?");
  const head = {
    zh: `🔗 MCP 服务器 ${from} 请你打开一个网页：`,
    en: `🔗 The MCP server ${from} asks you to open a page:`,
  };
  const address = {
    zh: `  ${sanitizeLine(url)}\n  主机：${host}`,
    en: `  ${sanitizeLine(url)}\n  Host: ${host}`,
  };
  const advice = {
    zh: "  没有替你打开任何网页；确认主机可信再自行打开。/decline 拒绝，/cancel 取消。",
    en: "  Nothing was opened. Open it yourself if you trust that host. /decline declines, /cancel cancels.",
  };
  return {
    ...wordElicitation(locale),
    lines: [say(locale, head), ...quoteMessage(message), say(locale, address), say(locale, advice)],
    query: say(locale, { zh: "你已经打开并完成了吗？[y/n] ", en: "Have you finished there? [y/n] " }),
    read: (line) => readConsent(line, { action: "accept" }),
  };
}

/** Returns what all questions of servers have in common. */
function wordElicitation(locale: Locale) {
  return {
    hint: say(locale, yesOrNo),
    commands: { "/decline": declined, "/cancel": cancelled },
    left: cancelled,
    withdrawn: say(locale, { zh: "– 问题已撤回。", en: "– The question was withdrawn." }),
  };
}

const cancelled: UserReply<"form"> = { action: "cancel" };
const declined: UserReply<"form"> = { action: "decline" };

function readConsent(line: string, accepted: UserReply<"form">): UserReply<"form"> | undefined {
  const answer = readYesNo(line);
  if (answer === undefined) return undefined;
  return answer ? accepted : declined;
}

export const yesOrNo: Text = { zh: "请输入 y 或 n。", en: "Type y or n." };

/** Limits the lines of a message; more would push the server's name off the screen. */
const mostLines = 40;

function quoteMessage(message: string): string[] {
  const lines = sanitize(message).split("\n");
  return quoteLines(lines.length > mostLines ? [...lines.slice(0, mostLines), "…"] : lines);
}

/** Puts a server's text behind a bar. */
export function quoteLines(lines: readonly string[]): string[] {
  return lines.map((line) => `│ ${sanitize(line)}`);
}
