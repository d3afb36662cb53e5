import { withStore } from "../../src/cli/with-store.ts";
import { readPage, toFlags } from "../options.ts";
import { readOutputFormat, toText, toTexts, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Shows the trace of a run; nothing but the store is opened. */
export function showTrace(values: Values): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ store, config: { locale, agent, conversations }, console }) => {
      const { runTrace } = await import("../../src/cli/trace/trace-command.ts");
      const isKept = conversations.store !== "memory";
      const options = { store, isKept, console, locale, output: readOutputFormat(values), verbose: agent.verbose };
      return runTrace(options, toText(values.run));
    });
}

/** Lists, shows or deletes conversations; nothing but the store is opened. */
export function runConversations(action: "list" | "show" | "delete", values: Values): Action {
  const page = readPage(values);
  return (context) =>
    withStore(toFlags(values), context, async ({ store, config, console }) => {
      const command = await import("../../src/cli/conversations/conversations-command.ts");
      const isKept = config.conversations.store !== "memory";
      const options = { store, isKept, console, locale: config.locale, output: readOutputFormat(values) };
      if (action === "list") return command.listConversations(options, page);
      if (action === "show") return command.showConversation(options, toText(values.id) ?? "");
      return command.deleteConversations(options, toTexts(values.ids));
    });
}
