// Is compiled against the types that openapi-typescript makes of the document, without a cast, and then run.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

type Outcome = components["schemas"]["Outcome"];
type AgentEvent = components["schemas"]["AgentEvent"];

const [origin = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: origin });

function expect(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(what);
}

/** Reads the words of every kind of event that has some; the compiler knows which. */
function readText(event: AgentEvent): string {
  switch (event.type) {
    case "answer-delta":
    case "thought-delta":
      return event.text;
    case "tool-start":
      return event.tool;
    case "run-end":
      return event.outcome.response;
    default:
      return "";
  }
}

const asked = await api.POST("/agent/chat", { body: { message: "What is 2+3*4?", mode: "agent" } });
// A run that failed of something that passes is an outcome; a request that was refused is a problem.
if (asked.error) throw new Error("detail" in asked.error ? asked.error.detail : (asked.error.error?.message ?? ""));
const outcome: Outcome = asked.data;
expect(outcome.success && outcome.response.includes("14"), outcome.response);
expect(asked.response.headers.get("x-request-id") === outcome.run_id, "x-request-id");

const path = { id: outcome.run_id };
const run = await api.GET("/agent/runs/{id}", { params: { path } });
expect(run.data?.status === "complete" && run.data.waits_for === null, "run");
const trace = await api.GET("/agent/runs/{id}/trace", { params: { path } });
expect((trace.data?.steps.at(-1)?.action?.type ?? "") === "final", "trace");
const list = await api.GET("/agent/conversations", { params: { query: { limit: 5 } } });
expect(list.data?.conversations[0]?.conversation_id === outcome.conversation_id, "list");
const settings = await api.GET("/agent/settings");
expect(settings.data?.modes.includes("plan") === true, "settings");

const missing = await api.GET("/agent/runs/{id}", { params: { path: { id: "run-none" } } });
expect(missing.error?.code === "not_found" && missing.error.detail.includes("run-none"), "problem");

const messages = [{ role: "user", content: "What is 2+3*4?" }];
const completion = await api.POST("/v1/chat/completions", { body: { model: "duet-agent", messages } });
expect(completion.data?.choices[0]?.message.content?.includes("14") === true, "completion");
const unknown = await api.POST("/v1/chat/completions", { body: { model: "other", messages } });
expect(unknown.error?.error.code === "model_not_found", "OpenAI's error");

const stream = await fetch(`${origin}/agent/chat`, {
  method: "POST",
  headers: { "content-type": "application/json", accept: "text/event-stream" },
  body: JSON.stringify({ message: "What is 2+3*4?" } satisfies components["schemas"]["ChatRequest"]),
});
const events = [...(await stream.text()).matchAll(/^data: ?([^\n]+)$/gm)].map(
  ([, data = ""]): AgentEvent => JSON.parse(data),
);
expect(events.map(readText).at(-1)?.includes("14") === true, "events");
