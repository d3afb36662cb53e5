import { withStore } from "../../src/cli/with-store.ts";
import { pageOf, toFlags } from "../options.ts";
import { formOf, text, texts, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Shows the trace of a run; nothing but the store is opened. */
export function trace(values: Values): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ store, config: { locale, agent, conversations }, console }) => {
      const { runTrace } = await import("../../src/cli/trace/trace-command.ts");
      const isKept = conversations.store !== "memory";
      const options = { store, isKept, console, locale, output: formOf(values), verbose: agent.verbose };
      return runTrace(options, text(values.run));
    });
}

/** Lists, shows or deletes conversations; nothing but the store is opened. */
export function conversations(action: "list" | "show" | "delete", values: Values): Action {
  const page = pageOf(values);
  return (context) =>
    withStore(toFlags(values), context, async ({ store, config, console }) => {
      const command = await import("../../src/cli/conversations/conversations-command.ts");
      const isKept = config.conversations.store !== "memory";
      const options = { store, isKept, console, locale: config.locale, output: formOf(values) };
      if (action === "list") return command.listConversations(options, page);
      if (action === "show") return command.showConversation(options, text(values.id) ?? "");
      return command.deleteConversations(options, texts(values.ids));
    });
}
