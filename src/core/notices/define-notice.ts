import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Notice } from "../run/events.ts";

/** Creates one kind of notice from its facts. */
export interface NoticeKind<Facts> {
  (facts: Facts, locale: Locale): Notice;
  readonly code: string;
  readonly level: Notice["level"];
  /** Returns the words of the notice in both languages, as one line each. */
  describe(facts: Facts): Text;
  readonly isInResult: boolean;
}

interface NoticeRow<Facts> {
  level: Notice["level"];
  /** Is true when the result of the run repeats the notice, because it is about the answer itself and not about how it came. */
  isInResult: boolean;
  text(facts: Facts): Text;
}

export function defineNotice<Facts>(code: string, { level, isInResult, text }: NoticeRow<Facts>): NoticeKind<Facts> {
  const describe = (facts: Facts): Text => {
    const { zh, en } = text(facts);
    return { zh: sanitizeLine(zh), en: sanitizeLine(en) };
  };
  const create = (facts: Facts, locale: Locale): Notice => {
    return { type: "notice", level, code, message: say(locale, describe(facts)) };
  };
  return Object.assign(create, { code, level, describe, isInResult });
}
