import type { Message } from "../../src/core/model/messages.ts";
import type {
  Model,
  ModelEvent,
  ModelRequest,
  OnModelEvent,
  ToolDefinition,
  Turn,
} from "../../src/core/model/model.ts";
import type { ModelSettings } from "../../src/core/model/model-settings.ts";

export interface Heard {
  text: string;
  reasoning: string;
  notices: string[];
  turn: Turn;
}

/** Streams one turn to its end. */
export async function hear(model: Model, request: Partial<ModelRequest> = {}, signal?: AbortSignal): Promise<Heard> {
  const events: ModelEvent[] = [];
  const turn = await model.stream({ ...question, ...request }, into(events), signal ?? new AbortController().signal);
  return heard(events, turn);
}

export function heard(events: ModelEvent[], turn: Turn): Heard {
  return {
    text: textOf(events, "text-delta"),
    reasoning: textOf(events, "reasoning-delta"),
    notices: events.filter((event) => event.type === "notice").map((event) => event.message),
    turn,
  };
}

/** Keeps the events of a turn in a list, where they stand also when the turn fails. */
export function into(events: ModelEvent[]): OnModelEvent {
  return (event) => void events.push(event);
}

export function textOf(events: ModelEvent[], type: "text-delta" | "reasoning-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

export const question: ModelRequest = { messages: [{ role: "user", content: "What is the weather?" }], tools: [] };

export const weather: ToolDefinition = {
  name: "weather",
  description: "The weather of a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

export function settings(changes: Partial<ModelSettings> = {}): ModelSettings {
  return {
    provider: "test",
    model: "test-model",
    wire: "openai-chat",
    baseUrl: "http://127.0.0.1:1/v1",
    apiKey: "secret-key-123",
    apiKeyEnv: "TEST_API_KEY",
    temperature: 0.7,
    maxTokens: 2000,
    timeoutMs: 20_000,
    quirks: {},
    ...changes,
  };
}

/** A conversation with two calls that were answered. */
export function answered(): Message[] {
  return [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Weather in Bergen and Oslo?" },
    {
      role: "assistant",
      content: "",
      toolCalls: [
        { id: "a", name: "weather", argumentsText: '{"city":"Bergen"}', arguments: { city: "Bergen" } },
        { id: "b", name: "weather", argumentsText: '{"city":"Oslo"}', arguments: { city: "Oslo" } },
      ],
    },
    { role: "tool", callId: "a", tool: "weather", content: "rain", ok: true },
    { role: "tool", callId: "b", tool: "weather", content: "no such city", ok: false },
  ];
}
