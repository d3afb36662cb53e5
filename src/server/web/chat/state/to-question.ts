import type { Locale } from "../../../../kit/locale.ts";
import type { QuestionRequest } from "../api/api.ts";
import type { ChatState } from "./chat-state.ts";

/** A question in the conversation that is shown, as it has been chosen. The search switch counts in chat mode alone. */
export function toQuestion(
  { choices, settings, conversationId }: ChatState,
  message: string,
  locale: Locale,
): QuestionRequest {
  const { mode, search, models, parameters } = choices;
  const hasSearch = mode === "chat" && settings?.search.available === true;
  return {
    message,
    mode,
    locale,
    models,
    parameters,
    conversation_id: conversationId,
    search: hasSearch ? search : undefined,
  };
}
