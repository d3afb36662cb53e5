import type { Choice, FormField } from "../../core/forms/form.ts";
import { getDefaultValue } from "../../core/forms/form-value.ts";
import { toShortLine } from "../../kit/text/short-line.ts";
import type { Redact } from "../redact.ts";
import { badRequestError } from "./request-refusal.ts";

/** Of a form; lengths in UTF-16 units. */
const most = { fields: 50, choices: 500, name: 200, value: 1000, title: 200, description: 1000 };

/**
 * The fields with words that are safe to show and hold none of the server's secrets. Names and values go back to the server
 * as they are, so they are not changed: a form whose own hold a secret is refused, and a default that does is dropped.
 */
export function cleanFields(fields: readonly FormField[], redact: Redact): FormField[] {
  if (fields.length > most.fields) throw badRequestError(`A form has at most ${most.fields} fields`);
  const choices = fields.flatMap((field) => ("choices" in field ? field.choices : []));
  if (choices.length > most.choices) throw badRequestError(`A form has at most ${most.choices} choices`);
  const values = choices.map(({ value }) => value);
  if (fields.some(({ name }) => name.length > most.name) || values.some((value) => value.length > most.value))
    throw badRequestError(`Names in a form have at most ${most.name} characters, values ${most.value}`);
  const holdsSecret = (text: string): boolean => redact(text) !== text;
  if ([...fields.map(({ name }) => name), ...values].some(holdsSecret))
    throw badRequestError("A form must not hold secrets of the server");
  const words = (text: string, length: number): string => toShortLine(redact(text), length);
  const titled = ({ value, title }: Choice): Choice => ({ value, title: words(title, most.title) });
  return fields.map((field): FormField => {
    const { title, description } = field;
    const clean = {
      title: title && words(title, most.title),
      description: description && words(description, most.description),
    };
    const keepsDefault = getDefaultValue(field) !== undefined && !holdsSecret(JSON.stringify(field.default));
    const chosen = keepsDefault ? {} : { default: undefined };
    if ("choices" in field) return { ...field, ...clean, ...chosen, choices: field.choices.map(titled) };
    return { ...field, ...clean, ...chosen };
  });
}
