import { isRecord, type JsonObject } from "../../../kit/json.ts";
import type { Locale } from "../../../kit/locale.ts";
import { parseResult, quoteBlock } from "../result-text.ts";
import { removeTail } from "../text-patterns.ts";
import { getTextArgument, type Rule } from "./rule.ts";
import { renderSources } from "./search-web.ts";

/** Answers questions about the weather of a city with Amap's tool. */
export const weather: Rule = {
  tools: ["maps_weather"],
  example: { zh: "北京天气", en: "weather in Beijing" },
  read(request) {
    const city = findCity(request);
    if (city === undefined) return undefined;
    return city === "" ? { refusal: noCity } : { arguments: { city } };
  },
  isPlain: () => true,
  purpose: (args) => ({
    zh: `查询${getTextArgument(args, "city")}的天气`,
    en: `look up the weather in ${getTextArgument(args, "city")}`,
  }),
  renderResult(result, args, locale) {
    const answer = parseResult(result);
    const days = isRecord(answer) && Array.isArray(answer.forecasts) ? answer.forecasts.filter(isRecord) : [];
    const city = (isRecord(answer) && typeof answer.city === "string" && answer.city) || getTextArgument(args, "city");
    const lead = locale === "zh" ? `${city}的天气：` : `The weather in ${city}:`;
    if (days.length === 0) return `${lead}\n\n${quoteBlock(result)}`;
    return `${lead}\n\n${days.map((day) => `- ${renderDay(day, locale)}`).join("\n")}`;
  },
};

/** Answers the same question by a web search when Amap's tool is not available. */
export const weatherOnWeb: Rule = {
  tools: ["web_search"],
  example: weather.example,
  read: (request) => (findCity(request) ? { arguments: { query: removeTail(request) } } : undefined),
  purpose: (args: JsonObject) => ({
    zh: `联网搜索“${getTextArgument(args, "query")}”`,
    en: `search the web for "${getTextArgument(args, "query")}"`,
  }),
  renderResult: renderSources,
};

/** Returns the city in a question about the weather, "" when it names none, and undefined when it is no such question. */
function findCity(request: string): string | undefined {
  const match = patterns.map((pattern) => pattern.exec(removeTail(request))).find((found) => found !== null);
  if (match === undefined) return undefined;
  return (match.groups?.city ?? "").replace(noCityWords, "").trim();
}

const when = "\\s(?:like|be|be like|look like|forecast|today|tomorrow|right now|now|this week)";
const patterns = [
  /^(?:告诉我|看看|看一下|查一下|查查|查询|查)?(?<city>[^\s，。,.]{0,20}?|[a-z .'-]{2,40}?)\s?的?(?:天气|气温)(?:预报|情况|状况)?(?:怎么样|如何|怎样|好不好|好)?[啊呀]?$/i,
  new RegExp(
    `^(?:what(?:'s| is| will)\\s|how(?:'s| is)\\s|tell me\\s|show(?: me)?\\s|get\\s|check\\s|give me\\s)?(?:the\\s)?(?:current\\s)?(?:weather|forecast)(?:${when})*(?:\\s(?:in|for|at|of)\\s(?<city>[a-z .'-]{2,40}?))?(?:${when})*$`,
    "i",
  ),
  /^(?<city>[a-z .'-]{2,40}?)(?:'s)?\sweather(?:\sforecast)?(?:\stoday|\stomorrow|\snow)?$/i,
];

const noCityWords =
  /今天|明天|后天|今日|明日|现在|当前|目前|最近|本周|这周|未来.{1,2}天|想?知道|的|^(?:the|today's|tomorrow's|what(?:'s| is) the|how(?:'s| is) the)$/gi;

const noCity = {
  zh: "请说出是哪个城市，例如“北京天气”。",
  en: 'Say for which city, for instance "weather in Beijing".',
};

/**
 * Renders one day of Amap's forecast, which has the fields `date`, `dayweather`, `nightweather`, `daytemp` and `nighttemp` (°C,
 * as text).
 */
function renderDay(day: Record<string, unknown>, locale: Locale): string {
  const [date, byDay, byNight, high, low] = ["date", "dayweather", "nightweather", "daytemp", "nighttemp"].map((name) =>
    String(day[name] ?? ""),
  );
  const sky = byDay === byNight ? byDay : locale === "zh" ? `${byDay}转${byNight}` : `${byDay}, then ${byNight}`;
  return locale === "zh" ? `${date}：${sky}，${low}～${high}℃` : `${date}: ${sky}, ${low} to ${high} °C`;
}
