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

/** Detects the language of a text. Any Han character makes it Chinese. */
export function detectLanguage(text: string, fallback: Locale): Locale {
  if (/\p{Script=Han}/u.test(text)) return "zh";
  return /[a-z]/i.test(text) ? "en" : fallback;
}
