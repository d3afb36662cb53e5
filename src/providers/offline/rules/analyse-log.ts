import { quoteBlock } from "../result-text.ts";
import { removeQuotes } from "../text-patterns.ts";
import { getTextArgument, type Rule } from "./rule.ts";

/** Sums up a log file. */
export const analyseLog: Rule = {
  tools: ["log_transform"],
  example: { zh: "分析 data/logs/app.log", en: "analyse data/logs/app.log" },
  read(request) {
    if (!asksForIt.test(request)) return undefined;
    const path = aPath.exec(request)?.[0];
    if (path !== undefined) return { arguments: { path: removeQuotes(path) } };
    return aboutLogs.test(request) ? { refusal: noPath } : undefined;
  },
  purpose: (args) => ({ zh: `分析 ${getTextArgument(args, "path")}`, en: `analyse ${getTextArgument(args, "path")}` }),
  tell(result, args, locale) {
    const path = getTextArgument(args, "path");
    if (result === "") return locale === "zh" ? `${path} 是空的。` : `${path} is empty.`;
    return `${locale === "zh" ? `${path} 的分析结果：` : `What ${path} holds:`}\n\n${quoteBlock(result)}`;
  },
};

const asksForIt =
  /分析|解析|总结|统计|汇总|查看|看看|看一下|看一看|检查|排查|错误|报错|errors?|analy[sz]e|analysis|parse|summari[sz]e|inspect|look (?:at|into)|check|transform|read/i;

// A quoted name, or a run of path characters, that ends like a log.
const aPath =
  /["'“‘「`][^"'“”‘’「」`\n]+\.(?:log|out|err)(?:\.\d+)?["'”’」`]|(?<![\w./\\~-])[\w./\\~:-]*[\w-]\.(?:log|out|err)(?:\.\d+)?(?![\w])|(?<=(?:日志(?:文件)?|log(?: ?file)?)\s*[:：]?\s*)[\w./\\~-]*[\w-]\.(?:txt|json|jsonl)(?!\w)/i;

const aboutLogs = /日志(?:文件)?$|(?:^|\s)log(?:s| ?files?)$/i;

const noPath = {
  zh: "请写出日志文件的路径，例如“分析 data/logs/app.log”。",
  en: 'Name the log file, for instance "analyse data/logs/app.log".',
};
