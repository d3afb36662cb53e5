import type { Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import { type Choice, type FormField, readForm, toFormSchema } from "../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../core/forms/form-value.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { getOwnValue, isRecord, type JsonObject } from "../../kit/json.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { sanitize, toShortLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { AnswerContext, RequestingServer } from "./active-calls.ts";
import { badRequestError, notNowError } from "./request-refusal.ts";

/** Limits a message, in UTF-16 units. */
const longestMessage = 4000;

/**
 * Answers `elicitation/create`. A person alone says yes, no or `cancel`; what a form gets back fits its schema. Rejects with the
 * reason when no person has replied: a server takes `cancel` for a person's word.
 */
export async function answerElicitation(
  asking: RequestingServer,
  params: unknown,
  { ask, signal }: Pick<AnswerContext, "ask" | "signal">,
): Promise<Record<string, unknown>> {
  const { question, fields } = readQuestion(asking, params);
  if (ask === undefined) throw notNowError("There is no user who can be asked now");
  const reply = await waitAbortable(ask(question, signal), signal);
  if (reply === undefined) throw notNowError("No user could be asked, or none replied in time");
  if (reply.action !== "accept" || fields === undefined) return { action: reply.action };
  return { action: "accept", content: toContent(fields, reply) };
}

/** Reads a server's question, and throws where it may not be asked. Returns `fields` only for a form. */
export function readQuestion(
  asking: RequestingServer,
  params: unknown,
): { question: Elicitation; fields?: FormField[] } {
  if (!isRecord(params)) throw badRequestError("A question needs params");
  const { mode = "form", message, requestedSchema, url } = params;
  if (typeof message !== "string") throw badRequestError("A question needs a message");
  const words = { from: asking.from, message: clean(asking, message) };
  if (mode === "url") return { question: { kind: "url", ...words, url: readPage(asking, url) } };
  if (mode !== "form") throw badRequestError('The mode of a question is "form" or "url"');
  const written = isRecord(requestedSchema) ? readForm(requestedSchema) : undefined;
  if (written === undefined)
    throw badRequestError("requestedSchema is a flat object of texts, numbers, booleans and choices of texts");
  const fields = cleanFields(written, asking.redact);
  return { question: { kind: "form", ...words, schema: toFormSchema(fields) }, fields };
}

/**
 * Rejects an address that holds a secret of the server, because it would hand the secret to the user and their browser history.
 */
function readPage({ redact }: RequestingServer, address: unknown): string {
  const url = readPageAddress(address);
  if (redact(url) !== url) throw badRequestError("url holds a secret of this server's configuration");
  return url;
}

function clean({ redact }: RequestingServer, message: string): string {
  // What is cut away need not be cleaned first.
  return truncate(sanitize(redact(message.slice(0, 4 * longestMessage))), longestMessage).trim();
}

/** Builds the content field by field, so that nothing is sent that was not asked for. */
function toContent(
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
        throw notNowError(`The reply does not fit the form: ${JSON.stringify(field.name)} must be ${problem.en}`);
      return [[field.name, value ?? null]];
    }),
  );
}

const longestAddress = 4000;

/**
 * Reads the address of a page that a user is to open: `https`, or `http` on this machine; without a user name, which could pass
 * for the host. The result is spelled as the browser reads it, so that a host in foreign letters shows its real spelling.
 */
function readPageAddress(address: unknown): string {
  if (typeof address !== "string" || address.length > longestAddress || !URL.canParse(address))
    throw badRequestError(`url is an address of at most ${longestAddress} characters`);
  const url = new URL(address);
  const isOpen = url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname));
  if (!isOpen) throw badRequestError("url begins with https:, or with http: on this machine");
  if (url.username !== "" || url.password !== "") throw badRequestError("url holds no user name and no password");
  return url.href;
}

/** The host is written as `URL` writes it. */
function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Limits a form; lengths are in UTF-16 units. */
const formLimits = { fields: 50, choices: 500, name: 200, value: 1000, title: 200, description: 1000 };

/**
 * Cleans the fields so that their texts are safe to show and hold none of the server's secrets. Names and values go back to the
 * server, so they are not changed: a form with a secret in one of them is refused, and a default that holds one is dropped.
 */
function cleanFields(fields: readonly FormField[], redact: Redact): FormField[] {
  if (fields.length > formLimits.fields) throw badRequestError(`A form has at most ${formLimits.fields} fields`);
  const choices = fields.flatMap((field) => ("choices" in field ? field.choices : []));
  if (choices.length > formLimits.choices) throw badRequestError(`A form has at most ${formLimits.choices} choices`);
  const values = choices.map(({ value }) => value);
  if (
    fields.some(({ name }) => name.length > formLimits.name) ||
    values.some((value) => value.length > formLimits.value)
  )
    throw badRequestError(`Names in a form have at most ${formLimits.name} characters, values ${formLimits.value}`);
  const hasSecret = (text: string): boolean => redact(text) !== text;
  if ([...fields.map(({ name }) => name), ...values].some(hasSecret))
    throw badRequestError("A form must not hold secrets of the server");
  const toWords = (text: string, length: number): string => toShortLine(redact(text), length);
  const toTitledChoice = ({ value, title }: Choice): Choice => ({
    value,
    title: toWords(title, formLimits.title),
  });
  return fields.map((field): FormField => {
    const { title, description } = field;
    const clean = {
      title: title && toWords(title, formLimits.title),
      description: description && toWords(description, formLimits.description),
    };
    const keepsDefault = getDefaultValue(field) !== undefined && !hasSecret(JSON.stringify(field.default));
    const chosen = keepsDefault ? {} : { default: undefined };
    if ("choices" in field) return { ...field, ...clean, ...chosen, choices: field.choices.map(toTitledChoice) };
    return { ...field, ...clean, ...chosen };
  });
}
