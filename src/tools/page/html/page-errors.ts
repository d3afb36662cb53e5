import { DuetError } from "../../../kit/errors.ts";

/** A page with more pieces than can be parsed in time. */
export function tooComplexError(): DuetError {
  return new DuetError({
    code: "tool",
    text: { zh: "网页太复杂，无法读取", en: "The page is too complex to be read." },
  });
}

/** A site that shows nothing before its reader has proved to be a person. */
export function humanChallengeError(): DuetError {
  return new DuetError({
    code: "tool",
    text: {
      zh: "网站要求先通过人机验证（captcha），没有给出内容",
      en: "The site asks for a captcha before it shows any content.",
    },
  });
}
