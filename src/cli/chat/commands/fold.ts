import { say } from "../../../kit/errors.ts";
import type { ChatCommand } from "./chat-command.ts";
import { commandError } from "./command-error.ts";

export const fold: ChatCommand = {
  name: "/fold",
  argument: "",
  help: {
    zh: "把最新回答的步骤列表折叠成一行，再用一次则展开",
    en: "folds the list of the newest answer's steps to one line; once more opens it",
  },
  run({ settings: { locale }, steps, toggleSteps, write }) {
    const isDone = toggleSteps();
    if (isDone === false)
      throw commandError(
        {
          zh: "步骤列表已不在屏幕上，终端不能改写它",
          en: "The list of steps is no longer on the screen, so it cannot be folded",
        },
        { zh: "/expand 重新显示全部步骤。", en: "/expand shows all steps again." },
      );
    const none =
      steps.ofRun().length === 0
        ? { zh: "还没有可以折叠的步骤。", en: "There is no step to fold yet." }
        : { zh: "这里的输出逐行写出，不能折叠。", en: "This output is written line by line and cannot be folded." };
    if (isDone === undefined) write(say(locale, none));
    return undefined;
  },
};
