import { detectLanguage, type Locale, say } from "../../kit/locale.ts";

/** Returns the words with which a person goes on with a run that has reached a limit, in the language of its question. */
export function toGoOnQuestion(question: string, locale: Locale): string {
  return say(detectLanguage(question, locale), {
    zh: "请从停下的地方继续，调用次数重新计算，不要重复已经做过的调用。",
    en: "Go on from where you stopped, with the calls counted anew, and do not repeat those that are done.",
  });
}
