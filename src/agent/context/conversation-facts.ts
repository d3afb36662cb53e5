import type { ConversationTurn } from "../../core/store/conversations/conversation.ts";
import { detectLanguage, type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import type { Sizing } from "./shrink.ts";
import { joinSaid } from "./turn-messages.ts";

/**
 * Collects what must not be lost when a summary replaces turns: what people decided, what is open, names and numbers, files, and
 * the numbers of results. It is found by plain rules, and carried beside the summary, which may have left it out. `first` is the
 * number of the first turn; `known` are the lines for the turns before.
 */
export function collectFacts(
  turns: readonly ConversationTurn[],
  { first, known, locale }: { first: number; known: readonly string[]; locale: Locale },
): string[] {
  const lines = turns.flatMap((turn, index) => listTurnFacts(turn, first + index, locale));
  return [...new Set([...known, ...lines])];
}

/** Returns the lines that fit a budget, in their order: of each kind the newest, decisions before everything else. */
export function fitFacts(lines: readonly string[], budget: number, { tokensOf }: Pick<Sizing, "tokensOf">): string[] {
  const ranked = lines.map((line, index) => ({ line, index, rank: findRank(line) }));
  ranked.sort((a, b) => a.rank - b.rank || b.index - a.index);
  const kept: typeof ranked = [];
  let left = budget;
  for (const each of ranked) {
    left -= tokensOf(each.line) + 1;
    if (left < 0) break;
    kept.push(each);
  }
  return kept.sort((a, b) => a.index - b.index).map(({ line }) => line);
}

/** Lists the kinds of facts, those first that are kept longest. */
const kinds = [
  { kind: "decision", name: { zh: "决定", en: "decided" } },
  { kind: "open", name: { zh: "未定", en: "open" } },
  { kind: "fact", name: { zh: "用户说", en: "user" } },
  { kind: "file", name: { zh: "文件", en: "file" } },
  { kind: "result", name: { zh: "结果", en: "result" } },
  { kind: "answer", name: { zh: "回答", en: "answer" } },
] as const satisfies { kind: string; name: Text }[];

type Kind = (typeof kinds)[number]["kind"];

function findRank(line: string): number {
  const found = kinds.findIndex(({ name }) => line.startsWith(name.zh) || line.startsWith(`${name.en} `));
  return found < 0 ? kinds.length : found;
}

/** Limits a line, in characters, and the lines of one question and of one answer. */
const longestLine = 200;
const mostOfQuestion = 12;
const mostOfAnswer = 3;

function listTurnFacts(
  { question, answer, files = [], steps = [] }: ConversationTurn,
  turn: number,
  locale: Locale,
): string[] {
  const language = detectLanguage(question, locale);
  const render = (kind: Kind, text: string, n = "", cited: readonly number[] = []): string => {
    const { name } = kinds.find((each) => each.kind === kind) ?? kinds[0];
    const numbers = cited.map((number) => `[${number}]`).join("");
    const place = say(language, {
      zh: `${name.zh}${n}（第 ${turn} 轮${numbers && `，来源 ${numbers}`}）：`,
      en: `${name.en} ${n}${n && " "}(turn ${turn}${numbers && `, source${cited.length > 1 ? "s" : ""} ${numbers}`}): `,
    });
    return place + toShortLine(text, longestLine);
  };
  const asked = splitSentences(joinSaid({ question, steps })).flatMap((sentence) => {
    const kind = classifySentence(sentence, "user");
    return kind ? [render(kind, sentence)] : [];
  });
  const answered = splitSentences(answer).flatMap((sentence) => {
    const kind = classifySentence(sentence, "answer");
    return kind ? [render(kind, sentence)] : [];
  });
  const named = files.map((part) =>
    render("file", part.type === "image" ? (part.image.name ?? "") : (part.file.name ?? "")),
  );
  const results = steps.flatMap(({ message, results: all }) =>
    all.flatMap(({ callId, tool, result, sources }) => {
      if (result === undefined) return [];
      const call = message.toolCalls.find(({ id }) => id === callId);
      return [render("result", `${tool} ${sanitizeLine(call?.argumentsText ?? "")}`, String(result), sources?.numbers)];
    }),
  );
  return [...asked.slice(0, mostOfQuestion), ...named, ...results, ...answered.slice(0, mostOfAnswer)];
}

/** Limits what is looked at of one text, in characters: more is no word of a person's, and would keep everybody else waiting. */
const longestText = 20_000;

function splitSentences(text: string): string[] {
  return text
    .slice(0, longestText)
    .split(/(?<=[.!?;])\s+|(?<=[。！？；])|\n+/u)
    .map((sentence) => sentence.replace(/^[\s>*#-]+/, "").trim())
    .filter((sentence) => sentence.length > 2);
}

function classifySentence(sentence: string, by: "user" | "answer"): Kind | undefined {
  const head = sentence.slice(0, 1000);
  if (openWords.test(head)) return "open";
  const isQuestion = /[?？]$/.test(sentence);
  if (!isQuestion && decisionWords.test(head)) return "decision";
  if (by === "answer") return !isQuestion && precise.test(head) ? "answer" : undefined;
  return (isQuestion ? precise : noteworthy).test(head) ? "fact" : undefined;
}

const openWords =
  /\b(?:open (?:question|issue|point)|still open|undecided|to be decided|tbd|unresolved|not (?:yet )?(?:decided|settled|clear)|(?:have|need) to (?:find out|clarify|ask))\b|待定|未定|还没(?:有)?(?:决定|确定|定)|悬而未决|待确认|尚不清楚|尚未|未解决|以后再(?:说|定)|回头再/iu;

const decisionWords =
  /\b(?:decided?|decision|agreed?|settled?|let(?:'|’)?s (?:use|go|take|keep|call)|(?:we|i)(?:'|’)?(?:ll| will) (?:use|take|go with|keep)|go(?:ing)? with|chose|chosen|prefer|must|never|always|instead|from now on|call me|my name is|remember|deadline|due (?:on|by)|budget)\b|决定|确定|就用|改用|采用|选用|选定|定为|约定|同意|不要|必须|务必|总是|以后都|从现在起|记住|请记|我叫|叫我|喜欢|截止|期限|改成|预算/iu;

/** Matches numbers of three digits or more, addresses, paths, names of files and of things in programs, and what is quoted. */
const precise =
  /\d{3,}|\d[.,:/-]\d|\S+@\S+\.\S|https?:\/\/|(?:^|[\s(（])[\w.-]*\/[\w./-]+|\b[\w-]+\.[a-z]{2,4}\b|\b[a-z]+_\w+|\b[A-Z]{2,}[-_]?\d+|[“"「《][^”"」》]{2,60}[”"」》]/u;

/** Matches besides any number of two digits, and names: a capital letter inside a sentence. */
const noteworthy = new RegExp(
  `${precise.source}|\\d{2}|\\d\\s*[%％]|(?<=[\\p{Ll},:]\\s)\\p{Lu}\\p{L}+|\\p{Lu}\\p{Ll}+\\s\\p{Lu}\\p{Ll}+`,
  "u",
);
