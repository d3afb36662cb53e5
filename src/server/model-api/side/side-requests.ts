import type { SaidMessage } from "../answer/answer-request.ts";

/** Holds what tells a request that a chat page makes for itself from a person's question. */
export interface RequestShape {
  isStreamed: boolean;
  /** Is true when the request brings tools of its own. */
  hasTools: boolean;
  messages: readonly SaidMessage[];
}

/** Says how much a side request may write, in tokens, where its client does not. */
export interface SideRequest {
  mostTokens: number;
}

const shortText: SideRequest = { mostTokens: 1000 };
const summary: SideRequest = { mostTokens: 4000 };

/** Is what a request for the model of side requests may write. */
export const plainSideRequest = summary;

/**
 * Describes a prompt that a page sends as it is. Which message holds it differs: the only one of the user, the instruction above
 * it, or the last one below a whole conversation.
 */
interface KnownPrompt extends SideRequest {
  place: "user" | "instruction" | "last";
  begins: RegExp;
  has?: readonly string[];
}

// Open WebUI 0.12, backend/open_webui/config.py and utils/context_compaction.py: prompts without a <chat_history>.
const ofOpenWebUi: readonly KnownPrompt[] = [
  {
    ...shortText,
    place: "user",
    begins: /^Your task is to reflect the speaker's likely facial expression/,
    has: ["Message: ```"],
  },
  {
    ...shortText,
    place: "instruction",
    begins: /^Available Tools: /,
    has: ["Your task is to choose and return the correct tool(s)", '"tool_calls"'],
  },
  {
    ...summary,
    place: "user",
    begins: /^### Task:\s+Summarize the conversation history that will be compacted/,
    has: ["### Messages Being Compacted:"],
  },
];

// LibreChat: src/utils/title.ts of its package of agents, and the titles of its older endpoints.
const ofLibreChat: readonly KnownPrompt[] = [
  {
    ...shortText,
    place: "user",
    begins: /^Provide a concise, 5-word-or-less title for the conversation/,
    has: ["Only return the title itself", "\nConversation:\n"],
  },
  {
    ...shortText,
    place: "user",
    begins: /^Please generate a concise, 5-word-or-less title for the conversation/,
    has: ["||>User:", "||>Response:", "||>Title:"],
  },
  {
    ...shortText,
    place: "user",
    begins: /^Analyze this conversation and provide:\s+1\. The detected language of the conversation/,
    has: ["A concise title in the detected language"],
  },
];

// Cherry Studio: the default of topicNamingPrompt in its languages, and src/renderer/src/config/prompts.ts.
const ofCherryStudio: readonly KnownPrompt[] = [
  { ...shortText, place: "instruction", begins: /^Summarize the conversation into a title in .{1,40} within 10 words/ },
  { ...shortText, place: "instruction", begins: /^总结给出的会话，将其总结为语言为 .{1,40} 的 10 字内标题/ },
  {
    ...shortText,
    place: "instruction",
    begins:
      /^You are an assistant skilled in conversation\. You need to summarize the user's conversation into a title/,
  },
  { ...shortText, place: "instruction", begins: /^你是一名擅长会话的助理，你需要将用户的会话总结为/ },
  {
    ...shortText,
    place: "instruction",
    begins: /^You are an AI question rephraser\. Your role is to rephrase follow-up queries/,
    has: ["<question>"],
  },
];

// LobeChat: packages/prompts/src/chains.
const ofLobeChat: readonly KnownPrompt[] = [
  {
    ...shortText,
    place: "instruction",
    begins: /^You are a professional conversation summarizer\. Generate a concise title/,
  },
  {
    ...summary,
    place: "instruction",
    begins: /^You're an assistant who's good at extracting key takeaways from conversations and summarizing them/,
    has: ["<chat_history>"],
  },
  {
    ...shortText,
    place: "instruction",
    begins: /^You are a sidecar that extracts 0-4 quick-reply suggestions from the last assistant message/,
  },
];

// NextChat: app/locales, Store.Prompt.Topic and Summarize. The whole conversation comes first.
const ofNextChat: readonly KnownPrompt[] = [
  ...[
    /^Please generate a four to five word title summarizing our conversation without any lead-in/,
    /^使用四到五个字直接返回这句话的简要主题，不要解释/,
    /^Use the language used by the user \(e\.g\. en for english conversation.{1,60}to generate a title/,
    /^この文の簡潔なテーマを四から五文字で返してください/,
    /^네 글자에서 다섯 글자로 이 문장의 간략한 주제를 반환하세요/,
    /^Geben Sie ein kurzes Thema in vier bis fünf Wörtern zurück, ohne Erklärungen/,
    /^Utilisez quatre à cinq mots pour retourner le sujet succinct de cette phrase/,
    /^Devuelve un tema breve de esta frase en cuatro a cinco palabras/,
    /^Por favor, gere um título de quatro a cinco palavras resumindo nossa conversa/,
    /^Укажите краткую тему этого сообщения в четырех-пяти словах/,
  ].map((begins) => ({ ...shortText, place: "last" as const, begins })),
  ...[
    /^Summarize the discussion briefly in 200 words or less to use as a prompt for future context/,
    /^简要总结一下对话内容，用作后续的上下文提示 prompt/,
    /^Use the language used by the user .{1,90}to summarise the conversation in at most 200 words/,
    /^対話の内容を簡潔に要約し、後続のコンテキストプロンプトとして使用します/,
  ].map((begins) => ({ ...summary, place: "last" as const, begins })),
];

const known = [...ofOpenWebUi, ...ofLibreChat, ...ofCherryStudio, ...ofLobeChat, ...ofNextChat];

/** Limits a prompt at the end of a conversation, in UTF-16 units: it quotes nothing. */
const longestLast = 600;

/** Limits what a page's own request quotes of a conversation, in UTF-16 units. */
const longest = 1_000_000;

/**
 * Recognises a request that a chat page makes for itself: for a title, tags, follow-ups, search queries, a summary or the rest of
 * a sentence. It has Open WebUI's shape, whatever its words (operators edit them, and each release changes some), or the exact
 * words of another page. Such a request brings no tools.
 */
export function findSideRequest({ isStreamed, hasTools, messages }: RequestShape): SideRequest | undefined {
  const said = messages.filter(({ role }) => role === "user" || role === "assistant");
  const [only] = said;
  const last = messages.at(-1);
  if (hasTools || only === undefined || last === undefined) return undefined;
  const isSingle = said.length === 1 && only.role === "user";
  if (isSingle && only.text.length > longest) return undefined;
  if (isSingle && !isStreamed && isTaskOverHistory(only.text.trim())) return shortText;
  const instruction = messages.find(({ role }) => role === "instruction");
  const places: Readonly<Record<KnownPrompt["place"], string | undefined>> = {
    user: isSingle ? only.text : undefined,
    instruction: isSingle ? instruction?.text : undefined,
    last: said.some(({ role }) => role === "assistant") && last.text.length <= longestLast ? last.text : undefined,
  };
  return known.find(({ place, begins, has = [] }) => {
    const text = places[place]?.trimStart() ?? "";
    return begins.test(text) && has.every((mark) => text.includes(mark));
  });
}

/**
 * Is true for a task about a chat that is quoted: a heading, and a block of messages with their roles in capitals, as Open WebUI
 * puts them there. A question with documents has the heading too, but no such block.
 */
function isTaskOverHistory(text: string): boolean {
  const quotes = /<chat_history>\s*(?:(?:USER|ASSISTANT|SYSTEM|TOOL): |<\/chat_history>)/;
  return /^#{1,6}[ \t]*Task\b/i.test(text) && quotes.test(text) && text.includes("</chat_history>");
}
