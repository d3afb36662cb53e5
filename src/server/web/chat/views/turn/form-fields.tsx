import { useRef, useState } from "preact/hooks";
import type { FormField } from "../../../../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../../../../core/forms/form-value.ts";
import type { JsonObject, JsonValue } from "../../../../../kit/json.ts";
import type { Text } from "../../../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { chatTexts } from "../../state/chat-texts.ts";
import { useSay } from "../page-model.ts";

export interface FormFieldsProps {
  readonly fields: readonly FormField[];
  /**
   * Is set to what returns the filled-in values, or undefined when one is invalid. The invalid field then shows the error and
   * gets the focus.
   */
  readonly read: { current: () => JsonObject | undefined };
  /** Runs when Enter is pressed in a field of one line. */
  submit(): void;
}

type Control = HTMLInputElement | HTMLSelectElement;

/** Shows the fields of a form. */
export function FormFields({ fields, read, submit }: FormFieldsProps) {
  const controls = useRef(new Map<string, Control>());
  const [problems, setProblems] = useState<Readonly<Record<string, Text>>>({});
  read.current = () => {
    const values = fields.map((field) => ({ field, value: readValue(field, controls.current.get(field.name)) }));
    const wrong = values.flatMap(({ field, value }) => {
      const problem = findProblem(field, value);
      return problem === undefined ? [] : [[field.name, problem] as const];
    });
    setProblems(Object.fromEntries(wrong));
    controls.current.get(wrong[0]?.[0] ?? "")?.focus();
    if (wrong.length > 0) return undefined;
    return Object.fromEntries(
      values.flatMap(({ field, value }) => (value === undefined ? [] : [[field.name, value] as const])),
    );
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    submit();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in any of its fields sends the form
    <div class="fields" onKeyDown={handleKey}>
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          problem={problems[field.name]}
          hold={(control) => {
            if (control !== null) controls.current.set(field.name, control);
          }}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly problem: Text | undefined;
  hold(control: Control | null): void;
}

function Field({ field, problem, hold }: FieldProps) {
  const say = useSay();
  const name = sanitizeLine(field.title ?? field.name) + (field.required ? say(chatTexts.required) : "");
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control stands in `FieldInput`
    <label class="field" data-kind={field.kind}>
      <span>{name}</span>
      {field.description && <span class="hint">{sanitize(field.description)}</span>}
      <FieldInput field={field} isWrong={problem !== undefined} hold={hold} />
      <span class="problem" role="alert" hidden={problem === undefined}>
        {problem === undefined ? "" : say(problem)}
      </span>
    </label>
  );
}

interface InputProps {
  readonly field: FormField;
  readonly isWrong: boolean;
  hold(control: Control | null): void;
}

function FieldInput({ field, isWrong, hold }: InputProps) {
  const say = useSay();
  const preset = getDefaultValue(field);
  const [first] = useState(preset);
  if (field.kind === "boolean")
    return <input type="checkbox" ref={hold} defaultChecked={first === true} aria-invalid={isWrong} />;
  if (field.kind === "choice" || field.kind === "choices")
    return (
      <select ref={hold} multiple={field.kind === "choices"} aria-invalid={isWrong}>
        {field.kind === "choice" && <option value="">{say(chatTexts.choose)}</option>}
        {field.choices.map(({ value, title }) => (
          <option
            key={value}
            value={`=${value}`}
            selected={Array.isArray(first) ? first.includes(value) : first === value}
          >
            {sanitizeLine(title)}
          </option>
        ))}
      </select>
    );
  const kind = field.kind === "number" ? ({ type: "number", step: "any" } as const) : ({ type: "text" } as const);
  return <input {...kind} ref={hold} defaultValue={first === undefined ? "" : String(first)} aria-invalid={isWrong} />;
}

function findProblem(field: FormField, value: JsonValue | undefined): Text | undefined {
  if (value === undefined) return field.required ? chatTexts.missing : undefined;
  const wrong = findValueProblem(field, value);
  const { zh, en } = chatTexts.wanted;
  return wrong && { zh: zh + wrong.zh, en: en + wrong.en };
}

/** Returns undefined when the field is empty. */
function readValue(field: FormField, control: Control | undefined): JsonValue | undefined {
  if (control === undefined) return undefined;
  if (control instanceof HTMLSelectElement) {
    const chosen = [...control.selectedOptions].flatMap(({ value }) => (value === "" ? [] : [value.slice(1)]));
    if (field.kind === "choice") return chosen[0];
    return chosen.length > 0 ? chosen : undefined;
  }
  if (field.kind === "boolean") return control.checked;
  if (field.kind === "text") return control.value === "" ? undefined : control.value;
  // What is no number, a browser gives as empty; it is not to pass for nothing.
  if (control.validity.badInput) return Number.NaN;
  return control.value.trim() === "" ? undefined : Number(control.value);
}
