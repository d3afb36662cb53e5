import { truncate } from "../../kit/text/sanitize.ts";

/** Characters of a conversation's title. */
const longestTitle = 200;

/** The first line of a conversation's first question that has a word, cut where it is long. */
export function toConversationTitle(question: string): string {
  const lines = question.split(/[\r\n\u2028\u2029]+/);
  const line = lines.find((each) => /[\p{L}\p{N}]/u.test(each)) ?? lines.find((each) => each.trim() !== "");
  return truncate((line ?? "").trim(), longestTitle);
}
