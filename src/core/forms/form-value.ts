import type { JsonValue } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { FormField, TextFormat } from "./form.ts";

/** Says in words for a person why a value does not fit its field, without the value. Returns undefined when it fits. */
export function findValueProblem(field: FormField, value: unknown): Text | undefined {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? findTextProblem(field, value) : aText;
    case "number":
      return numberProblem(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : yesOrNo;
    case "choice":
      return field.choices.some((choice) => choice.value === value) ? undefined : oneOfThem;
    case "choices":
      return findChoicesProblem(field, value);
  }
}

/** Returns the field's default when it fits the field. */
export function getDefaultValue(field: FormField): JsonValue | undefined {
  const value = field.default;
  return value === undefined || findValueProblem(field, value) ? undefined : value;
}

function findTextProblem({ format, minLength = 0, maxLength }: FormField & { kind: "text" }, value: string) {
  const length = [...value].length;
  if (length < minLength) return { zh: `至少 ${minLength} 个字符`, en: `at least ${minLength} characters` };
  if (maxLength !== undefined && length > maxLength)
    return { zh: `最多 ${maxLength} 个字符`, en: `at most ${maxLength} characters` };
  return format && !formats[format].fits(value) ? formats[format].wanted : undefined;
}

function numberProblem({ isWhole, minimum, maximum }: FormField & { kind: "number" }, value: unknown) {
  if (typeof value !== "number" || !Number.isFinite(value)) return isWhole ? aWholeNumber : aNumber;
  if (isWhole && !Number.isInteger(value)) return aWholeNumber;
  if (minimum !== undefined && value < minimum) return { zh: `不小于 ${minimum}`, en: `${minimum} or more` };
  if (maximum !== undefined && value > maximum) return { zh: `不大于 ${maximum}`, en: `${maximum} or less` };
  return undefined;
}

function findChoicesProblem({ choices, minItems = 0, maxItems }: FormField & { kind: "choices" }, value: unknown) {
  if (!Array.isArray(value) || value.some((one) => !choices.some((choice) => choice.value === one))) return someOfThem;
  if (new Set(value).size < value.length) return { zh: "每项只选一次", en: "each choice at most once" };
  if (value.length < minItems) return { zh: `至少选 ${minItems} 项`, en: `at least ${minItems} choices` };
  if (maxItems !== undefined && value.length > maxItems)
    return { zh: `最多选 ${maxItems} 项`, en: `at most ${maxItems} choices` };
  return undefined;
}

const aText: Text = { zh: "文本", en: "a text" };
const aNumber: Text = { zh: "数字", en: "a number" };
const aWholeNumber: Text = { zh: "整数", en: "a whole number" };
const yesOrNo: Text = { zh: "y 或 n", en: "y or n" };
const oneOfThem: Text = { zh: "选项之一", en: "one of the choices" };
const someOfThem: Text = { zh: "选项中的一项或几项", en: "one or more of the choices" };

const formats: Record<TextFormat, { wanted: Text; fits(value: string): boolean }> = {
  email: {
    wanted: { zh: "邮箱地址，如 li@example.com", en: "an e-mail address, such as li@example.com" },
    fits: (value) => /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(value),
  },
  uri: {
    wanted: { zh: "完整的网址，如 https://example.com", en: "a full URL, such as https://example.com" },
    fits: (value) => URL.canParse(value),
  },
  date: { wanted: { zh: "日期，如 2026-11-30", en: "a date, such as 2026-11-30" }, fits: isDate },
  "date-time": {
    wanted: {
      zh: "带时区的时间，如 2026-11-30T14:00:00+08:00",
      en: "a time with a time zone, such as 2026-11-30T14:00:00Z",
    },
    fits: (value) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) &&
      isDate(value.slice(0, 10)) &&
      !Number.isNaN(Date.parse(value)),
  },
};

/** Checks the day as well, because `Date.parse` accepts the 31st of any month. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
