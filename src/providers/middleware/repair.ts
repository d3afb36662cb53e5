import { type Model, type ModelEvent, type ModelRequest, toModelName } from "../../core/model.ts";
import type { ModelSettings, Quirks } from "../../core/model-settings.ts";
import type { Notice } from "../../core/notice.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { isContent } from "../wires/turn-reader.ts";
import { findHistoryRepair, type HistoryRepair, isAboutHistory } from "./history-repairs.ts";

/** A model as its wire opens it: a call may be made with other quirks than the vendor's row has. */
export interface WireModel extends Model {
  stream(request: ModelRequest, signal: AbortSignal, quirks?: Quirks): AsyncIterable<ModelEvent>;
}

/**
 * Sends a conversation again, mended and with a `notice`, when the vendor refuses its reasoning or signatures: once, and
 * before anything of an answer was handed on. What the vendor then took it gets in later calls from the start.
 */
export function withRepair(model: WireModel, settings: ModelSettings, locale: Locale = "en"): Model {
  const name = toModelName(model);
  let { quirks } = settings;
  return {
    provider: model.provider,
    model: model.model,
    async *stream(request, signal) {
      let repair: HistoryRepair;
      let taken = false;
      // Another call may learn something meanwhile; this one is judged by what it sent.
      const sent = quirks;
      try {
        for await (const event of model.stream(request, signal, sent)) {
          taken ||= isContent(event);
          yield event;
        }
        return;
      } catch (thrown) {
        if (taken || signal.aborted || !(thrown instanceof DuetError)) throw thrown;
        const found = findHistoryRepair(thrown, sent);
        if (!found) throw thrown;
        repair = found;
        yield repaired(name, repair, thrown, request.locale ?? locale);
      }
      try {
        yield* model.stream(request, signal, repair.quirks);
      } catch (thrown) {
        throw thrown instanceof DuetError && isAboutHistory(thrown) ? stillRefused(name, thrown) : thrown;
      }
      if (repair.lasting) quirks = repair.quirks;
    },
  };
}

function repaired(name: string, { how }: HistoryRepair, cause: DuetError, locale: Locale): Notice {
  const message = say(locale, {
    zh: `${name} 拒绝了对话历史，已修复（${how.zh}）并重新发送。原错误：${cause.text.zh}`,
    en: `${name} refused the conversation's history; sending it again ${how.en}. It said: ${cause.text.en}`,
  });
  return { type: "notice", level: "warning", code: "history-repaired", message };
}

function stillRefused(name: string, cause: DuetError): DuetError {
  return new DuetError({
    code: cause.code,
    text: {
      zh: `${name} 在修复之后仍然拒绝这段对话历史。${cause.text.zh}`,
      en: `${name} refuses this conversation's history, also after it was mended. ${cause.text.en}`,
    },
    hint: {
      zh: "请开始新对话，或换用其他模型继续。",
      en: "Start a new conversation, or go on with another model.",
    },
    cause,
  });
}
