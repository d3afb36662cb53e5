import { DuetError } from "../../kit/errors.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";

export function workTimeoutError(ms: number): DuetError {
  const seconds = ms / 1000;
  return new DuetError({
    code: "timeout",
    text: {
      zh: `内容太复杂，${seconds} 秒内没有处理完`,
      en: `The content is too complex: it could not be processed within ${seconds} s.`,
    },
  });
}

export function outOfMemoryError(): DuetError {
  return new DuetError({
    code: "tool",
    text: {
      zh: "内容太复杂，处理它需要的内存超过上限",
      en: "The content is too complex: processing it takes more memory than is allowed.",
    },
  });
}

export function workFailedError(reason: string): DuetError {
  const shown = toShortLine(reason, 200);
  return new DuetError({
    code: "tool",
    text: { zh: `内容无法处理（${shown}）`, en: `The content could not be processed (${shown}).` },
  });
}

/** Reports work that was refused because `most` jobs were already waiting. */
export function tooMuchWorkError(most: number): DuetError {
  return new DuetError({
    code: "overloaded",
    text: { zh: `已有 ${most} 项内容在等待处理`, en: `${most} pieces of content are already waiting.` },
    retryable: true,
  });
}
