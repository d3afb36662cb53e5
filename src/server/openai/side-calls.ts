import type { ChatRequest } from "./read-chat.ts";
import { readText } from "./read-parts.ts";

/** Says how a known prompt begins, and which texts it must contain. */
interface KnownPrompt {
  begins: RegExp;
  has: readonly string[];
}

// Open WebUI, backend/open_webui/config.py: the templates DEFAULT_…_PROMPT_TEMPLATE.
const history = ["<chat_history>", "</chat_history>"];
const ofOpenWebUi: readonly KnownPrompt[] = [
  { begins: /^### Task:\s+(?:Generate|Create) a concise, 3-5 word title/, has: history },
  { begins: /^### Task:\s+Generate 1-3 broad tags/, has: history },
  { begins: /^### Task:\s+Suggest 3-5 relevant follow-up questions/, has: history },
  { begins: /^### Task:\s+Analyze the chat history to determine the necessity of generating search/, has: history },
  { begins: /^### Task:\s+Generate a detailed prompt for an?m? image generation task/, has: history },
  { begins: /^### Task:\s+You are an autocompletion system\./, has: ["<type>", "<text>", "### **Output Rules**"] },
  { begins: /^Your task is to reflect the speaker's likely facial expression/, has: ["Message: ```"] },
];

// LibreChat: src/utils/title.ts of its package of agents, and the titles of its older endpoints.
const ofLibreChat: readonly KnownPrompt[] = [
  {
    begins: /^Provide a concise, 5-word-or-less title for the conversation/,
    has: ["Only return the title itself", "\nConversation:\n"],
  },
  {
    begins: /^Please generate a concise, 5-word-or-less title for the conversation/,
    has: ["||>User:", "||>Response:", "||>Title:"],
  },
];

const known = [...ofOpenWebUi, ...ofLibreChat];

/** Limits such a prompt, in UTF-16 units. It quotes some messages. */
const longest = 200_000;

/**
 * Returns true for a request that a chat page makes for itself: for a title, tags, follow-ups, search queries or the rest of a
 * sentence. Such a request has the known wording, is a single message and is not streamed. A person's question is streamed or
 * worded differently.
 */
export function isSideCall({ messages, isStreamed }: Pick<ChatRequest, "messages" | "isStreamed">): boolean {
  const last = messages.at(-1);
  const before = messages.slice(0, -1);
  if (isStreamed || last === undefined || before.some(({ role }) => role !== "system")) return false;
  const text = readText(last.content, `messages[${before.length}].content`).trimStart();
  return (
    text.length <= longest &&
    known.some(({ begins, has }) => begins.test(text) && has.every((mark) => text.includes(mark)))
  );
}
