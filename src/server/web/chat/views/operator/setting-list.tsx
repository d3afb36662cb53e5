import { useState } from "preact/hooks";
import { sanitize, sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import type { OperatorSettings } from "../../api/operator.ts";
import { operatorTexts, settingSources } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";

type Setting = OperatorSettings["settings"][number];

/** Shows the settings that can be changed here. The server holds them to the rules of the file, and says what is allowed. */
export function SettingList({ first }: { readonly first: OperatorSettings }) {
  const say = useSay();
  const [known, setKnown] = useState(first);
  const [wanted, setWanted] = useState("");
  const shown = known.settings.filter(
    ({ key, editable }) => editable && key.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <>
      <p class="hint">
        {say(operatorTexts.nextStart)} {known.file && <code>{sanitizeLine(known.file)}</code>}
      </p>
      <input
        type="search"
        class="find-setting"
        aria-label={say(operatorTexts.find)}
        placeholder={say(operatorTexts.find)}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      <ul class="settings-list">
        {shown.map((setting) => (
          <SettingRow key={setting.key} setting={setting} onChange={setKnown} />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  readonly setting: Setting;
  onChange(known: OperatorSettings): void;
}

function SettingRow({ setting, onChange }: RowProps) {
  const { operator, describeError } = usePage();
  const say = useSay();
  const { key, source } = setting;
  const now = setting.file_value ?? setting.value;
  const [word, setWord] = useState<{ readonly text: string; readonly isWrong: boolean } | undefined>(undefined);
  const change = (value: unknown): void => {
    operator.changeSetting(key, value).then(
      (known) => {
        onChange(known);
        setWord({ text: say(operatorTexts.saved), isWrong: false });
      },
      (thrown: unknown) => setWord({ text: describeError(thrown), isWrong: true }),
    );
  };
  return (
    <li class="setting">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control stands in `SettingInput` */}
      <label>
        <code>{key}</code> <span class="facts">{say(settingSources[source])}</span>
        <SettingInput setting={setting} now={now} change={change} />
      </label>
      {setting.file_value !== undefined && setting.file_value !== null && (
        <button type="button" class="reset" onClick={() => change(undefined)}>
          {say(operatorTexts.unset)}
        </button>
      )}
      <p class={word?.isWrong ? "problem" : "hint"} role="status">
        {word === undefined ? "" : sanitize(word.text)}
      </p>
    </li>
  );
}

interface InputProps {
  readonly setting: Setting;
  readonly now: unknown;
  change(value: unknown): void;
}

function SettingInput({ setting: { schema = {} }, now, change }: InputProps) {
  if (schema.type === "boolean")
    return (
      <input type="checkbox" checked={now === true} onChange={({ currentTarget }) => change(currentTarget.checked)} />
    );
  if (Array.isArray(schema.enum))
    return (
      <select value={String(now ?? "")} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {now === null && <option value="">–</option>}
        {schema.enum.map((each) => (
          <option key={String(each)} value={String(each)}>
            {String(each)}
          </option>
        ))}
      </select>
    );
  const isText = schema.type === "string" || typeof now === "string";
  const shown = now === null || now === undefined ? "" : isText ? String(now) : JSON.stringify(now);
  return (
    <input
      type="text"
      autocomplete="off"
      defaultValue={shown}
      onChange={({ currentTarget: { value } }) => change(isText ? value : readValue(value))}
    />
  );
}

/** A text that is no JSON is sent as it is: the server says what is allowed. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
