import { type Model, replaceStream, toModelName } from "../../core/model/model.ts";
import type { ToolCallForm } from "../../core/model/model-settings.ts";
import type { Notice } from "../../core/run/events.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { createDelivery } from "./delivery.ts";
import type { ModelContext } from "./middleware.ts";

/** Has a model without function calling call its tools in text (docs/model-features.md#models-without-function-calling). */
export function withTextTools(next: Model, { settings, locale = "en" }: ModelContext): Model {
  const { toolCalls, capabilities } = settings;
  return callInText(next, {
    form: toolCalls ?? (capabilities?.functionCalling === false ? "text" : undefined),
    locale,
  });
}

export interface CallForm {
  /** Is undefined where the vendor is tried: when it refuses tools, the calls are made in text from then on. */
  form: ToolCallForm | undefined;
  locale: Locale;
}

/** Returns the model with calls of this form. A refusal of tools is told once, with the setting that spares it. */
export function callInText(next: Model, { form, locale: usual }: CallForm): Model {
  let isText = form === "text";
  return replaceStream(next, async (request, onEvent, signal) => {
    const locale = request.locale ?? usual;
    if (!isText) {
      if (request.tools.length === 0) return next.stream(request, onEvent, signal);
      const delivery = createDelivery(onEvent);
      try {
        return await next.stream(request, delivery.onEvent, signal);
      } catch (thrown) {
        if (delivery.isFinal || signal.aborted || !isToolRefusal(thrown)) throw thrown;
        if (form === "native") throw toNativeError(thrown);
        isText = true;
        onEvent(toSwitchNotice(toModelName(next), thrown, locale));
      }
    }
    const { streamTextTurn } = await import("../text-tools/stream-text-turn.ts");
    return streamTextTurn(next, request, { locale, onEvent, signal });
  });
}

/** Returns true when a vendor refuses the tools themselves, and not one of them or another field beside them. */
function isToolRefusal(thrown: unknown): thrown is DuetError {
  if (!(thrown instanceof DuetError) || !refusals.has(thrown.code)) return false;
  const { en } = thrown.text;
  return refusesTools.test(en) && !/reasoning_effort|parallel|schema/i.test(en);
}

/** Servers of one's own say it with any of these. */
const refusals: ReadonlySet<DuetError["code"]> = new Set(["invalid_request", "server"]);

const subject = "`?(?:tools?|tool[ _]?(?:use|calls?|calling|choice)|functions?(?:[ _]call(?:s|ing)?)?)`?";

/**
 * Matches what servers say. Ollama: "MODEL does not support tools". OpenRouter: "No endpoints found that support tool use". Groq:
 * "`tool calling` is not supported with this model". vLLM: "\"auto\" tool choice requires --enable-auto-tool-choice". llama.cpp:
 * "tools param requires --jinja flag". SiliconFlow: "Function call is not supported for this model". Mistral: "Function calling is not enabled".
 */
const refusesTools = new RegExp(
  [
    `(?:does not|doesn't|do not|don't|cannot) (?:support|accept|allow) (?:the )?(?:use of )?(?:parameter:? ?)?['"]?${subject}`,
    `${subject}['"]? (?:param(?:eter)? )?(?:is|are) (?:not|un)\\s?(?:supported|enabled|available|allowed)`,
    `unsupported (?:parameter|field|feature):? ['"\`]?tools?\\b`,
    `no endpoints found that support ${subject}`,
    `tool choice requires --|tools param requires --`,
  ].join("|"),
  "i",
);

function toSwitchNotice(name: string, { text }: DuetError, locale: Locale): Notice {
  const message = say(locale, {
    zh: `${name} 不支持函数调用，改用文本协议调用工具（在模型设置中写 toolCalls: "text" 可省去这次尝试）。原错误：${text.zh}`,
    en: `${name} does not support function calling; its tools are called in text from now on (toolCalls: "text" in the model's settings spares this attempt). It said: ${text.en}`,
  });
  return { type: "notice", level: "warning", code: "tools-in-text", message };
}

function toNativeError({ code, text, retryable, status, cause }: DuetError): DuetError {
  return new DuetError({
    code,
    text,
    hint: {
      zh: '该模型不支持函数调用：把 toolCalls 改为 "text"，或换用其他模型。',
      en: 'The model does not support function calling: set toolCalls to "text", or use another model.',
    },
    retryable,
    status,
    cause,
  });
}
