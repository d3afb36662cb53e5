import { type Model, type ModelRequest, replaceStream, toModelName } from "../../core/model/model.ts";
import type { Quirks } from "../../core/model/model-settings.ts";
import type { Notice } from "../../core/run/events.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { createDelivery } from "./delivery.ts";
import type { ModelContext } from "./middleware.ts";

/** Holds a request as the wires take it: one that is sent again may use other quirks and limits than those of the vendor's row. */
export interface WireRequest extends ModelRequest {
  quirks?: Quirks | undefined;
  /** Replaces what the limit allows for hidden reasoning, in tokens. */
  allowance?: number | undefined;
}

/**
 * Sends a conversation again, repaired and with a `notice`, when the vendor refuses its reasoning or signatures: once, and
 * before anything of an answer was handed on. What the vendor then took it gets in later calls from the start.
 */
export function withRepair(next: Model, { settings, locale = "en" }: ModelContext): Model {
  const name = toModelName(next);
  let { quirks } = settings;
  return replaceStream(next, async (request, onEvent, signal) => {
    let repair: HistoryRepair;
    const delivery = createDelivery(onEvent);
    // Another call may learn something meanwhile; this one is judged by what it sent.
    const sent = quirks;
    try {
      return await next.stream(withQuirks(request, sent), delivery.onEvent, signal);
    } catch (thrown) {
      if (delivery.isFinal || signal.aborted || !(thrown instanceof DuetError)) throw thrown;
      const found = findHistoryRepair(thrown, sent);
      if (!found) throw thrown;
      repair = found;
      onEvent(toRepairNotice(name, repair, thrown, request.locale ?? locale));
    }
    const turn = await next.stream(withQuirks(request, repair.quirks), onEvent, signal).catch((thrown: unknown) => {
      throw thrown instanceof DuetError && isAboutHistory(thrown) ? stillRefusedError(name, thrown) : thrown;
    });
    if (repair.lasting) quirks = repair.quirks;
    return turn;
  });
}

function withQuirks(request: ModelRequest, quirks: Quirks): WireRequest {
  return { ...request, quirks };
}

function toRepairNotice(name: string, { how }: HistoryRepair, cause: DuetError, locale: Locale): Notice {
  const message = say(locale, {
    zh: `${name} 拒绝了对话历史，已修复（${how.zh}）并重新发送。原错误：${cause.text.zh}`,
    en: `${name} refused the conversation's history; sending it again ${how.en}. It said: ${cause.text.en}`,
  });
  return { type: "notice", level: "warning", code: "history-repaired", message };
}

function stillRefusedError(name: string, cause: DuetError): DuetError {
  return new DuetError({
    code: cause.code,
    text: {
      zh: `${name} 在修复之后仍然拒绝这段对话历史。${cause.text.zh}`,
      en: `${name} refuses this conversation's history, even after it was repaired. ${cause.text.en}`,
    },
    hint: {
      zh: "请开始新对话，或换用其他模型继续。",
      en: "Start a new conversation, or continue with another model.",
    },
    cause,
  });
}

/** Says how to resend a conversation that was refused for its reasoning or its signatures. */
interface HistoryRepair {
  /** Completes "the history was refused; sending it again" for the reader. */
  how: Text;
  /** Holds the quirks that were missing in the vendor's row. */
  quirks: Quirks;
  /** Is true when the vendor will refuse the same next time. Otherwise only this conversation is affected. */
  lasting: boolean;
}

/**
 * Returns the repair that may help against this refusal. Undefined when the refusal has another reason, or no repair is left to
 * try.
 */
export function findHistoryRepair(error: DuetError, quirks: Quirks): HistoryRepair | undefined {
  const { en } = error.text;
  return rules.find(({ about }) => about.test(en))?.repair(quirks, en);
}

/** Returns true when a vendor refused the reasoning or the signatures of earlier turns. */
export function isAboutHistory(error: DuetError): boolean {
  return rules.some(({ about }) => about.test(error.text.en));
}

interface Rule {
  about: RegExp;
  repair(quirks: Quirks, words: string): HistoryRepair | undefined;
}

const rules: Rule[] = [
  { about: /reasoning_content/i, repair: repairReasoning },
  { about: /thought[_ ]signature/i, repair: repairSignature },
  {
    // "Expected `thinking` or `redacted_thinking`", "Invalid `signature` in `thinking` block", "... cannot be modified".
    about: /`(redacted_)?thinking`( block| or `redacted_thinking`)/i,
    repair: (quirks) => ({ ...withoutThinking, quirks: { ...quirks, forgetsNative: true, noReasoning: true } }),
  },
  {
    // "Item 'rs_...' of type 'reasoning' was provided without its required following item", and the other way round.
    about: /of type 'reasoning'|required 'reasoning' item|encrypted[_ ]content/i,
    repair: (quirks) => ({ ...withoutNative, quirks: { ...quirks, forgetsNative: true } }),
  },
];

function repairReasoning(quirks: Quirks, words: string): HistoryRepair | undefined {
  if (/unsupported|not (supported|allowed|permitted)|unknown|unrecognized|unexpected|extra|must not/i.test(words)) {
    return quirks.echoReasoning ? { ...withoutReasoning, quirks: { ...quirks, echoReasoning: undefined } } : undefined;
  }
  if (!quirks.echoReasoning) return { ...withReasoning, quirks: { ...quirks, echoReasoning: true } };
  // Some proxies lose an empty field, and without thinking DeepSeek and Kimi do not ask for it.
  const body = { ...quirks.body, thinking: { type: "disabled" } };
  return { ...withoutThinking, quirks: { ...quirks, echoReasoning: "never-empty", noReasoning: true, body } };
}

function repairSignature(quirks: Quirks): HistoryRepair {
  if (quirks.foreignCallExtra) return { ...withoutNative, quirks: { ...quirks, forgetsNative: true } };
  return { ...withSignature, quirks: { ...quirks, foreignCallExtra: unsignedCall } };
}

/** Gemini accepts this value in place of a signature (ai.google.dev/gemini-api/docs/thought-signatures). */
const unsignedCall = { google: { thought_signature: "skip_thought_signature_validator" } };

const withReasoning = {
  how: { zh: "为每条助手消息补上 reasoning_content", en: "with reasoning_content on every assistant message" },
  lasting: true,
};
const withoutReasoning = {
  how: { zh: "去掉 reasoning_content", en: "without reasoning_content" },
  lasting: true,
};
const withoutThinking = {
  how: { zh: "关闭思考并去掉推理块", en: "with thinking off and without thinking blocks" },
  lasting: false,
};
const withSignature = {
  how: { zh: "为没有签名的工具调用补上占位签名", en: "with a placeholder for missing signatures" },
  lasting: true,
};
const withoutNative = {
  how: { zh: "去掉此前的推理与签名", en: "without the earlier reasoning and signatures" },
  lasting: false,
};
