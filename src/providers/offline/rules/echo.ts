import { renderResult } from "../result-text.ts";
import { removeQuotes } from "../text-patterns.ts";
import { getTextArgument, type Rule } from "./rule.ts";

/** Says something back. */
export const echo: Rule = {
  tools: ["echo"],
  verbatim: true,
  example: { zh: "回显 你好", en: "echo hello" },
  read(request) {
    const text = patterns.map((pattern) => pattern.exec(request)?.[1]).find((said) => said !== undefined);
    return text === undefined ? undefined : { arguments: { text: removeQuotes(text) } };
  },
  purpose: (args) => ({
    zh: `回显“${getTextArgument(args, "text")}”`,
    en: `say "${getTextArgument(args, "text")}" back`,
  }),
  tell: renderResult,
};

const patterns = [
  /^(?:用|使用|调用)\s*echo\s*(?:工具)?\s*(?:来)?(?:回显|输出|返回|重复|说)?\s*[:：]?\s*(\S.*)$/is,
  /^(?:use|call)\s+(?:the\s+)?echo(?:\s+tool)?\s+(?:to\s+(?:say|repeat|return|print)\s+)?(\S.*)$/is,
  /^(?:echo(?![a-z])|回显|复述)\s*[:：]?\s*(\S.*)$/is,
];
