import { quoteBlock, sourcesIn } from "../result-text.ts";
import { type Rule, textOf } from "../rule.ts";
import { address } from "../wording.ts";

/** Reads the page at an address. */
export const fetchPage: Rule = {
  tools: ["fetch", "read_page", "fetch_url", "web_fetch", "read_url"],
  example: { zh: "读取 https://example.com", en: "fetch https://example.com" },
  read(request) {
    const url = address.exec(request)?.[0];
    if (url === undefined || !URL.canParse(url)) return undefined;
    return { arguments: { url } };
  },
  purpose: (args) => ({ zh: `读取 ${textOf(args, "url")}`, en: `read ${textOf(args, "url")}` }),
  tell(result, args, locale) {
    const [source] = sourcesIn(result);
    const url = textOf(args, "url") || source?.url || "";
    if (result === "") return locale === "zh" ? `${url} 没有内容。` : `${url} is empty.`;
    const page = source ? `${source.title || url} [${source.n}]` : url;
    const lead = locale === "zh" ? `${page} 的内容：` : `The content of ${page}:`;
    return `${lead}\n\n${quoteBlock(source ? source.snippet : result)}`;
  },
};
