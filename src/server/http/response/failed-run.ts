import { readServerEnd } from "../../../core/notices/outcome-notices.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import type { ErrorReport } from "../../../kit/errors.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { replaceChatAdvice } from "../../../render/chat-advice.ts";
import type { HttpRefusal } from "./dialects.ts";
import { errorTable, runFailed } from "./error-table.ts";
import { toRetryResponse } from "./refusal.ts";

/** Returns how the clients of model APIs are told that a run has no answer. Undefined for a run that has one. */
export function toFailedRun(outcome: Outcome, locale: Locale): HttpRefusal | undefined {
  const { status, response, run_id } = outcome;
  if (status === "failed") return toFailure(outcome, locale);
  if (status !== "cancelled" || response !== "") return undefined;
  const headers = { ...never, "x-request-id": run_id };
  const ended = readServerEnd(outcome);
  if (ended !== undefined) return { status: runFailed, error: "overloaded", text: { zh: ended, en: ended }, headers };
  return { ...cancelled, headers };
}

function toFailure(outcome: Outcome, locale: Locale): HttpRefusal {
  const { code, message, hint, retry_after_s: wait } = outcome.error ?? unexplained;
  const again = toRetryResponse(outcome);
  const toText = (text: string) => ({ zh: text, en: text });
  return {
    status: again?.status ?? errorTable[code].failedStatus ?? runFailed,
    error: code,
    text: toText(message),
    hint: hint ? toText(replaceChatAdvice(hint, locale, say(locale, modelAdvice))) : undefined,
    headers: {
      "x-request-id": outcome.run_id,
      ...(wait !== undefined && { "retry-after": String(wait) }),
      ...(again === undefined && never),
    },
  };
}

const unexplained: ErrorReport = { code: "internal", message: "the run failed", hint: null };

/** A model API has no modes: its models are the modes. */
const modelAdvice: Text = {
  zh: "也可以换用模型 duet-chat 再试。",
  en: "You can also try again with the model duet-chat.",
};

/** Is obeyed by the official clients. */
const never = { "x-should-retry": "false" };

/** Proxies use 499 for this: the client or the operator has stopped the run. */
const cancelled = { status: 499, text: { zh: "已取消。", en: "Cancelled." } } as const;
