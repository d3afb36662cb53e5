import type { FinishReason } from "../../core/model.ts";
import { DuetError } from "../../kit/errors.ts";

export function emptyAnswerError(finish: FinishReason): DuetError {
  if (finish === "refused" || finish === "content-filter")
    return new DuetError({
      code: "content_filter",
      text: { zh: "模型拒绝回答，没有给出任何内容。", en: "The model refused to answer and returned no text." },
      hint: { zh: "换一种问法再试。", en: "Rephrase the question." },
    });
  if (finish === "length")
    return new DuetError({
      code: "bad_response",
      text: {
        zh: "模型的输出在给出回答之前就达到了上限。",
        en: "The model reached its output limit before it answered.",
      },
      hint: { zh: "请增大 max_tokens。", en: "Raise max_tokens." },
    });
  return new DuetError({
    code: "bad_response",
    text: { zh: "模型没有给出回答。", en: "The model returned no answer." },
    hint: { zh: "换一种问法，或换用其他模型。", en: "Rephrase the question, or use another model." },
  });
}

export function unexpectedToolCallError(): DuetError {
  return new DuetError({
    code: "bad_response",
    text: {
      zh: "模型没有写完回答，而是要求调用工具。",
      en: "The model requested a tool instead of finishing its answer.",
    },
    hint: {
      zh: "放宽时间或调用次数的限制，或换用其他回答模型。",
      en: "Raise the time limit or the limit of tool calls, or use another answer model.",
    },
  });
}
