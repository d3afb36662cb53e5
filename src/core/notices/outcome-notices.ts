import type { Locale } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Notice } from "../run/events.ts";
import type { Outcome } from "../run/outcome.ts";
import { noticeKinds } from "./notice-kinds.ts";

/** Returns true for the notice with which another process begins to go on with a run. */
export function isTakeoverNotice({ code }: Pick<Notice, "code">): boolean {
  return code === noticeKinds.runResumed.code || code === noticeKinds.runHandedOver.code;
}

const resultCodes: ReadonlySet<string> = new Set(
  Object.values(noticeKinds).flatMap(({ code, isInResult }) => (isInResult ? [code] : [])),
);

export type OutcomeNotice = NonNullable<Outcome["notices"]>[number];

/** Returns the notices that the result of their run repeats, each once. */
export function toOutcomeNotices(notices: readonly Pick<Notice, "level" | "code" | "message">[]): OutcomeNotice[] {
  const kept = notices.filter(({ code }) => resultCodes.has(code));
  return kept
    .filter(({ code, message }, index) => {
      return kept.findIndex((other) => other.code === code && other.message === message) === index;
    })
    .map(({ level, code, message }) => ({ level, code, message }));
}

/**
 * Returns a quoted line for each call of a run that was not made for want of consent. It belongs into the answer where its reader
 * may see nothing else. An answer that a program reads holds nothing beside its object.
 */
export function renderMissingConsent({ notices = [], output }: Pick<Outcome, "notices" | "output">): string[] {
  if (output !== undefined) return [];
  const missing = notices.filter(({ code }) => code === noticeKinds.approvalMissing.code);
  return missing.map(({ message }) => `> ${sanitizeLine(message)}`);
}

/** Adds notices to a result. One without any has no such field. */
export function addNotices(outcome: Outcome, notices: readonly OutcomeNotice[]): Outcome {
  return notices.length === 0 ? outcome : { ...outcome, notices: [...(outcome.notices ?? []), ...notices] };
}

/**
 * Returns true for a result that tells why nothing goes on: of a run whose plan was declined when it was to go on with an earlier one, of
 * both together, and of a run with which none could be begun.
 */
export function isNotGoneOn({ notices = [] }: Outcome): boolean {
  return notices.some(({ code }) => code === noticeKinds.notGoneOn.code);
}

/** Returns what a run says that the server has cancelled at its own end; undefined for another one. */
export function readServerEnd({ notices = [] }: Pick<Outcome, "notices">): string | undefined {
  return notices.find(({ code }) => code === noticeKinds.serverEnded.code)?.message;
}

/** Returns the result of a run that could be saved after it had ended. */
export function replaceNotSaved(outcome: Outcome, locale: Locale): Outcome {
  const { notSaved, storeUnavailable, savedLate } = noticeKinds;
  const passed: readonly string[] = [notSaved.code, storeUnavailable.code];
  const others = outcome.notices?.filter(({ code }) => !passed.includes(code)) ?? [];
  if (others.length === outcome.notices?.length || outcome.notices === undefined) return outcome;
  return { ...outcome, notices: [...others, ...toOutcomeNotices([savedLate("this", locale)])] };
}
