import { isRecord } from "../../../kit/json.ts";
import type { AnswerRequest } from "../answer/answer-request.ts";
import { fieldRefusedError } from "../field-refused-error.ts";

/** Represents the form of an answer as OpenAI's wires have it. */
export interface WireFormat {
  type?: string | undefined;
  schema?: unknown;
  description?: string | undefined;
}

const allowed = ["text", "json_object", "json_schema"];

/**
 * Reads the form of an answer. The schema itself is checked when it is opened. Throws `HttpRefusalError` (400), which names one of these
 * fields, for a form that there is not, and for one without a schema.
 */
export function readFormat(
  { type = "text", schema, description }: WireFormat,
  fields: { type: string; schema: string },
): AnswerRequest["format"] {
  if (type === "text") return undefined;
  if (type === "json_object") return { type };
  if (type !== "json_schema") {
    const [shown, names] = [JSON.stringify(type.slice(0, 50)), allowed.join(", ")];
    throw fieldRefusedError(fields.type, {
      zh: `${shown} 不可用（允许：${names}）`,
      en: `${shown} (allowed: ${names})`,
    });
  }
  if (isRecord(schema)) return { type, name: "answer", schema, ...(description && { description }) };
  throw fieldRefusedError(fields.schema, {
    zh: "缺少（允许：JSON Schema）",
    en: "is missing (allowed: a JSON Schema)",
  });
}
