import { reviewArguments } from "../../../core/questions/review-arguments.ts";
import { tryParseJson } from "../../../kit/json.ts";
import { renderReview } from "../../../render/questions/review-lines.ts";
import type { ReviewPart } from "./part-shapes.ts";

/** Arguments that have no better form stay as they are. The page reads no file, so that a change is shown as far as the call has it. */
export const reviewCall: ReviewPart["reviewCall"] = (call, locale, isUnlimited) => {
  const args = tryParseJson(JSON.stringify(call.arguments) ?? "null");
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  const review = reviewArguments({ tool: call.tool, arguments: args }, undefined);
  if (review.parts.length === 0) return undefined;
  const { lines, isWhole } = renderReview(review, { locale, isUnlimited });
  return {
    isWhole,
    lines: lines.map((line) => (typeof line === "string" ? { role: "text", gutter: "", text: line } : line)),
  };
};
