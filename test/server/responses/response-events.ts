import type { ResponseStreamEvent, Response as WireResponse } from "openai/resources/responses/responses";
import { expect } from "vitest";
import { parseStreamData } from "../../fakes/event-stream.ts";

const ends = ["response.completed", "response.incomplete", "response.failed"];

/** Checks what every reader of a stream relies on, and returns the response of the last event. */
export function checkEvents(events: readonly ResponseStreamEvent[]): WireResponse {
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const last = events.at(-1);
  if (last === undefined || !("response" in last)) throw new Error("the last event has no response");
  expect(ends).toContain(last.type);
  const { response } = last;
  const added = events.filter(({ type }) => type === "response.output_item.added");
  const done = events.filter((event) => event.type === "response.output_item.done");
  expect(done.map(({ item }) => item)).toEqual(response.output);
  expect(added.map((event) => event.type === "response.output_item.added" && event.item.id)).toEqual(
    response.output.map(({ id }) => id),
  );
  for (const [index, item] of response.output.entries()) {
    const own = events.filter((event) => "output_index" in event && event.output_index === index);
    const said = own.map((event) => ("delta" in event ? event.delta : "")).join("");
    if (item.type === "message")
      expect(said).toBe(item.content.map((part) => ("text" in part ? part.text : "")).join(""));
    if (item.type === "reasoning") expect(said).toBe(item.summary.map(({ text }) => text).join(""));
    if (item.type === "function_call") expect(said).toBe(item.arguments);
    for (const event of own) if ("item_id" in event) expect(event.item_id).toBe(item.id);
  }
  for (const event of events)
    if ("response" in event && "id" in event.response) expect(event.response.id).toBe(response.id);
  return response;
}

/** Posts a request and returns the events of its stream. */
export async function eventsOf(origin: string, body: object): Promise<ResponseStreamEvent[]> {
  const response = await fetch(`${origin}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return parseStreamData(await response.text());
}
