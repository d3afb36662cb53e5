import type { Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import { type FormField, readForm } from "../../core/forms/form.ts";
import { toFormSchema } from "../../core/forms/form-schema.ts";
import { findValueProblem, getDefaultValue } from "../../core/forms/form-value.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { getOwnValue, isRecord, type JsonObject } from "../../kit/json.ts";
import { sanitize } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { AnswerContext, RequestingServer } from "./answer-context.ts";
import { cleanFields } from "./clean-form.ts";
import { readPageAddress } from "./page-address.ts";
import { badRequestError, notNowError } from "./request-refusal.ts";

/** Of a message, in UTF-16 units. */
const longestMessage = 4000;

/** Answers `elicitation/create`. A person alone says yes; what a form gets back fits its schema. */
export async function answerElicitation(
  asking: RequestingServer,
  params: unknown,
  { elicit, signal }: Pick<AnswerContext, "elicit" | "signal">,
): Promise<Record<string, unknown>> {
  const { question, fields } = readQuestion(asking, params);
  if (elicit === undefined) return { action: "cancel" };
  const reply = await waitAbortable(elicit(question, signal), signal);
  if (reply.action !== "accept" || fields === undefined) return { action: reply.action };
  return { action: "accept", content: contentOf(fields, reply) };
}

/** The fields are those of a form. */
function readQuestion(asking: RequestingServer, params: unknown): { question: Elicitation; fields?: FormField[] } {
  if (!isRecord(params)) throw badRequestError("A question needs params");
  const { mode = "form", message, requestedSchema, url } = params;
  if (typeof message !== "string") throw badRequestError("A question needs a message");
  const words = { from: asking.from, message: clean(asking, message) };
  if (mode === "url") return { question: { kind: "url", ...words, url: pageOf(asking, url) } };
  if (mode !== "form") throw badRequestError('The mode of a question is "form" or "url"');
  const written = isRecord(requestedSchema) ? readForm(requestedSchema) : undefined;
  if (written === undefined)
    throw badRequestError("requestedSchema is a flat object of texts, numbers, booleans and choices of texts");
  const fields = cleanFields(written, asking.redact);
  return { question: { kind: "form", ...words, schema: toFormSchema(fields) }, fields };
}

/** One that holds a secret of the server would hand it to whoever is asked, and to their history. */
function pageOf({ redact }: RequestingServer, address: unknown): string {
  const url = readPageAddress(address);
  if (redact(url) !== url) throw badRequestError("url holds a secret of this server's configuration");
  return url;
}

function clean({ redact }: RequestingServer, message: string): string {
  // What is cut away need not be cleaned first.
  return truncate(sanitize(redact(message.slice(0, 4 * longestMessage))), longestMessage).trim();
}

/** What leaves, field by field; nothing that was not asked for. */
function contentOf(
  fields: readonly FormField[],
  { content = {} }: ElicitationReply & { action: "accept" },
): JsonObject {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = getOwnValue(content, field.name) ?? getDefaultValue(field);
      if (value === undefined && !field.required) return [];
      const problem = findValueProblem(field, value);
      // Not the value itself: it is a person's, and meant to fit.
      if (problem)
        throw notNowError(`The reply does not fit the form: ${JSON.stringify(field.name)} is to be ${problem.en}`);
      return [[field.name, value ?? null]];
    }),
  );
}
