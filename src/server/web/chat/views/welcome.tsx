import { modeHelp, modeNames, modes } from "../../../../render/mode-names.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { usePage, useSay } from "./page-model.ts";

/**
 * Before the first question, shows the current mode and explains the others (docs/development/model-invocation.md#默认模式配置,
 * docs/development/model-invocation.md#模式说明).
 */
export function Welcome() {
  const { chat, actions } = usePage();
  const say = useSay();
  const { mode: now } = chat.value.choices;
  return (
    <section class="welcome">
      <h2>{say(chatTexts.welcome)}</h2>
      <p class="hint">{`Duet · ${say(chatTexts.nowIn)}${say(modeNames[now])}`}</p>
      <ul class="modes">
        {modes.map((mode) => (
          <li key={mode}>
            <button
              type="button"
              class="choose-mode"
              aria-pressed={mode === now}
              onClick={() => actions.chooseMode(mode)}
            >
              <strong>{say(modeNames[mode])}</strong> <span class="hint">{say(modeHelp[mode])}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
