import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import { type Choice, type FormField, readForm } from "../../core/forms/form.ts";
import { findValueProblem } from "../../core/forms/form-value.ts";
import type { QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { type JsonSchema, toText } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitize, toSafeJson } from "../../kit/text/sanitize.ts";
import { describeLimitQuestion } from "../choice-texts.ts";
import { renderPlan } from "../plan-lines.ts";

/** Holds a question in the words of an MCP elicitation, which says who asks. It is what hosts show, and what the HTTP API calls its message. */
export type ElicitationWording =
  | { kind: "form"; message: string; schema: JsonSchema }
  | { kind: "url"; message: string; url: string };

/** Puts a question into words for a program that can show forms and addresses. */
export function toElicitation<K extends QuestionKind>(question: UserQuestion<K>, locale: Locale): ElicitationWording {
  return wordings[question.kind].ask(question, locale);
}

/** Reads what the user replied to the elicitation. Returns undefined when the reply is not from a user. */
export function fromElicitationReply<K extends QuestionKind>(
  question: UserQuestion<K>,
  reply: ElicitationReply,
): UserReply<K> | undefined {
  return findReplyProblem(question, reply) === undefined ? wordings[question.kind].read(reply, question) : undefined;
}

/**
 * Says which value of a reply the elicitation does not offer; such a reply decides nothing. Undefined where all of them are offered: what was
 * left out has its default, and what was not asked for is ignored. The form of a server below is for that server to check.
 */
export function findReplyProblem<K extends QuestionKind>(
  question: UserQuestion<K>,
  reply: ElicitationReply,
): Text | undefined {
  if (question.kind === "form" || reply.action !== "accept" || reply.content === undefined) return undefined;
  const words = toElicitation(question, "en");
  const fields = words.kind === "form" ? (readForm(words.schema) ?? []) : [];
  for (const field of fields) {
    const value = reply.content[field.name];
    const problem = value === undefined ? undefined : findValueProblem(field, value);
    if (problem) return describeValue(field, value, problem);
  }
  return undefined;
}

function describeValue(field: FormField, value: unknown, problem: Text): Text {
  const { zh, en } = field.kind === "choice" ? listChoices(field.choices) : problem;
  const shown = showValue(value);
  return {
    zh: `${field.name} 的值 ${shown} 无效（允许：${zh}）。`,
    en: `invalid value ${shown} for ${field.name} (allowed: ${en}).`,
  };
}

function listChoices(choices: readonly Choice[]): Text {
  const list = choices.map(({ value }) => value).join(", ");
  return { zh: list, en: list };
}

interface Wording<K extends QuestionKind> {
  ask(question: UserQuestion<K>, locale: Locale): ElicitationWording;
  read(reply: ElicitationReply, question: UserQuestion<K>): UserReply<K> | undefined;
}

const wordings: { [K in QuestionKind]: Wording<K> } = {
  call: {
    ask({ tool, rule, reason, arguments: args, onlyOnce }, locale) {
      const words = {
        zh: `允许调用 ${tool} 吗？（规则 ${rule}）`,
        en: `Allow the call of ${tool}? (rule ${rule})`,
      };
      const lines = [say(locale, words), toSafeJson(args, 2), ...(reason === undefined ? [] : [reason])];
      const message = sanitize(lines.join("\n"));
      return { kind: "form", message, schema: toObjectSchema(onlyOnce ? {} : { scope: createScopeField(locale) }) };
    },
    read(reply, { onlyOnce }) {
      if (reply.action !== "accept") return reply.action === "decline" ? "no" : "dismissed";
      return !onlyOnce && reply.content?.scope === "conversation" ? "conversation" : "once";
    },
  },
  plan: {
    ask({ steps }, locale) {
      const words = { zh: "执行这个计划吗？", en: "Run this plan?" };
      const change = {
        type: "string",
        title: say(locale, { zh: "要修改什么", en: "What to change" }),
        description: say(locale, { zh: "留空即按计划执行", en: "Leave empty to proceed" }),
      };
      const message = sanitize(`${say(locale, words)}\n${renderPlan(steps, locale).join("\n")}`);
      return { kind: "form", message, schema: toObjectSchema({ change }) };
    },
    read(reply) {
      if (reply.action !== "accept") return reply.action === "decline" ? { reply: "no" } : undefined;
      const words = toText(reply.content?.change).trim();
      return words === "" ? { reply: "yes" } : { reply: "edit", words };
    },
  },
  form: {
    ask: ({ from, message, schema }) => ({ kind: "form", message: `[${from}] ${message}`, schema }),
    read: (reply) => reply,
  },
  limit: {
    ask: (question, locale) => ({
      kind: "form",
      message: say(locale, describeLimitQuestion(question)),
      schema: toObjectSchema({}),
    }),
    read: ({ action }) => (action === "accept" ? "go_on" : "stop"),
  },
  url: {
    ask: ({ from, message, url }) => ({ kind: "url", message: `[${from}] ${message}`, url }),
    read: (reply) => reply,
  },
};

function toObjectSchema(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}

/** Creates the field in the words that every revision of the protocol knows. */
function createScopeField(locale: Locale): JsonSchema {
  return {
    type: "string",
    title: say(locale, { zh: "范围", en: "Scope" }),
    enum: ["once", "conversation"],
    enumNames: [
      say(locale, { zh: "仅这一次", en: "this call" }),
      say(locale, { zh: "本对话中的此类调用", en: "similar calls in this conversation" }),
    ],
    default: "once",
  };
}
