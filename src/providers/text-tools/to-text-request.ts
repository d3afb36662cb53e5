import { fromParts, toParts } from "../../core/model/message-content.ts";
import type { AssistantMessage, Message, MessageContent, ToolMessage, UserMessage } from "../../core/model/messages.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import type { Locale } from "../../kit/locale.ts";
import { sortTools } from "../middleware/tool-request-limits.ts";
import { describeProtocol } from "./describe-protocol.ts";
import { stopText } from "./text-labels.ts";

/** Vendors take at most this many stop texts. */
const mostStops = 4;

/**
 * Converts a request for a model without function calling: its tools are described in the system prompt, and earlier calls and
 * results become text in the same form.
 */
export function toTextRequest(request: ModelRequest, locale: Locale): ModelRequest {
  const { toolChoice, responseFormat, stop = [], ...rest } = request;
  const messages = toTextMessages(request.messages);
  const tools = toolChoice === "none" ? [] : sortTools(request.tools);
  const stops = stop.length < mostStops ? [...stop, stopText] : stop;
  if (tools.length === 0) return { ...request, toolChoice: undefined, tools, messages };
  const protocol = describeProtocol({ tools, toolChoice, responseFormat }, locale);
  return { ...rest, tools: [], stop: stops, messages: addToSystem(messages, protocol) };
}

/** Returns true when earlier turns of the request have calls or results, which a model without function calling must read as text. */
export function hasCalls({ messages }: ModelRequest): boolean {
  return messages.some((message) => message.role === "tool" || isCalling(message));
}

function addToSystem(messages: readonly Message[], protocol: string): Message[] {
  const at = messages.findIndex(({ role }) => role === "system");
  const system = messages[at];
  if (system?.role !== "system") return [{ role: "system", content: protocol }, ...messages];
  return messages.with(at, { role: "system", content: `${system.content}\n\n${protocol}` });
}

function toTextMessages(messages: readonly Message[]): Message[] {
  const converted: Message[] = [];
  let results: ToolMessage[] = [];
  const addResults = (): void => {
    if (results.length > 0) converted.push(toObservations(results));
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(message);
      continue;
    }
    addResults();
    converted.push(isCalling(message) ? toTextTurn(message) : message);
  }
  addResults();
  return converted;
}

function isCalling(message: Message): message is AssistantMessage {
  return message.role === "assistant" && message.toolCalls.length > 0;
}

/** Leaves out what a wire keeps of the turn in its own form, which would take the place of the text. */
function toTextTurn({ content, toolCalls, native: _, ...turn }: AssistantMessage): AssistantMessage {
  const thought = content.trim() === "" ? [] : [`Thought: ${content.trim()}`];
  const actions = toolCalls.flatMap(({ name, argumentsText }) => [
    `Action: ${name}`,
    `Action Input: ${argumentsText.trim()}`,
  ]);
  return { ...turn, content: [...thought, ...actions].join("\n"), toolCalls: [] };
}

/** Returns the results of a turn as one message, because the templates of many open models want turns to alternate. */
function toObservations(results: readonly ToolMessage[]): UserMessage {
  // Not numbered: sources have numbers, and an answer cites those.
  const parts = results.flatMap(({ tool, content }) =>
    toParts(addLabel(content, results.length === 1 ? "Observation: " : `Observation (${tool}): `)),
  );
  return { role: "user", content: fromParts(parts) };
}

function addLabel(content: MessageContent, label: string): MessageContent {
  const [first, ...others] = toParts(content);
  if (first?.type === "text") return [{ type: "text", text: `${label}${first.text}` }, ...others];
  return [{ type: "text", text: label.trim() }, ...toParts(content)];
}
