import type { Choice, FormField } from "../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../core/forms/form-value.ts";
import { readYesNo } from "../../core/questions/yes-no.ts";
import type { JsonValue } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";

/** Describes a field with its numbered choices; the words come from the server and are shown as such. */
export function renderField(field: FormField, locale: Locale): string[] {
  const { title, name, description, required } = field;
  const need = required ? say(locale, { zh: "（必填）", en: " (required)" }) : "";
  const why = description ? ` — ${sanitizeLine(description)}` : "";
  const choices = "choices" in field ? field.choices : [];
  return [
    `${sanitizeLine(title ?? name)}${need}${why}`,
    ...choices.map((choice, index) => `  ${index + 1}) ${sanitizeLine(choice.title)}`),
  ];
}

/** Renders the query for one field: its name, the expected value and the meaning of an empty line. */
export function renderFieldQuery(field: FormField, locale: Locale): string {
  const hints = [describeWanted(field), describeEmpty(field)].flatMap((hint) => (hint ? [say(locale, hint)] : []));
  const hint = hints.length > 0 ? ` [${hints.join(" · ")}]` : "";
  return `${toShortLine(field.title ?? field.name, 60)}${hint}: `;
}

/**
 * Parses a line as the field's value, which is undefined when the field is skipped; a `problem` says what is expected instead.
 */
export function readFieldLine(field: FormField, line: string): { value: JsonValue | undefined } | { problem: Text } {
  if (line === "") {
    const value = getDefaultValue(field) ?? (field.kind === "choices" && field.required ? [] : undefined);
    const isMissing = value === undefined ? field.required : findValueProblem(field, value) !== undefined;
    return isMissing ? { problem: needed } : { value };
  }
  const value = readValue(field, line);
  const problem = findValueProblem(field, value);
  return problem || value === undefined ? { problem: problem ?? needed } : { value };
}

/** Returns true when the field seems to ask for a secret, which nobody should type into a form. */
export function isSecretField({ name, title = "", description = "" }: FormField): boolean {
  // Words of a name may be written together, parted by case or by underscores.
  const words = `${name.replace(/([a-z])([A-Z])/g, "$1 $2")} ${title} ${description}`.replace(/[_-]/g, " ");
  return secretWords.test(words);
}

const secretWords =
  /pass ?(word|wd|phrase|code)|\b(pwd|secret|credentials?|token|pin|otp|cvv|cvc|ssn)\b|(api|private|access|secret) ?key|card number|密码|口令|密钥|令牌|验证码|信用卡|银行卡|身份证/i;

function readValue(field: FormField, line: string): JsonValue | undefined {
  switch (field.kind) {
    case "text":
      return line;
    case "number": {
      const digits = line.normalize("NFKC");
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : undefined;
    }
    case "boolean":
      return readYesNo(line);
    case "choice":
      return findChoice(field, line);
    case "choices": {
      const values = line.split(/[\s,，、;；]+/).map((part) => findChoice(field, part));
      return values.every((value) => value !== undefined) ? values : undefined;
    }
  }
}

/** Finds a choice by its number, or else by its exact text. */
function findChoice({ choices }: { choices: readonly Choice[] }, words: string): string | undefined {
  const digits = words.normalize("NFKC");
  const numbered = /^\d+$/.test(digits) ? choices[Number(digits) - 1] : undefined;
  return (numbered ?? choices.find(({ value, title }) => value === words || title === words))?.value;
}

function describeWanted(field: FormField): Text | undefined {
  switch (field.kind) {
    case "text":
      return field.format && formats[field.format];
    case "number":
      return describeNumbers(field);
    case "boolean":
      return { zh: "y/n", en: "y/n" };
    case "choice":
      return { zh: `1-${field.choices.length}`, en: `1-${field.choices.length}` };
    case "choices":
      return {
        zh: `1-${field.choices.length}，可选几项，如 1,2`,
        en: `1-${field.choices.length}, several allowed, such as 1,2`,
      };
  }
}

function describeNumbers({ isWhole, minimum, maximum }: FormField & { kind: "number" }): Text {
  const range = minimum === undefined && maximum === undefined ? "" : ` ${minimum ?? ""}..${maximum ?? ""}`;
  return isWhole ? { zh: `整数${range}`, en: `whole number${range}` } : { zh: `数字${range}`, en: `number${range}` };
}

function describeEmpty(field: FormField): Text | undefined {
  const value = getDefaultValue(field);
  if (value === undefined) return field.required ? undefined : { zh: "回车：不填", en: "Enter: skip" };
  const shown = toShortLine(showValue(field, value), 60);
  return { zh: `回车：${shown}`, en: `Enter: ${shown}` };
}

function showValue(field: FormField, value: JsonValue): string {
  if (typeof value === "boolean") return value ? "y" : "n";
  const titles = "choices" in field ? field.choices : [];
  const findTitle = (one: JsonValue): string => titles.find((choice) => choice.value === one)?.title ?? String(one);
  return Array.isArray(value) ? value.map(findTitle).join(", ") : findTitle(value);
}

const formats = {
  email: { zh: "邮箱", en: "e-mail" },
  uri: { zh: "网址", en: "web address" },
  date: { zh: "日期，如 2026-11-30", en: "date, such as 2026-11-30" },
  "date-time": { zh: "时间，如 2026-11-30T14:00:00+08:00", en: "time, such as 2026-11-30T14:00:00Z" },
};
const needed: Text = { zh: "一个回答", en: "an answer" };
