import { chosenConversation, tellTitle } from "../../src/cli/chosen-conversation.ts";
import { following } from "../../src/cli/following.ts";
import { withDuet } from "../../src/cli/opened.ts";
import { startMode } from "../../src/cli/start-mode.ts";
import { conversationChoice, toFlags } from "../options.ts";
import { modeOf, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** The terminal chat. A pipe on stdin is asked line by line in agent mode, as `ask` does. */
export function chat(values: Values): Action {
  const choice = conversationChoice(values);
  const flags = toFlags(values);
  return (context) =>
    withDuet(flags, context, async (opened) => {
      const { duet, config, console, signal } = opened;
      const [{ runChat }, { showsHyperlinks }] = await Promise.all([
        import("../../src/cli/chat.ts"),
        import("../../src/cli/hyperlinks.ts"),
      ]);
      const mode = modeOf(values) ?? (console.stdin.isTTY ? await startMode(config, duet) : "agent");
      const conversationId = await chosenConversation(choice, { duet, config });
      if (choice === "latest") await tellTitle(duet, console);
      const { enabled } = config.search;
      const options = {
        duet,
        console,
        conversationId,
        mode,
        search: { on: enabled === true, isBarred: enabled === false },
        verbose: config.agent.verbose,
        hyperlinks: showsHyperlinks(console.stdout, config.environment, values["no-color"] !== true),
        signal,
      };
      if (!console.stdin.isTTY) return runChat(options);
      return following({ ...opened, flags }, (asides) => runChat({ ...options, asides }));
    });
}
