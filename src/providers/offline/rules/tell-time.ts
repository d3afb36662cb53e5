import { parseResult, renderResult } from "../result-text.ts";
import { removeTail } from "../text-patterns.ts";
import { getTextArgument, type Rule, type RuleMatch } from "./rule.ts";
import { findTimeZone } from "./time-zones.ts";

/** The time and the date, here or in a city. */
export const tellTime: Rule = {
  tools: ["current_time", "get_current_time"],
  example: { zh: "东京现在几点", en: "what time is it in Tokyo" },
  read(request): RuleMatch | undefined {
    const text = removeTail(request);
    const asked = patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    if (asked === undefined) return undefined;
    const { place, now } = asked.groups ?? {};
    if (place === undefined || place.trim() === "") return { arguments: {} };
    const timezone = findTimeZone(place.trim());
    if (timezone === "here") return { arguments: {} };
    if (timezone !== undefined) return { arguments: { timezone } };
    // "The meeting's time" is no question for the clock; "the time in Atlantis" is one that it cannot answer.
    return now === undefined ? undefined : { refusal: unknownPlace(place.trim()) };
  },
  purpose(args) {
    const zone = getTextArgument(args, "timezone");
    if (zone === "") return { zh: "查看现在的时间", en: "read the clock" };
    return { zh: `查看 ${zone} 现在的时间`, en: `read the time in ${zone}` };
  },
  tell(result, _args, locale) {
    // The second line of our own clock repeats the first in ISO 8601.
    const [first = "", second = ""] = result.split("\n");
    if (first === "" || parseResult(result) !== undefined || !second.startsWith("ISO 8601"))
      return renderResult(result);
    return locale === "zh" ? `现在是 ${first}。` : `It is ${first}.`;
  },
};

const clock = "几点钟?|什么时间|时间|日期|几号|几月几[号日]|几月|哪[一]?天|星期几|周几|礼拜几|什么日子";
const nowWords = "今天|今日|现在|当前|此刻|目前";
const patterns = [
  new RegExp(
    `^(?:告诉我|看看|看一下|查一下|查询)?(?:${nowWords})?的?(?<place>[^\\s，。,.]{2,10}?|[a-z/_ ]{2,40}?)?\\s?的?(?<now>${nowWords})?(?:的|是)?(?:${clock})(?:[和、]?(?:${clock}))*(?:是?(?:几点|多少|什么))?[了啊呀]?$`,
    "i",
  ),
  /^(?:what(?:'s| is)?\s|tell me\s|show(?: me)?\s|get\s|give me\s|do you know\s)?(?:what\s)?(?:the\s|today's\s)?(?:current\s|local\s)?(?:time|date)(?:\sand\s(?:the\s)?(?:time|date))?(?:\sis it|\sit is)?(?:\sright now|\snow|\stoday)?(?<now>\s(?:in|at|for)\s(?<place>[a-z/_ .'-]{2,40}?))?(?:\sright now|\snow)?$/i,
  /^(?:what|which)\s(?:day|date|year|month)(?:\sof the week)?\s(?:is it|is today|it is)(?:\stoday|\snow)?(?<now>\sin\s(?<place>[a-z/_ .'-]{2,40}?))?$/i,
  /^(?<place>[a-z/_ ]{2,40}?)(?<now>\scurrent)?\stime(?:\sright now|\snow)?$/i,
];

function unknownPlace(place: string): { zh: string; en: string } {
  return {
    zh: `不认识“${place}”的时区；请写 IANA 时区名，例如“Asia/Tokyo 现在几点”。`,
    en: `The time zone of "${place}" is not known; name an IANA zone, for instance "what time is it in Asia/Tokyo".`,
  };
}
