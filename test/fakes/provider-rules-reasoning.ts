import { isDeepStrictEqual } from "node:util";
import type { JournalEntry } from "./provider.ts";
import { invalid, listOf, type Refusal, recordOf } from "./provider-rules.ts";

/** A turn that the fake gave out, as it wants it back. */
export interface SentTurn {
  model: string;
  callIds: string[];
  reasoning?: string;
  signature?: string;
  redacted?: string;
}

type Fields = Record<string, unknown>;

/** What vendors refuse about the reasoning and the signatures of earlier turns, in their words. */
export function checkReasoning(entry: JournalEntry, sent: readonly SentTurn[]): Refusal | undefined {
  const own = sent.filter((turn) => turn.model === entry.model);
  const messages = listOf(entry.body.messages);
  if (entry.wire === "anthropic-messages") return checkThinkingBlocks(entry, messages, own);
  if (entry.wire !== "openai-chat") return undefined;
  const family = chatFamilies.find(({ match }) => match.test(entry.model));
  return family?.check(messages, own, entry.body);
}

interface ChatFamily {
  match: RegExp;
  check(messages: Fields[], own: readonly SentTurn[], body: Fields): Refusal | undefined;
}

/** By the name of the model; as a server's own name, or behind an organisation's. */
const chatFamilies: ChatFamily[] = [
  { match: /(^|\/)deepseek-r1/i, check: refuseReasoning },
  { match: /(^|\/)deepseek-v3\.2/i, check: checkEchoInTurn },
  { match: /(^|\/)deepseek-(flash|v[4-9]|reasoner)/i, check: checkEcho },
  { match: /(^|\/)kimi-k[23]/i, check: checkKimiEcho },
  { match: /(^|\/)gemini-[3-9]/i, check: checkSignatures },
];

/** The R1 era: the field itself is refused. */
function refuseReasoning(messages: Fields[]): Refusal | undefined {
  const found = messages.findIndex((message) => message.reasoning_content !== undefined);
  return found < 0 ? undefined : invalid(`messages[${found}]: \`reasoning_content\` is not allowed in the input.`);
}

function checkEcho(messages: Fields[], own: readonly SentTurn[], body: Fields): Refusal | undefined {
  return wrongEcho(messages, own, body) < 0
    ? undefined
    : deepseek("The `reasoning_content` in the thinking mode must be passed back to the API.");
}

function checkEchoInTurn(messages: Fields[], own: readonly SentTurn[], body: Fields): Refusal | undefined {
  const found = wrongEcho(messages, own, body);
  if (found < messages.findLastIndex((message) => message.role === "user")) return undefined;
  const page = "https://api-docs.deepseek.com/guides/thinking_mode#tool-calls";
  return deepseek(
    `Missing \`reasoning_content\` field in the assistant message at message index ${found}. For more information, please refer to ${page}`,
  );
}

function checkKimiEcho(messages: Fields[], own: readonly SentTurn[], body: Fields): Refusal | undefined {
  const found = wrongEcho(messages, own, body);
  if (found < 0) return undefined;
  return invalid(
    `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${found}`,
  );
}

/** The first tool turn whose reasoning is missing, or not what was sent; -1 when there is none, or thinking is off. */
function wrongEcho(messages: Fields[], own: readonly SentTurn[], body: Fields): number {
  if (recordOf(body.thinking).type === "disabled") return -1;
  return messages.findIndex((message) => {
    const ids = callIds(message);
    if (ids.length === 0) return false;
    if (typeof message.reasoning_content !== "string") return true;
    const turn = own.find((candidate) => isDeepStrictEqual(candidate.callIds, ids));
    return turn !== undefined && message.reasoning_content !== (turn.reasoning ?? "");
  });
}

function deepseek(message: string): Refusal {
  return { ...invalid(message), code: "invalid_request_error" };
}

const unsigned = "skip_thought_signature_validator";

/** Every call of the current turn that comes first in its message is signed: with what was sent, or the word instead. */
function checkSignatures(messages: Fields[], own: readonly SentTurn[]): Refusal | undefined {
  const start = messages.findLastIndex((message) => message.role === "user");
  for (const [position, message] of messages.entries()) {
    const [call] = listOf(message.tool_calls);
    if (position < start || !call) continue;
    const signature = recordOf(recordOf(call.extra_content).google).thought_signature;
    if (signature === undefined) {
      const name = recordOf(call.function).name;
      return google(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}. please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      );
    }
    const known = own.some((turn) => turn.signature === signature && isDeepStrictEqual(turn.callIds, callIds(message)));
    if (!known && signature !== unsigned) return google("Corrupted thought signature.");
  }
  return undefined;
}

function google(message: string): Refusal {
  return { ...invalid(message), body: [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }] };
}

function callIds(message: Fields): string[] {
  return listOf(message.tool_calls).map((call) => String(call.id));
}

/** Blocks must be those that were sent; in a loop of tool calls with thinking on, all of them, and first. */
function checkThinkingBlocks(
  { body }: JournalEntry,
  messages: Fields[],
  own: readonly SentTurn[],
): Refusal | undefined {
  const signed = own.flatMap(blocksOf);
  const thinking = recordOf(body.thinking).type;
  const latest = messages.findLastIndex((message) => message.role === "assistant");
  for (const [position, message] of messages.entries()) {
    const blocks = listOf(message.content);
    const place = `messages.${position}.content`;
    const uses = blocks.filter((block) => block.type === "tool_use").map((block) => String(block.id));
    const inLoop = position === latest && uses.length > 0 && (thinking === "enabled" || thinking === "adaptive");
    const wanted = own.filter((turn) => uses.length > 0 && isDeepStrictEqual(turn.callIds, uses)).flatMap(blocksOf);
    const first = blocks[0]?.type;
    if (inLoop && (wanted.length > 0 || thinking === "enabled") && !isThinking(first)) {
      return invalid(
        `${place}.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      );
    }
    const given = blocks.filter((block) => isThinking(block.type));
    if (inLoop && wanted.length > 0 && !isDeepStrictEqual(given, wanted)) {
      return invalid(
        `${place}.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
    }
    const forged = given.find((block) => !signed.some((known) => isDeepStrictEqual(known, block)));
    if (forged) {
      const field = forged.type === "thinking" ? "signature" : "data";
      return invalid(`${place}.${blocks.indexOf(forged)}: Invalid \`${field}\` in \`${forged.type}\` block`);
    }
  }
  return undefined;
}

function blocksOf({ reasoning, signature, redacted }: SentTurn): Fields[] {
  return [
    ...(redacted === undefined ? [] : [{ type: "redacted_thinking", data: redacted }]),
    ...(reasoning ? [{ type: "thinking", thinking: reasoning, signature }] : []),
  ];
}

function isThinking(type: unknown): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
