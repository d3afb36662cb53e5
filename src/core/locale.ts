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

/** The language of what somebody wrote: Chinese as soon as it holds a Han character. */
export function languageOf(text: string, fallback: Locale): Locale {
  if (/\p{Script=Han}/u.test(text)) return "zh";
  return /[a-z]/i.test(text) ? "en" : fallback;
}
