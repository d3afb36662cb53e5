// Weight: about how many tokens each prompt costs with every request, in both languages, the tools of `plan` left out.
// Fails above the limits.
import { createPrompts } from "../src/agent/prompts/prompts.ts";
import { estimateTokens } from "../src/providers/estimate-tokens.ts";

const limits = { decide: 360, "decide-alone": 365, answer: 250, chat: 45, plan: 330, compress: 165 };

const values = { marker: "3f2a9c0d", tools: "", calls: "25", rounds: "10" };
const places = {
  zh: {
    day: "星期二，时区 Asia/Shanghai",
    place: "工作目录：/home/ada/work；可读的目录：/home/ada/work（相对路径从它算起）。",
  },
  en: {
    day: "Tuesday, time zone Asia/Shanghai",
    place: "Working folder: /home/ada/work. Readable folder: /home/ada/work (relative paths start there).",
  },
};
// A chat reads these only where its conversation holds results.
const unread = { chat: { cite: "", untrusted: "" } };
const prompts = createPrompts();
const model = { provider: "openai", model: "gpt-4o-mini" };
let over = 0;
for (const name of Object.keys(limits)) {
  const weigh = (locale) =>
    estimateTokens(prompts.render(name, { model, locale }, { ...values, ...places[locale], ...unread[name] }));
  const [zh, en] = [weigh("zh"), weigh("en")];
  if (Math.max(zh, en) > limits[name]) over++;
  const shown = [zh, en, limits[name]].map((tokens) => String(tokens).padStart(4));
  console.log(`${name.padEnd(13)} zh ${shown[0]}   en ${shown[1]}   tokens, at most ${shown[2]}`);
}
if (over > 0) throw new Error(`${over} prompts are above their limits`);
