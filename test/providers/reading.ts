import type { Message } from "../../src/core/messages.ts";
import type { Model, ModelEvent, ModelRequest, ToolDefinition, Turn } from "../../src/core/model.ts";
import type { ModelSettings } from "../../src/core/model-settings.ts";

export interface Heard {
  text: string;
  reasoning: string;
  notices: string[];
  turn: Turn;
}

/** Streams one turn to its end. */
export async function hear(model: Model, request: Partial<ModelRequest> = {}, signal?: AbortSignal): Promise<Heard> {
  return heard(
    await Array.fromAsync(model.stream({ ...question, ...request }, signal ?? new AbortController().signal)),
  );
}

export function heard(events: ModelEvent[]): Heard {
  const last = events.at(-1);
  if (last?.type !== "turn-end") throw new Error("The stream ended without a turn.");
  return {
    text: textOf(events, "text-delta"),
    reasoning: textOf(events, "reasoning-delta"),
    notices: events.filter((event) => event.type === "notice").map((event) => event.message),
    turn: last.turn,
  };
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
