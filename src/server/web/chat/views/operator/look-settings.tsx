import { chatTexts, sideTexts } from "../../state/chat-texts.ts";
import { changeTexts } from "../../state/operator-change-texts.ts";
import { type Theme, usePage, useSay } from "../page-model.ts";

const themes: readonly Theme[] = ["auto", "light", "dark"];

/** Sets the language and the colours of the page in this browser. */
export function LookSettings() {
  const { locale, theme, actions } = usePage();
  const say = useSay();
  return (
    <div class="pick">
      <p class="hint">{say(changeTexts.lookHelp)}</p>
      <label class="field">
        <span>{say(chatTexts.language)}</span>
        <select
          value={locale.value}
          onChange={({ currentTarget }) => actions.chooseLocale(currentTarget.value === "zh" ? "zh" : "en")}
        >
          <option value="zh" lang="zh-CN">
            中文
          </option>
          <option value="en" lang="en">
            English
          </option>
        </select>
      </label>
      <label class="field">
        <span>{say(sideTexts.theme)}</span>
        <select
          value={theme.value}
          onChange={({ currentTarget: { value } }) => {
            theme.value = themes.find((each) => each === value) ?? "auto";
          }}
        >
          {themes.map((each) => (
            <option key={each} value={each}>
              {say(sideTexts[each])}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
