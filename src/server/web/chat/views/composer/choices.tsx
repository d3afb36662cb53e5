import type { ComponentChildren } from "preact";
import { type Locale, say as sayIn } from "../../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { describeSearchChoice, modeHelp, modeNames, modes, modeTitle } from "../../../../../render/mode-names.ts";
import type { ChatState } from "../../state/chat-state.ts";
import { chatTexts, searchBarred } from "../../state/chat-texts.ts";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { ModelSettings } from "./model-settings.tsx";

export interface ChoicesProps {
  /** Stands before the choices. */
  readonly first?: ComponentChildren;
  /** Stands behind the choices: what sends or stops. */
  readonly children: ComponentChildren;
}

/**
 * Shows the controls for the mode, the search switch, the models and their parameters
 * (docs/development/model-invocation.md#模式-ui-组件).
 */
export function Choices({ first, children }: ChoicesProps) {
  const { chat, locale, settings, actions } = usePage();
  const say = useSay();
  const { choices, settings: server } = chat.value;
  const why = explainSearch(chat.value, locale.value);
  const isOn = choices.mode === "chat" && choices.search && server?.search.available !== false;
  return (
    <section class="settings" aria-label={say(chatTexts.settings)} data-mode={choices.mode}>
      <div class="controls">
        {first}
        <ModeChoice />
        <label class="switch search" title={why}>
          <input
            type="checkbox"
            role="switch"
            aria-checked={isOn}
            id="search_switch"
            aria-describedby="search_help"
            checked={isOn}
            disabled={why !== ""}
            onChange={({ currentTarget }) => actions.chooseSearch(currentTarget.checked)}
          />
          <Icon name="globe" />
          <span class="words">{say(chatTexts.search)}</span>
        </label>
        <button
          type="button"
          class="open-settings"
          aria-expanded={settings.value}
          aria-controls="more_settings"
          title={say(chatTexts.moreSettings)}
          onClick={() => {
            settings.value = !settings.value;
          }}
        >
          <Icon name="gear" />
          <span class="words">{say(chatTexts.moreSettings)}</span>
        </button>
        {children}
      </div>
      <p class="hints">
        <span class="hint" id="mode_help">
          {choices.agent ? "" : say(modeHelp[choices.mode])}
        </span>{" "}
        <span class="hint" id="search_help" hidden={why === ""}>
          {why}
        </span>
      </p>
      <ModelSettings />
    </section>
  );
}

/** Agents stand behind the modes. */
function ModeChoice() {
  const { chat, actions } = usePage();
  const say = useSay();
  const { choices, settings } = chat.value;
  const choose = (value: string): void => {
    const mode = modes.find((each) => each === value);
    if (mode === undefined) actions.chooseAgent(value);
    else actions.chooseMode(mode);
  };
  return (
    <label class="field mode">
      <span>{say(modeTitle)}</span>
      <select
        id="mode_selector"
        aria-describedby="mode_help"
        value={choices.agent ?? choices.mode}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {modes.map((mode) => (
          <option key={mode} value={mode} title={say(modeHelp[mode])}>
            {say(modeNames[mode])}
          </option>
        ))}
        {(settings?.agents ?? []).map((name) => (
          <option key={`agent ${name}`} value={name}>
            {sanitizeLine(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Explains why the switch is disabled, and is empty when it is enabled (docs/development/web-search.md#agent-模式搜索开关). */
function explainSearch({ choices: { mode }, settings }: ChatState, locale: Locale): string {
  if (mode !== "chat") return describeSearchChoice(mode, locale);
  return settings?.search.available === false ? sayIn(locale, searchBarred[settings.search.reason]) : "";
}
