import type { CallReview } from "../../core/questions/call-review.ts";
import type { UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { noWords, yesWords } from "../../core/questions/yes-no.ts";
import { say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { approvalNames } from "../choice-texts.ts";
import { type ReviewLine, renderReview } from "./review-lines.ts";
import { showLookAlikes } from "./show-arguments.ts";
import type { TerminalChoice, TerminalOptions, TerminalWording } from "./terminal-wording.ts";

/** Is a reply, or what the terminal does before there is one: it saves a rule and allows, or shows all of a long call. */
export type CallChoice = UserReply<"call"> | "save" | "show";

export interface CallOptions extends TerminalOptions {
  review: CallReview;
  /** Shows the rule that "always" would save; absent where none may be saved. */
  savedRule?: string | undefined;
  isSpoken?: boolean | undefined;
  /** Is true once a person has asked for all of a long call. */
  isUnlimited?: boolean | undefined;
}

/**
 * Puts the question about a call into words. More than this call is offered only where that is allowed and all of it was shown. Nothing is
 * chosen beforehand: an Enter that was meant for something else agrees to nothing.
 */
export function wordCall(
  { tool: name, rule, reason, onlyOnce }: UserQuestion<"call">,
  { locale, canLeave, review, savedRule, isSpoken, isUnlimited }: CallOptions,
): TerminalWording<CallChoice> {
  const { lines, isWhole } = renderReview(review, { locale, isSpoken, isUnlimited });
  const tool = showLookAlikes(sanitizeLine(name));
  const from = describeAsker(name, rule);
  const head = {
    zh: `🔐 需要同意 · ${tool} · 规则 ${rule}${from.zh}`,
    en: `🔐 needs consent · ${tool} · rule ${rule}${from.en}`,
  };
  const mayLast = isWhole && !onlyOnce;
  const shownRule = mayLast ? savedRule && showLookAlikes(sanitizeLine(savedRule)) : undefined;
  // It names the tool again: long arguments may have pushed the first line off the screen.
  const title = {
    zh: `允许执行 ${tool}？${isWhole ? "" : "参数没有全部显示，只能允许这一次。"}`,
    en: `Let ${tool} run?${isWhole ? "" : " Not all arguments are shown, so a yes applies to this call only."}`,
  };
  const offered = choices.filter(
    ({ value }) =>
      (value !== "conversation" || mayLast) && (value !== "save" || shownRule) && (value !== "show" || !isWhole),
  );
  const widest = shownRule ? "save" : "conversation";
  const letters = offered.flatMap(({ letter, short }) => (short ? [`${letter} ${say(locale, short)}`] : []));
  const typed = offered.flatMap(({ letter, short }) => (short ? [letter] : []));
  const hint = {
    zh: `请输入 ${typed.join("、")} 或 never（本次对话中都不允许）${canLeave ? "；/exit 拒绝并退出" : ""}。`,
    en: `Type ${typed.join(", ")} or never, which refuses for the rest of this conversation${canLeave ? "; /exit declines and exits" : ""}.`,
  };
  const saving = {
    zh: `选择“以后都允许”会保存这条规则：${shownRule}`,
    en: `"Always" would save this rule: ${shownRule}`,
  };
  return {
    lines: [
      sanitizeLine(say(locale, head)),
      ...lines,
      ...(reason === undefined ? [] : [showLookAlikes(sanitizeLine(reason))]),
      ...(shownRule ? [{ role: "note", gutter: "", text: say(locale, saving) } satisfies ReviewLine] : []),
    ],
    list: {
      title: say(locale, title),
      choices: offered.map(({ value, words, label, asks }): TerminalChoice<CallChoice> => {
        const known = value === widest ? [...words, ...alwaysWords] : words;
        const choice = { value, words: known, label: say(locale, label) };
        if (!asks) return choice;
        return { ...choice, ask: { query: say(locale, asks), toReply: (instead) => ({ instead }) } };
      }),
    },
    query: `${say(locale, title)}${locale === "zh" ? "" : " "}[${letters.join("/")}] `,
    hint: say(locale, hint),
    left: "no",
  };
}

/** Names who asks: the server that a tool belongs to, or another agent, whose rule is its place in the configuration. */
function describeAsker(tool: string, rule: string): Text {
  const [server, own] = tool.split(/__(.*)/s);
  if (own === undefined) return { zh: "", en: "" };
  if (server !== undefined && rule === `agents.${server.slice(agentPrefix.length)}` && server.startsWith(agentPrefix)) {
    const agent = server.slice(agentPrefix.length);
    return { zh: ` · 智能体 ${agent}`, en: ` · agent ${agent}` };
  }
  return { zh: ` · 服务器 ${server}`, en: ` · server ${server}` };
}

const agentPrefix = "agent_";

interface CallRow {
  value: CallChoice;
  letter: string;
  words: readonly string[];
  label: Text;
  /** Stands behind the letter where lines are typed. */
  short?: Text;
  /** Asks for the words of the reply. Without any, the choice counts as its value. */
  asks?: Text;
}

/** Lists words for the widest that is offered: for good where a rule may be saved, else in this conversation. */
const alwaysWords = ["always", "总是"];

const choices: readonly CallRow[] = [
  {
    value: "once",
    letter: "y",
    words: [...yesWords],
    label: approvalNames.once,
    short: { zh: "这一次", en: "once" },
  },
  {
    value: "conversation",
    letter: "a",
    words: ["a", "都允许"],
    label: approvalNames.conversation,
    short: { zh: "本次对话", en: "in this conversation" },
  },
  {
    value: "save",
    letter: "s",
    words: ["s", "save", "保存"],
    label: { zh: "以后都允许（保存规则）", en: "Yes, always (saves the rule)" },
    short: { zh: "以后都", en: "always" },
  },
  { value: "no", letter: "n", words: [...noWords], label: approvalNames.no, short: { zh: "不", en: "no" } },
  {
    value: "no",
    letter: "i",
    words: ["i", "instead", "改为"],
    label: { zh: "不允许，并告诉它该怎么做", en: "No, and say what to do instead" },
    short: { zh: "说明该怎么做", en: "say what instead" },
    asks: { zh: "该怎么做？（回车：只是不允许）", en: "What should it do instead? (Enter: just no) " },
  },
  {
    value: "never",
    letter: "never",
    words: ["never", "都不允许", "总不"],
    label: approvalNames.never,
  },
  {
    value: "show",
    letter: "v",
    words: ["v", "view", "全部"],
    label: { zh: "先看全部内容", en: "Show all of it first" },
    short: { zh: "先看全部", en: "view all" },
  },
];
