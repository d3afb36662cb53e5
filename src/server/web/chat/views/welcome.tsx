import type { Mode } from "../../../../core/run/outcome.ts";
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
  const isOffline = settings?.models.function_call === "offline";
  return (
    <section class="welcome">
      <h2>{say(chatTexts.welcome)}</h2>
      <p class="hint">{`Duet · ${say(chatTexts.nowIn)}${say(modeNames[choices.mode])}`}</p>
      {isOffline && <NoModel />}
      <ul class="examples" aria-label={say(chatTexts.examples)}>
        {(isOffline ? toolExamples : examples[choices.mode]).map((example) => (
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

/** Lists questions that the rules answer where no model is configured, and models that have tools. */
const toolExamples: readonly Text[] = [
  { zh: "东京现在几点？", en: "What time is it in Tokyo?" },
  { zh: "计算 (24 + 17) / 2", en: "calculate (24 + 17) / 2" },
  { zh: "北京天气", en: "weather in Beijing" },
  { zh: "联网搜索 Node.js 24 的新特性", en: "search the web for Node.js 24" },
];

const examples: Readonly<Record<Mode, readonly Text[]>> = {
  // Its models have no tools.
  chat: [
    { zh: "用一句话解释什么是递归", en: "Explain recursion in one sentence" },
    { zh: "帮我写一封请假一天的邮件", en: "Write an email that asks for a day off" },
    { zh: "“明天见”用英语和日语怎么说？", en: "How do you say “see you tomorrow” in French and Spanish?" },
    { zh: "晚饭只有番茄和鸡蛋，可以做什么？", en: "What can I cook with tomatoes and eggs?" },
  ],
  agent: toolExamples,
  plan: toolExamples,
};

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
