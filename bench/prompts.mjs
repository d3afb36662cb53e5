// Weight: about how many tokens each prompt costs with every request, in both languages, the tools of `plan` left out.
// Fails above the limits.
import { promptNames } from "../src/agent/prompts/choose-prompt.ts";
import { createPrompts } from "../src/agent/prompts/prompts.ts";
import { estimateTokens } from "../src/providers/estimate-tokens.ts";

const limits = { decide: 240, "decide-alone": 260, answer: 140, chat: 45, plan: 280, compress: 165 };

const prompts = createPrompts();
const model = { provider: "openai", model: "gpt-4o-mini" };
let over = 0;
for (const name of promptNames) {
  const weigh = (locale) => estimateTokens(prompts.render(name, { model, locale }, { marker: "3f2a9c0d", tools: "" }));
  const [zh, en] = [weigh("zh"), weigh("en")];
  if (Math.max(zh, en) > limits[name]) over++;
  const shown = [zh, en, limits[name]].map((tokens) => String(tokens).padStart(4));
  console.log(`${name.padEnd(13)} zh ${shown[0]}   en ${shown[1]}   tokens, at most ${shown[2]}`);
}
if (over > 0) throw new Error(`${over} prompts are above their limits`);
