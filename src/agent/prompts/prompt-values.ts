import { toParts } from "../../core/model/message-content.ts";
import type { Message } from "../../core/model/messages.ts";
import { isOfClient } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { askTimeZone } from "../../kit/time-zone.ts";
import { canAnswerWhileDeciding, type Folders, type Run } from "../run.ts";
import type { PromptName } from "./choose-prompt.ts";
import { formatDay } from "./prompts.ts";

/**
 * Returns the values for a prompt's placeholders in a run. They include the marker, the limits of the run, and where and when it
 * takes place, and leave out the parts about searching and citing when they do not apply.
 */
export function toPlaceholderValues(run: Run): Record<string, string> {
  const {
    input: { marker, conversation, limits, language, answerForm, sources, begunAt, day },
    state: { calls },
    services: {
      catalog: { tools },
      folders,
    },
  } = run;
  const maySearch = tools.has("web_search");
  // One that answers in the turn in which it could still read a page must know before there is anything to cite.
  const mayFind = canAnswerWhileDeciding(run) && citable.some((name) => tools.has(name));
  // A run that goes on reads again what it read before its first call.
  const hasSources = (calls.length === 0 ? sources : conversation.sources.size) > 0;
  const mayCite = answerForm === undefined && (mayFind || hasSources);
  return {
    marker,
    calls: String(limits.maxToolCalls),
    rounds: String(limits.maxIterations),
    today: formatDay(new Date(begunAt)),
    day,
    place: [
      ...(folders ? [describeFolders(folders, language)] : []),
      ...([...tools.values()].some(isOfClient) ? [say(language, callsBeginAnew)] : []),
    ].join("\n"),
    ...(maySearch ? {} : { search: "" }),
    ...(mayCite ? {} : { cite: "" }),
    ...(isMarkWanted(run) ? {} : { mark: "" }),
  };
}

/** Returns the values for the prompt of a model that answers from these messages. A chat needs no rule about text that it does not hold. */
export function toAnswerValues(run: Run, prompt: PromptName, messages: readonly Message[]): Record<string, string> {
  const values = toPlaceholderValues(run);
  return prompt === "chat" && !hasFences(messages, run.input.marker) ? { ...values, untrusted: "" } : values;
}

function hasFences(messages: readonly Message[], marker: string): boolean {
  return messages.some(({ content }) =>
    toParts(content).some((part) => part.type === "text" && part.text.includes(marker)),
  );
}

/** Without it, a model that works for an agent of its own would end its work with the first few calls. */
const callsBeginAnew: Text = {
  zh: "有些工具由用户所用的程序执行。它每次给出结果之后，下面的调用次数和轮数都重新计算，所以请一直做到任务完成。",
  en: "Some tools are run by the program through which the user asks. The numbers of calls and rounds below begin anew with its results, so work on until the task is done.",
};

/** A model that has tools and answers itself can say where its answer begins, so that readers need not wait to know. */
function isMarkWanted(run: Run): boolean {
  const { catalog, markHabits, models } = run.services;
  return canAnswerWhileDeciding(run) && catalog.tools.size > 0 && markHabits?.isAsked(models.functionCall) === true;
}

/** Lists the tools whose results are sources with numbers. */
const citable = ["web_search", "read_page", "read_file", "file_search", "table_query", "log_transform", "format_data"];

/** Returns the weekday and the time zone of the process. The day itself is a value of its own. */
export function describeDay(now: Date, language: Locale, zone = askTimeZone()): string {
  const weekday = say(language, weekdays[now.getDay()] ?? weekdays[0]);
  return say(language, { zh: `${weekday}，时区 ${zone}`, en: `${weekday}, time zone ${zone}` });
}

const weekdays = [
  { zh: "星期日", en: "Sunday" },
  { zh: "星期一", en: "Monday" },
  { zh: "星期二", en: "Tuesday" },
  { zh: "星期三", en: "Wednesday" },
  { zh: "星期四", en: "Thursday" },
  { zh: "星期五", en: "Friday" },
  { zh: "星期六", en: "Saturday" },
] as const satisfies Text[];

/** Shows paths as the file tools take them. */
function describeFolders({ working, readable }: Folders, language: Locale): string {
  const folder = sanitizeLine(working);
  const [first, ...others] = readable.map((each) => sanitizeLine(each));
  if (first === undefined)
    return say(language, {
      zh: `工作目录：${folder}；没有可读的目录。`,
      en: `Working folder: ${folder}. No folder can be read.`,
    });
  if (others.length > 0)
    return say(language, {
      zh: `工作目录：${folder}；可读的目录：${[first, ...others].join("、")}（用完整路径）。`,
      en: `Working folder: ${folder}. Readable folders: ${[first, ...others].join(", ")} (use whole paths).`,
    });
  return say(language, {
    zh: `工作目录：${folder}；可读的目录：${first}（相对路径从它算起）。`,
    en: `Working folder: ${folder}. Readable folder: ${first} (relative paths start there).`,
  });
}
