import { truncate } from "../../../kit/text/truncate.ts";

/** Limits a conversation's title, in characters. */
export const longestTitle = 200;

/** Returns the first line with a word in a conversation's first question, truncated when it is long. */
export function toConversationTitle(question: string): string {
  const lines = question.split(/[\r\n\u2028\u2029]+/);
  const line = lines.find((each) => /[\p{L}\p{N}]/u.test(each)) ?? lines.find((each) => each.trim() !== "");
  return truncate((line ?? "").trim(), longestTitle);
}
