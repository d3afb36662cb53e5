import { quoteBlock } from "../result-text.ts";
import { address } from "../text-patterns.ts";
import { getTextArgument, type Rule } from "./rule.ts";

/** Reads the page at an address. */
export const fetchPage: Rule = {
  tools: ["read_page", "fetch", "fetch_url", "web_fetch", "read_url"],
  example: { zh: "读取 https://example.com", en: "fetch https://example.com" },
  read(request) {
    const url = address.exec(request)?.[0];
    if (url === undefined || !URL.canParse(url)) return undefined;
    return { arguments: { url } };
  },
  purpose: (args) => ({ zh: `读取 ${getTextArgument(args, "url")}`, en: `read ${getTextArgument(args, "url")}` }),
  tell(result, args, locale) {
    if (result === "") {
      const url = getTextArgument(args, "url");
      return locale === "zh" ? `${url} 没有内容。` : `${url} is empty.`;
    }
    const { title, text } = pageIn(result) ?? { title: getTextArgument(args, "url"), text: result };
    const lead = locale === "zh" ? `${title} 的内容：` : `The content of ${title}:`;
    return `${lead}\n\n${quoteBlock(text)}`;
  },
};

/** A page under its number: `[n] title`, address, and what it says. */
function pageIn(result: string): { title: string; text: string } | undefined {
  const [, n, title = "", url = "", text = ""] = /^\s*\[(\d{1,4})\] (.*)\n(https?:\S+)\n([\s\S]*)$/.exec(result) ?? [];
  return n === undefined ? undefined : { title: `${title.trim() || url} [${n}]`, text: text.trim() };
}
