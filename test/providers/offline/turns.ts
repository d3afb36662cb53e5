import type { Message } from "../../../src/core/model/messages.ts";
import type { Model, ModelEvent, ModelRequest, ToolDefinition, Turn } from "../../../src/core/model/model.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { createOfflineModel } from "../../../src/providers/offline/model.ts";

/** A tool on offer that takes these arguments; a name with "!" is required. */
export function offer(name: string, ...names: string[]): ToolDefinition {
  const properties = Object.fromEntries(names.map((argument) => [argument.replace("!", ""), {}]));
  const required = names.filter((argument) => argument.endsWith("!")).map((argument) => argument.replace("!", ""));
  return { name, description: `what ${name} does`, inputSchema: { type: "object", properties, required } };
}

export const allTools: ToolDefinition[] = [
  offer("echo", "text!"),
  offer("calculator", "expression", "numbers", "operations"),
  offer("file_search", "query!", "root_dir", "limit"),
  offer("log_transform", "path!"),
  offer("current_time", "timezone"),
  offer("web_search", "query!"),
  offer("fetch", "url!"),
  offer("amap__maps_weather", "city!"),
];

/** One whole turn of the rules, with the pieces in which its text came. */
export async function takeTurn(
  messages: Message[],
  tools: ToolDefinition[] = allTools,
  model: Model = createOfflineModel({ locale: "zh" }),
): Promise<Turn & { pieces: string[] }> {
  const request: ModelRequest = { messages, tools };
  const events: ModelEvent[] = [];
  const turn = await model.stream(request, (event) => void events.push(event), new AbortController().signal);
  return { ...turn, pieces: events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])) };
}

/** What the rules ask for first: `tool` and its arguments, or undefined when they only answer. */
export async function firstCall(question: string, tools?: ToolDefinition[]): Promise<[string, JsonObject] | undefined> {
  const { message } = await takeTurn([{ role: "user", content: question }], tools);
  const [call] = message.toolCalls;
  return call && [call.name, call.arguments ?? {}];
}

export interface Spoken {
  calls: [string, JsonObject][];
  thoughts: string[];
  answer: string;
  turns: number;
}

export type Answering = (tool: string, args: JsonObject) => string | { failed: string } | Promise<string>;

/** The agent's loop in small: calls tools, puts their results between fences, until the rules answer. */
export async function converse(question: string, tools: ToolDefinition[], run: Answering): Promise<Spoken> {
  const messages: Message[] = [
    { role: "system", content: "You are an agent. 计算 9*9. Search files containing secrets." },
    { role: "user", content: question },
  ];
  const spoken: Spoken = { calls: [], thoughts: [], answer: "", turns: 0 };
  while (spoken.turns < 50) {
    const { message, finish } = await takeTurn(messages, tools);
    spoken.turns++;
    messages.push(message);
    if (finish === "stop") return { ...spoken, answer: message.content };
    spoken.thoughts.push(message.content);
    for (const call of message.toolCalls) {
      const result = await run(call.name, call.arguments ?? {});
      const [text, ok] = typeof result === "string" ? [result, true] : [result.failed, false];
      spoken.calls.push([call.name, call.arguments ?? {}]);
      const content = `<<<result 3f2a9c\n${text}\nresult 3f2a9c>>>`;
      messages.push({ role: "tool", callId: call.id, tool: call.name, content, ok });
    }
  }
  throw new Error("the rules never answered");
}
