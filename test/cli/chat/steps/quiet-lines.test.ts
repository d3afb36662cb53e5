import { expect, test } from "vitest";
import { renderEnd } from "../../../../src/cli/chat/steps/quiet-lines.ts";
import { toPlainText } from "../../../../src/cli/terminal/text/line.ts";
import { DuetError } from "../../../../src/kit/errors.ts";
import type { Locale } from "../../../../src/kit/locale.ts";
import { outcomeOf } from "../../../fakes/events.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { runAll } from "../../../fakes/run.ts";

const text = { zh: "出错了", en: "no luck" };
const hint = { zh: "请稍后再试。", en: "Try later." };

test.each([
  [
    "en",
    hint,
    ["✗ no luck. Try later.", "  You can try Chat mode with /mode chat; the mode is not switched automatically."],
  ],
  ["en", undefined, ["✗ no luck", "  You can try Chat mode with /mode chat; the mode is not switched automatically."]],
  ["zh", hint, ["✗ 出错了。请稍后再试。", "  建议用 /mode chat 切换到 Chat 模式再试；模式不会自动切换。"]],
] as const)("a failed run advises chat mode once, by the command (%s, %j)", async (locale: Locale, said, lines) => {
  const error = new DuetError({ code: "server", text, hint: said });
  const model = scriptedModel([{ error }]);
  const outcome = outcomeOf(await runAll({ models: { functionCall: model, answer: model }, locale }));
  expect(outcome.error?.hint).toContain("Chat");
  expect(renderEnd(outcome, locale).map(toPlainText).slice(0, 2)).toEqual(lines);
});
