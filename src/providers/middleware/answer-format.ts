import type { Message } from "../../core/model/messages.ts";
import { type Model, type ModelRequest, replaceStream, toModelName } from "../../core/model/model.ts";
import type { AnswerFormat, ModelSettings } from "../../core/model/model-settings.ts";
import type { Notice } from "../../core/run/events.ts";
import { DuetError } from "../../kit/errors.ts";
import type { JsonSchema } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { type AnswerDialect, toAnswerSchema } from "../schema/answer-schema.ts";
import { createDelivery } from "./delivery.ts";
import type { ModelContext } from "./middleware.ts";
import { chooseParameters, isReasoning } from "./parameters.ts";

/**
 * Tells the vendor the form of the answer as far as the vendor can be told, and the model in words what is left. A vendor that
 * refuses a format gets the request once more with less of it, and no more than that from then on.
 */
export function withAnswerFormat(next: Model, { settings, locale = "en" }: ModelContext): Model {
  let most = chooseAnswerFormat(settings);
  return replaceStream(next, async (request, onEvent, signal) => {
    if (request.responseFormat === undefined) return next.stream(request, onEvent, signal);
    for (let allowed = most; ; ) {
      const fitted = fitAnswerFormat(request, settings, allowed);
      const delivery = createDelivery(onEvent);
      try {
        return await next.stream(fitted, delivery.onEvent, signal);
      } catch (thrown) {
        const lower = delivery.isFinal || signal.aborted ? undefined : findLowerFormat(fitted, thrown);
        if (lower === undefined) throw thrown;
        allowed = lower;
        // A refused schema says nothing of others.
        if (!isAboutSchema(thrown)) most = lower;
        onEvent(toRefusalNotice(toModelName(next), request.locale ?? locale));
      }
    }
  });
}

/** Returns the most that the vendor can be told: by its row, else by what is known of the model. What is not known is tried. */
function chooseAnswerFormat({ quirks, capabilities }: ModelSettings): AnswerFormat {
  return quirks.answerFormat ?? (capabilities?.structuredOutput === false ? "json_object" : "json_schema");
}

/**
 * Returns the request with the form that the vendor is told, its schema in the vendor's dialect, and what the model is told in words:
 * a schema that the vendor cannot be told, and that the answer is JSON where only this can be.
 */
function fitAnswerFormat(request: ModelRequest, settings: ModelSettings, most: AnswerFormat): ModelRequest {
  const { responseFormat: wanted, locale = "en" } = request;
  if (wanted === undefined) return request;
  if (wanted.type === "text") return { ...request, responseFormat: undefined };
  const told = isFormatRefused(request, settings) ? "none" : most;
  const schema = wanted.type === "json_schema" ? wanted.schema : undefined;
  const converted = schema && told === "json_schema" ? toAnswerSchema(schema, getDialect(settings)) : undefined;
  const words: Message = { role: "user", content: describeForm(schema, locale) };
  const inWords = { ...request, messages: [...request.messages, words] };
  if (converted && wanted.type === "json_schema") {
    const responseFormat = { ...wanted, schema: converted };
    return isKnownToObey(settings) ? { ...request, responseFormat } : { ...inWords, responseFormat };
  }
  const knowsAnyObject = told !== "none" && settings.wire !== "anthropic-messages";
  return { ...inWords, responseFormat: knowsAnyObject ? { type: "json_object" } : undefined };
}

/** Servers that nothing is known of may ignore a schema without a word: only one that is known to obey it needs no words. */
function isKnownToObey({ quirks, capabilities }: ModelSettings): boolean {
  return quirks.answerFormat === "json_schema" || capabilities?.structuredOutput === true;
}

function isFormatRefused(request: ModelRequest, settings: ModelSettings): boolean {
  const { quirks } = settings;
  return quirks.noFormatWhileReasoning === true && isReasoning(chooseParameters(request, settings).effort, quirks);
}

function getDialect({ wire, quirks: { toolDialect } }: ModelSettings): AnswerDialect {
  if (wire === "anthropic-messages") return "anthropic";
  if (toolDialect === "openapi") return toolDialect;
  return toolDialect === "inlined" ? "strict-inlined" : "strict";
}

// OpenAI, DeepSeek and Alibaba refuse `json_object` unless a message says "JSON".
function describeForm(schema: JsonSchema | undefined, locale: Locale): string {
  const only = say(locale, {
    zh: "请只用一个 JSON 对象回答：不要有其他文字，也不要放进代码块。",
    en: "Answer with one JSON object and nothing else: no words around it, no code fence.",
  });
  if (schema === undefined) return only;
  const rule = say(locale, { zh: "它必须符合这个 JSON Schema：", en: "It must match this JSON Schema:" });
  return `${only}${locale === "zh" ? "" : " "}${rule}\n${JSON.stringify(schema)}`;
}

/** Returns the next lower format where the vendor has refused the one that was sent, and undefined for any other error. */
function findLowerFormat({ responseFormat: sent }: ModelRequest, thrown: unknown): AnswerFormat | undefined {
  if (sent === undefined || !(thrown instanceof DuetError) || thrown.code !== "invalid_request") return undefined;
  if (!aboutFormat.test(thrown.text.en)) return undefined;
  return sent.type === "json_schema" ? "json_object" : "none";
}

function isAboutSchema(thrown: unknown): boolean {
  return thrown instanceof DuetError && /invalid schema|\.schema\b/i.test(thrown.text.en);
}

const aboutFormat =
  /response_format|json_schema|json_object|json mode|output_config|output_format|text\.format|structured output/i;

function toRefusalNotice(name: string, locale: Locale): Notice {
  const message = say(locale, {
    zh: `${name} 不接受回答格式的参数，改用文字要求。`,
    en: `${name} does not take a format for its answer; it is asked for in words.`,
  });
  return { type: "notice", level: "info", code: "format-refused", message, forLog: true };
}
