import { expect, test } from "vitest";
import { createRedactedModel } from "../../../src/app/secrets/redacted-model.ts";
import { type ModelEvent, replaceStream } from "../../../src/core/model/model.ts";
import { createRedactor } from "../../../src/kit/text/redact.ts";
import { scriptedModel } from "../../fakes/model.ts";

test("no secret is in the words with which a model refuses, nor in its notices", async () => {
  const inner = scriptedModel([{ text: "No." }]);
  const said = "I shall not repeat canary-0123.";
  const refusing = replaceStream(inner, async (request, onEvent, signal) => {
    onEvent({ type: "notice", level: "warning", code: "refusal", message: said });
    return { ...(await inner.stream(request, onEvent, signal)), finish: "refused", refusal: said };
  });
  const model = createRedactedModel(refusing, createRedactor([{ name: "KEY", value: "canary-0123" }]));
  const events: ModelEvent[] = [];
  const request = { messages: [], tools: [], toolChoice: "auto" as const };
  const turn = await model.stream(request, (event) => events.push(event), new AbortController().signal);
  expect(turn.refusal).toBe("I shall not repeat [redacted KEY].");
  expect(events).toContainEqual({
    type: "notice",
    level: "warning",
    code: "refusal",
    message: "I shall not repeat [redacted KEY].",
  });
});
