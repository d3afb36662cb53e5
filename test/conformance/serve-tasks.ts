import { replaceStream } from "../../src/core/model/model.ts";
import type { Tool } from "../../src/core/tools/tool.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { isRecord, toText } from "../../src/kit/json.ts";
import { openHttpDuet } from "../fakes/http-duet.ts";
import { type ScriptedTurn, scriptedModel, withoutDay } from "../fakes/model.ts";
import { type OpenRelay, openRelay, type Relay } from "./relay.ts";

/** The product's tasks, under the names of the suite's tools: what is a task there is a run of the agent here. */
export async function serveTasks(): Promise<OpenRelay> {
  const duet = await openHttpDuet({
    models: { functionCall: model, answer: model },
    tools: [deleteFile],
    exposing: { expose: "both" },
  });
  const relay = await openRelay(`${duet.origin}/mcp`, asAgent);
  return {
    url: relay.url,
    async close() {
      await relay.close();
      await duet.close();
    },
  };
}

/** The suite's tool that is never a task is one of the built-in ones; the others are questions that `model` knows. */
const asAgent: Relay = {
  onCall({ method, params, headers }) {
    const { name, arguments: given } = params;
    if (method !== "tools/call" || typeof name !== "string") return undefined;
    const [tool, args] =
      name === "greet"
        ? ["echo", { text: `Hello, ${isRecord(given) ? toText(given.name) : ""}!` }]
        : ["agent_ask", { question: `${name} ${JSON.stringify(given)}` }];
    if (headers["mcp-name"] === name) headers["mcp-name"] = tool;
    Object.assign(params, { name: tool, arguments: args });
    return undefined;
  },
};

const failed: DuetError = new DuetError({ code: "bad_response", text: { zh: "无法回答", en: "no answer" } });
const deletion = { id: "1", name: "delete_file", input: {} };

/** How each of the suite's tools goes here; those that are to take a minute go on until they are cancelled. */
const turns: readonly (readonly [RegExp, ScriptedTurn[]])[] = [
  [/^slow_compute .*"seconds":60/, [{ hang: true }]],
  [/^slow_compute/, ["Computed."]],
  [/^(failing|protocol_error)_job/, [{ error: failed }]],
  [/^confirm_delete/, [[deletion], "Deleted, or not."]],
  [/^multi_input/, [[deletion, { ...deletion, id: "2" }], "Deleted, or not."]],
  [/^test_tool_with_task/, ["Hello."]],
];

const model = replaceStream(scriptedModel([]), (request, onEvent, signal) => {
  const asked = request.messages.findLast(({ role }) => role === "user")?.content;
  const [, script = []] = turns.find(([pattern]) => pattern.test(withoutDay(toText(asked)))) ?? [];
  const done = request.messages.filter(({ role }) => role === "assistant").length;
  return scriptedModel(script.slice(Math.min(done, script.length - 1))).stream(request, onEvent, signal);
});

const deleteFile: Tool = {
  name: "delete_file",
  description: "Deletes the file.",
  inputSchema: { type: "object", properties: {} },
  source: "test",
  annotations: { destructive: true },
  run: async () => ({ ok: true, text: "deleted" }),
};
