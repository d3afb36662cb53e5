import { say } from "../../../kit/locale.ts";
import type { ChatCommand } from "./chat-command.ts";
import { commandError } from "./command-error.ts";

export const fold: ChatCommand = {
  name: "/fold",
  argument: "",
  help: {
    zh: "把最新回答的步骤列表折叠成一行，再用一次则展开",
    en: "folds the step list of the latest answer to one line; a second /fold opens it",
  },
  run({ settings: { locale }, steps, toggleSteps, write }) {
    const isDone = toggleSteps();
    if (isDone === false)
      throw commandError(
        {
          zh: "步骤列表已不在屏幕上，无法折叠",
          en: "The step list is no longer on the screen and cannot be folded",
        },
        { zh: "/expand 重新显示全部步骤。", en: "/expand shows all steps again." },
      );
    const none =
      steps.ofRun().length === 0
        ? { zh: "还没有可以折叠的步骤。", en: "There is no step to fold yet." }
        : { zh: "纯文本输出不能折叠。", en: "Plain output cannot be folded." };
    if (isDone === undefined) write(say(locale, none));
    return undefined;
  },
};
