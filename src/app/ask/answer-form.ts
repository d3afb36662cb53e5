import type { AnswerForm } from "../../core/answer-form.ts";
import { DuetError, type ErrorCode } from "../../kit/errors.ts";

/** Says where a schema came from: `field` is named in the error, and `code` is what a wrong value has there. */
export interface SchemaPlace {
  field: string;
  code: Extract<ErrorCode, "config" | "invalid_request">;
}

/** Names the field in which a question brings the schema of its answer, over MCP and HTTP. */
export const outputSchemaPlace: SchemaPlace = { field: "output_schema", code: "invalid_request" };

/**
 * Opens the form of an answer for the JSON Schema that a caller gave. Throws an error of one line for a schema that cannot be used,
 * before any model is called.
 */
export async function openOutputSchema(schema: unknown, { field, code }: SchemaPlace): Promise<AnswerForm> {
  const { openAnswerForm } = await import("../../tools/schema/answer-form.ts");
  const opened = openAnswerForm(schema);
  if ("form" in opened) return opened.form;
  const { zh, en } = opened.problem;
  throw new DuetError({ code, text: { zh: `${field}: ${zh}`, en: `${field}: ${en}` } });
}

/** Opens the form of an answer that is any JSON object. */
export async function openJsonObject(): Promise<AnswerForm> {
  return (await import("../../tools/schema/answer-form.ts")).jsonObjectForm;
}
