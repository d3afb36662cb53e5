import { isEnglishQuestion } from "./english-question.ts";

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

/** Returns the language for messages about a question: the one that is chosen, else the question's own. */
export function chooseLocale({ localeIsChosen, locale }: LocaleChoice, question: string): Locale {
  return localeIsChosen ? locale : detectLanguage(question, locale);
}

interface LocaleChoice {
  /** Is true where the user, or the system for its own user, has chosen the language. */
  localeIsChosen: boolean;
  locale: Locale;
}
