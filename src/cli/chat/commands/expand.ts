import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { Chat } from "../chat-state.ts";
import { expandRun } from "../expand-run.ts";
import type { Step } from "../steps/step.ts";
import { expandStep } from "../steps/step-words.ts";
import type { ChatCommand } from "./chat-command.ts";
import { commandError } from "./command-error.ts";

export const expand: ChatCommand = {
  name: "/expand",
  argument: "[N]",
  help: {
    zh: "展开一个步骤；不给编号时展开上一次运行的全部步骤",
    en: "shows a step in full; without a number, all steps of the last run",
  },
  complete: async ({ steps }) =>
    steps.ofRun().map(({ number, name }) => ({ text: String(number), help: toShortLine(name, 80) })),
  run(chat, argument) {
    if (argument === "") expandRun(chat);
    else chat.write(...expandStep(findStep(argument, chat), chat.settings.locale));
    return undefined;
  },
};

function findStep(argument: string, { steps }: Chat): Step {
  const [, digits] = /^#?(\d{1,9})$/.exec(argument) ?? [];
  const step = digits === undefined ? undefined : steps.find(Number(digits));
  if (step) return step;
  const shown = toShortLine(argument, 40);
  const numbers = steps.ofRun().map(({ number }) => number);
  const there =
    numbers.length === 0
      ? { zh: "现在还没有步骤。", en: "There are no steps yet." }
      : { zh: `上一次运行的步骤：${numbers.join("、")}。`, en: `The last run has: ${numbers.join(", ")}.` };
  throw commandError({ zh: `没有步骤 "${shown}"`, en: `There is no step "${shown}"` }, there);
}
