/** The two languages of everything that people read. */
export type Locale = "zh" | "en";

/** A sentence in both languages. */
export interface Text {
  readonly zh: string;
  readonly en: string;
}

export function say(locale: Locale, text: Text): string {
  return text[locale];
}

/** The same without what it begins with, where that has been said already. */
export function removePrefix({ zh, en }: Text, prefix: Text): Text {
  return {
    zh: zh.startsWith(prefix.zh) ? zh.slice(prefix.zh.length) : zh,
    en: en.startsWith(prefix.en) ? en.slice(prefix.en.length) : en,
  };
}

/** The language of what somebody wrote: Chinese as soon as it holds a Han character. */
export function detectLanguage(text: string, fallback: Locale): Locale {
  if (/\p{Script=Han}/u.test(text)) return "zh";
  return /[a-z]/i.test(text) ? "en" : fallback;
}
