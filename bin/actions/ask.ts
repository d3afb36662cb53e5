import { findChosenConversation } from "../../src/cli/conversations/chosen-conversation.ts";
import { withDuet } from "../../src/cli/with-duet.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { readConversationChoice, toFlags } from "../options.ts";
import { readMode, toText, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Answers one question. */
export function ask(values: Values): Action {
  const choice = readConversationChoice(values);
  const flags = toFlags(values);
  return (context) =>
    withDuet(flags, context, async ({ duet, config, console, signal }) => {
      const [{ runAsk }, { readQuestion }, { canShowHyperlinks }] = await Promise.all([
        import("../../src/cli/ask.ts"),
        import("../../src/cli/read-question.ts"),
        import("../../src/cli/terminal/screen/shows-hyperlinks.ts"),
      ]);
      const question = await readQuestion(toText(values.question), console);
      if (question === "") throw missingQuestionError();
      const { output } = values;
      const conversationId = await findChosenConversation(choice, { duet, config });
      return runAsk({
        duet,
        console,
        request: { question, conversationId, mode: readMode(values), signal },
        output: output === "json" || output === "jsonl" ? output : "text",
        verbose: config.agent.verbose,
        hyperlinks: canShowHyperlinks(console.stdout, config.environment, values["no-color"] !== true),
      });
    });
}

function missingQuestionError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: '没有给出问题（允许：duet ask "问题"，或从标准输入给出）',
      en: 'no question given (allowed: duet ask "question", or the question on stdin)',
    },
  });
}
