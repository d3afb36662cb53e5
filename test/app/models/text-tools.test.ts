import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../fakes/model.ts";
import {
  embed,
  follow,
  lastMessage,
  modelsOf,
  request,
  type Scene,
  setScene,
  told,
} from "../../spec/agent-mode/two-models.ts";

const inText = { toolCalls: "text" } as const;

/** The same model, as each wire is asked for it. */
function listWires(scene: Scene) {
  const { cheap, strong } = modelsOf(scene);
  return {
    "openai-chat": { name: "cheap", spec: cheap },
    "openai-responses": { name: "cheap", spec: { ...cheap, wire: "openai-responses" } },
    "anthropic-messages": { name: "strong", spec: strong },
  } as const;
}

const calling =
  'Thought: 先算。\nAction: calculator\nAction Input: {"expression": "6*7"}\nObservation: 31337\nFinal Answer: 31337';

describe.each(["openai-chat", "openai-responses", "anthropic-messages"] as const)(
  "a model without function calling on the %s wire",
  (wire) => {
    test("calls tools, reads results and answers in text, and invents no result", async () => {
      const scene = await setScene();
      const { name, spec } = listWires(scene)[wire];
      scene.provider.script(name, { text: calling }, { text: "Thought: 够了。\nFinal Answer: 是 42。" });
      const duet = await embed(scene, { models: { functionCall: { ...spec, ...inText } } });
      const { outcome, events } = await follow(duet, "6*7 是多少？");
      expect(outcome).toMatchObject({ status: "complete", response: "是 42。" });
      expect(outcome.tool_calls).toMatchObject([{ tool: "calculator", arguments: { expression: "6*7" }, ok: true }]);
      const thoughts = events.flatMap((event) => (event.type === "reasoning-delta" ? event.text : [])).join("|");
      expect(thoughts.replaceAll("|", "")).toBe("先算。够了。");
      // The turn that was read no further is billed, too.
      const used = events.flatMap((event) => (event.type === "phase-end" ? [event.usage.inputTokens > 0] : []));
      expect(used).toEqual([true, true]);
      const sent = scene.provider.requests(name);
      expect(sent.map((one) => one.wire)).toEqual([wire, wire]);
      expect(sent.filter(({ body }) => "tools" in body)).toEqual([]);
      expect(JSON.stringify(sent[1]?.body)).not.toContain("31337");
      expect(JSON.stringify(sent[1]?.body)).toContain("Observation: ");
    });
  },
);

test("the answer model is asked as ever, and a plan's open step makes its call in text", async () => {
  const scene = await setScene();
  const plan = { steps: [{ step: 1, description: "算", tool: "calculator", parameters: { expression: "?" } }] };
  scene.provider.script("cheap", { text: JSON.stringify(plan) }, { text: calling }, { text: "Thought: 完成。" });
  scene.provider.script("strong", { text: "是 42。" });
  const { cheap, strong } = modelsOf(scene);
  const duet = await embed(scene, { models: { functionCall: { ...cheap, ...inText }, answer: strong } });
  const { outcome } = await follow(duet, "6*7 是多少？", { mode: "plan" });
  expect(outcome).toMatchObject({ status: "complete", response: "是 42。" });
  expect(outcome.tool_calls).toMatchObject([{ tool: "calculator", arguments: { expression: "6*7" }, ok: true }]);
  expect(told(request(scene, "strong"))).not.toMatch(/Final Answer|31337/);
});

test("the form is chosen by what the model can do: by the configuration, by a model of the program's own, and by a refusal", async () => {
  const scene = await setScene();
  const { cheap, strong } = modelsOf(scene);
  const turns = [calling, "Final Answer: 是 42。"];
  scene.provider.script("cheap", ...turns.map((text) => ({ text })));
  const stated = await embed(scene, {
    models: { functionCall: { ...cheap, capabilities: { functionCalling: false } } },
  });
  expect((await follow(stated, "6*7 是多少？")).outcome).toMatchObject({
    response: "是 42。",
    tool_calls: [{ ok: true }],
  });

  const own = { ...scriptedModel(turns), capabilities: { functionCalling: false } };
  const embedded = await embed(scene, { models: { functionCall: own } });
  expect((await follow(embedded, "6*7 是多少？")).outcome).toMatchObject({
    response: "是 42。",
    tool_calls: [{ ok: true }],
  });
  expect(own.requests.map(({ tools }) => tools)).toEqual([[], []]);

  const body = JSON.stringify({ error: { message: "gemma3:4b does not support tools", type: "api_error" } });
  scene.provider.script("cheap", { status: 400, body }, ...turns.map((text) => ({ text })));
  scene.provider.script("strong", { text: "四十二。" });
  const tried = await embed(scene, { models: { functionCall: cheap, answer: strong } });
  const { outcome, events } = await follow(tried, "6*7 是多少？");
  expect(outcome).toMatchObject({ response: "四十二。", tool_calls: [{ ok: true }] });
  expect(events.filter((event) => event.type === "notice" && event.code === "tools-in-text")).toHaveLength(1);
  expect(lastMessage(request(scene, "cheap", -1))).toMatch(/^Observation: /);
});
