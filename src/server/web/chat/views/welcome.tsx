import type { Text } from "../../../../kit/locale.ts";
import { modeHelp, modeNames, modes } from "../../../../render/mode-names.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { usePage, useSay } from "./page-model.ts";

/**
 * Before the first question, says what this is, shows the current mode and explains the others
 * (docs/development/model-invocation.md#默认模式配置, docs/development/model-invocation.md#模式说明).
 */
export function Welcome() {
  const { chat, actions } = usePage();
  const say = useSay();
  const { choices, settings } = chat.value;
  return (
    <section class="welcome">
      <h2>{say(chatTexts.welcome)}</h2>
      <p class="hint">{`Duet · ${say(chatTexts.nowIn)}${say(modeNames[choices.mode])}`}</p>
      {settings?.models.function_call === "offline" && <NoModel />}
      <ul class="examples" aria-label={say(chatTexts.examples)}>
        {examples.map((example) => (
          <li key={example.en}>
            <button type="button" class="example" onClick={() => actions.send(say(example))}>
              {say(example)}
            </button>
          </li>
        ))}
      </ul>
      <ul class="modes">
        {modes.map((mode) => (
          <li key={mode}>
            <button
              type="button"
              class="choose-mode"
              aria-pressed={mode === choices.mode}
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

/** Lists questions that the rules answer where no model is configured, and models too. */
const examples: readonly Text[] = [
  { zh: "东京现在几点？", en: "What time is it in Tokyo?" },
  { zh: "计算 (24 + 17) / 2", en: "calculate (24 + 17) / 2" },
  { zh: "北京天气", en: "weather in Beijing" },
  { zh: "联网搜索 Node.js 24 的新特性", en: "search the web for Node.js 24" },
];

function NoModel() {
  const say = useSay();
  return (
    <div class="no-model" role="note">
      <strong>{say(chatTexts.noModel)}</strong>
      <p>{say(chatTexts.noModelHelp)}</p>
      <pre>{"export ANTHROPIC_API_KEY=…\nexport OPENAI_API_KEY=…\nduet init"}</pre>
    </div>
  );
}
