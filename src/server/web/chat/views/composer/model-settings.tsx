import { useRef, useState } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { parameterRanges } from "../../../../../render/choice-texts.ts";
import { type ModelKey, type ParameterName, parameterNames, roles } from "../../api/server-settings.ts";
import { getModel } from "../../state/chat-choices.ts";
import { chatTexts, parameterLabels, roleNames } from "../../state/chat-texts.ts";
import { usePage, useSay } from "../page-model.ts";

/** Shows the two models and their parameters (docs/development/agent-mode.md#ui-配置). */
export function ModelSettings() {
  const { settings } = usePage();
  return (
    <div class="more-settings" id="more_settings" hidden={!settings.value}>
      {roles.map((role) => (
        <Role key={role} role={role} />
      ))}
    </div>
  );
}

function Role({ role }: { readonly role: ModelKey }) {
  const { chat, actions } = usePage();
  const say = useSay();
  const now = getModel(chat.value, role);
  const choices = [...new Set([now, ...(chat.value.settings?.choices ?? [])])].filter(Boolean);
  return (
    <fieldset class="role">
      <legend>{say(roleNames[role])}</legend>
      <label class="field">
        <span>{say(chatTexts.model)}</span>
        <select
          id={`${role}_model`}
          value={now}
          disabled={choices.length < 2}
          onChange={({ currentTarget }) => actions.chooseModel(role, currentTarget.value)}
        >
          {choices.map((each) => (
            <option key={each} value={each}>
              {sanitizeLine(each)}
            </option>
          ))}
        </select>
      </label>
      <div class="parameters">
        {parameterNames.map((name) => (
          <Parameter key={name} role={role} name={name} />
        ))}
      </div>
    </fieldset>
  );
}

function Parameter({ role, name }: { readonly role: ModelKey; readonly name: ParameterName }) {
  const { chat, actions } = usePage();
  const say = useSay();
  const input = useRef<HTMLInputElement>(null);
  /** Holds what is typed and not taken yet; undefined where the field shows what is chosen. */
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const { choices, settings } = chat.value;
  const chosen = String(choices.parameters[role]?.[name] ?? "");
  const isWrong = typed !== undefined && !isAllowed(name, typed);
  const read = (text: string): void => {
    const isFine = isAllowed(name, text);
    setTyped(isFine ? undefined : text);
    if (isFine) actions.chooseParameter(role, name, text.trim() === "" ? undefined : Number(text));
  };
  return (
    <label class="field">
      <span>{parameterLabels[name]}</span>
      <input
        ref={input}
        id={`${role}_${name}`}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        class="number"
        placeholder={String(settings?.parameters[role][name] ?? "")}
        value={typed ?? chosen}
        aria-invalid={isWrong}
        onChange={({ currentTarget }) => read(currentTarget.value)}
      />
      <span class="problem" role="alert" hidden={!isWrong}>
        {isWrong ? say(chatTexts.wanted) + say(parameterRanges[name]) : ""}
      </span>
    </label>
  );
}

/** Returns the first field whose value is not allowed. */
export function findWrongParameter(): HTMLElement | undefined {
  const fields = [...document.querySelectorAll<HTMLInputElement>("#more_settings input.number")];
  const toName = ({ id }: HTMLElement) => parameterNames.find((name) => id.endsWith(`_${name}`));
  return fields.find((field) => {
    const name = toName(field);
    return name !== undefined && !isAllowed(name, field.value);
  });
}

function isAllowed(name: ParameterName, text: string): boolean {
  return text.trim() === "" || isWithinRange(name, Number(text));
}

/** Checks the range of docs/development/model-invocation.md#无效参数. The server checks the vendor's further limits. */
function isWithinRange(name: ParameterName, value: number): boolean {
  if (name === "temperature") return value >= 0 && value < 2;
  if (name === "top_p") return value > 0 && value <= 1;
  return Number.isInteger(value) && value >= 1;
}
