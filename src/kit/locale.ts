/** Names a language that Duet speaks. */
export type Locale = "zh" | "en";

/** Holds one text in both languages. */
export interface Text {
  readonly zh: string;
  readonly en: string;
}

export function say(locale: Locale, text: Text): string {
  return text[locale];
}

/** Returns the text without the prefix, for when the prefix has already been shown. */
export function removePrefix({ zh, en }: Text, prefix: Text): Text {
  return {
    zh: zh.startsWith(prefix.zh) ? zh.slice(prefix.zh.length) : zh,
    en: en.startsWith(prefix.en) ? en.slice(prefix.en.length) : en,
  };
}

/**
 * Detects the language of a text. Any Han character makes it Chinese, except in an English question about Chinese words, and in the
 * name of an attached file (`@图.png`), which counts only where nothing else does.
 */
export function detectLanguage(text: string, fallback: Locale): Locale {
  const words = text.replace(/(?<=^|\s)@(?:\\.|[^\s\\])+\.\w{1,8}(?=[\s,.?!;:)]|$)/g, " ");
  for (const part of [words, text]) {
    if (/\p{Script=Han}/u.test(part)) return isEnglishQuestion(part) ? "en" : "zh";
    if (/[a-z]/i.test(part)) return "en";
  }
  return fallback;
}

/**
 * Returns true for a text with Han characters that begins in English and asks in English, such as "What does 你好 mean?". Chinese
 * grammar outside quotation marks makes it Chinese, as in "What Is Love 这首歌是谁唱的".
 */
function isEnglishQuestion(text: string): boolean {
  const own = text.replace(/"[^"]*"|“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》|`[^`]*`/g, " ");
  if (!/^[^\p{L}]*[a-z]/iu.test(own) || chineseGrammar.test(own)) return false;
  return (own.match(askingWords) ?? []).length > 1;
}

/** Matches the words with which English questions and requests are made. Titles and terms within a Chinese text have few of them. */
const askingWords =
  /\b(?:what|which|who|where|when|why|how|is|are|was|were|do|does|did|can|could|would|should|i|you|me|my|please|mean|means|meaning|translate|explain|say|tell|write|pronounce|difference)\b/gi;

const chineseGrammar = /[的是了吗呢吧怎什么谁哪请帮把被这那有在为和与或]/;

/** Returns the language for messages about a question: the one that is chosen, else the question's own. */
export function chooseLocale({ localeIsChosen, locale }: LocaleChoice, question: string): Locale {
  return localeIsChosen ? locale : detectLanguage(question, locale);
}

interface LocaleChoice {
  /** Is true where the user, or the system for its own user, has chosen the language. */
  localeIsChosen: boolean;
  locale: Locale;
}
