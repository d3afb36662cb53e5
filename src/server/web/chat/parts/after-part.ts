import type { Outcome } from "../../../../core/outcome.ts";
import { type Locale, say } from "../../../../kit/locale.ts";
import { canChatModeHelp } from "../../../../render/chat-advice.ts";
import { createElement, type Part, setShown } from "../../dom.ts";
import type { RunState } from "../../run/run-state.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { createButton } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";

/** What can be done about a run that failed or was stopped: the same is asked again. */
export function createAfter(locale: Locale, actions: ChatActions): Part<RunState> {
  let question = "";
  const again = createButton(say(locale, chatTexts.tryAgain), () => actions.askAgain(question));
  const inChat = createButton(say(locale, chatTexts.tryInChat), () => actions.askAgain(question, "chat"));
  const words = createElement("span", {}, say(locale, chatTexts.chatAdvice));
  const whole = createElement("p", { class: "advice", hidden: "" }, words, " ", again, " ", inChat);
  return {
    element: whole,
    show({ question: asked, outcome, plain }) {
      question = asked;
      const isWithout = outcome === undefined ? plain?.isFailed === true : noAnswer.has(outcome.status);
      const isAdvised = outcome !== undefined && chatHelps(outcome);
      setShown(whole, isWithout);
      setShown(words, isAdvised);
      setShown(inChat, isAdvised);
    },
  };
}

const noAnswer: ReadonlySet<Outcome["status"]> = new Set(["failed", "cancelled"]);

/** After a run with tools that failed (model-invocation.md, "Agent 模式错误降级"): it is advised, and never switched by itself. */
function chatHelps({ status, meta, error }: Outcome): boolean {
  return status === "failed" && meta.mode !== "chat" && canChatModeHelp(error?.code);
}
